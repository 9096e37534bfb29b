"""``Connecta(…)`` refuses whatever is wrong with a deployment, all at once, each naming its fix (tools.md)."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any, cast

import pytest

from connecta import Bearer, Connecta, Context, Credential, DeploymentError, OAuth, Open, Token, api, remote_mcp
from connecta.connectors.api import Api
from connecta.limits import Limits
from connecta.text import Json
from tests.fixtures.addresses import NO_ADDRESS

URL = "https://docs.example/mcp"
KINDS = "use Bearer(…), AccessTokens(), AuthorizationServer(…), Oidc(…) or Open()."


def problems_of(*connectors: Any, **options: Any) -> list[str]:
    with pytest.raises(DeploymentError) as caught:
        Connecta(connectors=list(connectors), **options)
    return list(caught.value.problems)


def things(**options: Any) -> Api:
    """A connector with nothing wrong, save what ``options`` make so."""
    given: dict[str, Any] = {"base_url": "https://things.example", **options}
    connector = api("things", **given)

    @connector.tool(read_only=True)
    async def look(ctx: Context) -> object:
        """Look."""
        return None

    return connector


def a_tool(function: Callable[..., object] | None = None, **options: Any) -> Api:
    """``things`` with one tool more."""

    async def other(ctx: Context) -> object:
        """Look again."""
        return None

    connector = things()
    given: dict[str, Any] = {"read_only": True, **options}
    connector.tool(**given)(function or other)
    return connector


async def undocumented(ctx: Context) -> object:
    return None


async def unannotated(ctx: Context, id) -> object:  # type: ignore[no-untyped-def]
    """No annotation."""
    return id  # pyright: ignore[reportUnknownVariableType]


async def variadic(ctx: Context, *ids: str) -> object:
    """Any number."""
    return ids


async def endless(ctx: Context) -> Json:
    """Answers with any JSON at all."""
    return None


async def strange(ctx: Context, callback: Callable[[], None]) -> object:
    """A function for an argument."""
    return callback


async def contextless() -> object:
    """No ctx."""
    return None


def synchronous(ctx: Context) -> object:
    """Not async."""
    return None


def test_a_right_deployment_is_plain_configuration() -> None:
    docs = remote_mcp("team-docs", url=URL, auth=OAuth(), read_only={"search"}, guide="# Reading docs\nSearch first.")
    connector = things(credential=Token(env="THINGS"), timeout=5)
    deployment = Connecta(connectors=[connector, docs], auth=[Bearer(env="TOKEN")], limits=Limits(host_calls=10))
    assert deployment.connectors == (connector, docs)
    assert dict(deployment.by_id) == {"things": connector, "team-docs": docs}
    assert dict(deployment.shortcuts) == {"things": "things", "team_docs": "team-docs"}
    assert (docs.guide_summary, connector.timeout_s, docs.limits.host_calls) == ("Reading docs", 5, 10)
    assert isinstance(Connecta(connectors=[things()], auth=Open()).auth[0], Open)


@pytest.mark.parametrize("id", ["", "Docs", "1docs", "docs.v2", "docs search", "d" * 64, "_docs"])
def test_a_bad_connector_id_is_refused(id: str) -> None:
    assert problems_of(remote_mcp(id, url=URL)) == [
        f'connector "{id}": its id must match [a-z][a-z0-9_-]{{0,62}}; rename it.'
    ]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"guide_summary": "x" * 121}, "guide_summary= is longer than 120 characters; shorten it."),
        ({"title": 7}, "title= must be a string."),
        ({"guide_required": "yes"}, "guide_required= must be True or False."),
        ({"timeout": 26}, "timeout= must be more than 0 and at most 25 seconds."),
        ({"timeout": 0}, "timeout= must be more than 0 and at most 25 seconds."),
        (
            {"base_url": "http://things.example"},
            "base_url= must be https, or the connector must say allow_private=True.",
        ),
        ({"base_url": "things.example"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"base_url": "https://u:p@h"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"base_url": "https://h?q=1"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"base_url": "https://[h"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        (
            {"base_url": "https://0177.0.0.1"},
            "base_url= must be an absolute URL without credentials, query or fragment.",
        ),
        (
            {"base_url": "https://a..example"},
            "base_url= must be an absolute URL without credentials, query or fragment.",
        ),
        ({"base_url": "https://h\n"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"base_url": "https://a b"}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"base_url": None}, "base_url= must be an absolute URL without credentials, query or fragment."),
        ({"credential": "s3cret"}, "credential= must be a Credential, an OAuth or a Token."),
        (
            {"credential": OAuth()},
            "credential= cannot be OAuth(), which is for remote_mcp; use a Credential or a Token.",
        ),
        ({"credential": Token(env="")}, "credential=Token(env=…) must name an environment variable."),
        (
            {"credential": Credential(header="Host")},
            "credential=Credential(header=…) names a header that frames a request; name another.",
        ),
        (
            {"credential": Credential(label="")},
            "credential=Credential(label=…) must be a name of at most 80 characters, which its operator is asked for.",
        ),
        (
            {"credential": Credential(scheme="Bearer token")},
            'credential=Credential(scheme=…) must be one word like "Bearer", or empty.',
        ),
        (
            {"credential": Credential(fields=cast("Any", "key"))},
            'credential=Credential(fields=…) must be a tuple of names, like ("user", "password").',
        ),
        (
            {"credential": Credential(fields=("key", "key"))},
            "credential=Credential(fields=…) must be at most 8 different names that match [a-z][a-z0-9_]{0,31}.",
        ),
        (
            {"credential": Bearer(env="THINGS")},
            "credential=Bearer(…) is for callers of this deployment; a downstream's token is Token(env=…).",
        ),
        (
            {"credential": Credential(header="X:")},
            "credential=Credential(header=…) must be the name of an HTTP header.",
        ),
        ({"titel": "Things"}, "unknown option titel=; remove it."),
    ],
)
def test_a_wrong_option_of_a_connector_is_refused(options: dict[str, Any], problem: str) -> None:
    assert problems_of(things(**options)) == [f'connector "things": {problem}']


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"read_only": "search"}, 'read_only= must be a set of tool names, like {"search"}.'),
        ({"destructive": [1]}, 'destructive= must be a set of tool names, like {"search"}.'),
        ({"read_only": {"a"}, "destructive": {"a"}}, 'read_only= and destructive= both name "a"; keep one.'),
        ({"url": "http://docs.example"}, "url= must be https, or the connector must say allow_private=True."),
        (
            {"auth": Bearer(env="THINGS")},
            "auth=Bearer(…) is for callers of this deployment; a downstream's token is Token(env=…).",
        ),
        (
            {"auth": Credential(fields=("user", "password"))},
            'auth=Credential(fields=…) of a remote_mcp are one, or a user name and a password with scheme="Basic".',
        ),
        (
            {"auth": OAuth(scopes=cast("Any", "read"))},
            'auth=OAuth(scopes=…) must be a tuple of scopes, like ("read", "write").',
        ),
        (
            {"auth": OAuth(client_id="")},
            "auth=OAuth(client_id=…) must be the id the authorization server knows this deployment by.",
        ),
        ({"auth": OAuth(env="SECRET")}, "auth=OAuth(env=…) is the secret of a client; give client_id=, too."),
        *(
            (
                {"auth": OAuth(issuer=cast("Any", issuer))},
                "auth=OAuth(issuer=…) must be the URL the authorization server names itself by.",
            )
            for issuer in ("accounts.example.com", *NO_ADDRESS, "https://a.example?", "https://a.example#", 7)
        ),
        ({"auth": "Bearer x"}, "auth= must be a Credential, an OAuth or a Token."),
    ],
)
def test_a_wrong_option_of_a_remote_server_is_refused(options: dict[str, Any], problem: str) -> None:
    given: dict[str, Any] = {"url": URL, **options}
    assert problems_of(remote_mcp("docs", **given)) == [f'connector "docs": {problem}']


@pytest.mark.parametrize(
    ("connector", "problem"),
    [
        (a_tool(undocumented), '"undocumented": it has no description; give it a docstring or description=.'),
        (a_tool(read_only=None), '"other": it does not say what it may do; add read_only=True or read_only=False.'),
        (a_tool(destructive=True), '"other": it says read_only=True and destructive=True; keep one.'),
        (a_tool(name="a b"), '"a b": its name must match [A-Za-z0-9_.-]{1,128}; give it name=.'),
        (a_tool(name="look"), '"look": there are two tools of this name; rename one.'),
        (a_tool(readonly=True), '"other": unknown option readonly=; remove it.'),
        (a_tool(synchronous), '"synchronous": it is not a coroutine function; write async def.'),
        (a_tool(contextless), '"contextless": it has no parameters; its first one must be ctx.'),
        (
            a_tool(cast("Callable[..., object]", unannotated)),
            '"unannotated": it has no annotation on the parameter "id"; add one, or give input_schema=.',
        ),
        (
            a_tool(variadic),
            '"variadic": it has the parameter "ids" that cannot be passed by name; give it input_schema=.',
        ),
        (
            a_tool(strange),
            '"strange": it has annotations no JSON Schema can be made of (invalid-for-json-schema); use JSON types.',
        ),
        (
            a_tool(endless),
            '"endless": it has an annotation that refers to itself without a name; use Any or a model.',
        ),
        (
            a_tool(input_schema={"type": "string"}),
            '"other": its input_schema is not one of an object; say "type": "object".',
        ),
        (
            a_tool(input_schema={"type": "object", "properties": 3}),
            '"other": its input_schema is not a JSON Schema that compiles; correct it.',
        ),
        (
            a_tool(output_schema={"$ref": "https://schemas.example/x"}),
            '"other": its output_schema is not a JSON Schema that compiles; correct it.',
        ),
    ],
)
def test_a_wrong_tool_is_refused(connector: Api, problem: str) -> None:
    assert problems_of(connector) == [f'connector "things": tool {problem}']


def test_the_decorator_without_parentheses_is_refused_like_a_tool_that_does_not_say_what_it_may_do() -> None:
    connector = things()

    @connector.tool
    async def bare(ctx: Context) -> object:  # pyright: ignore[reportUnusedFunction]
        """Bare."""
        return None

    assert problems_of(connector) == [
        'connector "things": tool "bare": it does not say what it may do; add read_only=True or read_only=False.'
    ]


def test_a_connector_without_tools_is_refused() -> None:
    assert problems_of(api("empty", base_url="https://e.example")) == [
        'connector "empty": it has no tools; add one with @….tool(read_only=…).'
    ]


def test_equal_and_colliding_and_reserved_ids_are_refused() -> None:
    """A4."""
    ids = ["docs", "docs", "a-b", "a_b", "console", "escape"]
    assert problems_of(*(remote_mcp(id, url=URL) for id in ids)) == [
        '2 connectors have the id "docs"; rename all but one.',
        'the connectors "a-b", "a_b" would share the JavaScript name a_b; rename all but one.',
        'the connector id "console" would cover the JavaScript global console; rename it.',
        'the connector id "escape" would cover the JavaScript global escape; rename it.',
    ]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"auth": ["s3cret"]},
            f"auth= holds a str; {KINDS}",
        ),
        (
            {"auth": [Open]},
            f"auth= holds a type; {KINDS}",
        ),
        ({"auth": "s3cret"}, "auth= is a str; write a list."),
        ({"name": "My Deployment"}, "name= must match [a-z][a-z0-9_-]{0,62}; rename it."),
        *(
            (
                {"public_url": origin},
                "public_url= must be the origin people reach it at, like https://host, without a path.",
            )
            for origin in ("https://h/path", *NO_ADDRESS)
        ),
        ({"limits": {"run_s": 5}}, "limits= must be a Limits(…)."),
        ({"sandbox": "loose"}, 'sandbox= must be "standard" or "strict".'),
        *(
            (
                {"allowed_origins": [origin]},
                "allowed_origins= holds something that is not an origin; write https://host, without a path.",
            )
            for origin in ("*", *NO_ADDRESS)
        ),
        ({"conectors": []}, "unknown option conectors=; remove it."),
    ],
)
def test_a_wrong_option_of_the_deployment_is_refused(options: dict[str, Any], problem: str) -> None:
    assert problems_of(things(), **options) == [problem]


def test_no_connectors_and_things_that_are_none_are_refused() -> None:
    assert problems_of() == ["connectors= names no connector; add one made with api(…) or remote_mcp(…)."]
    assert problems_of(things(), "docs") == ["connectors[1] is a str; make it with api(…) or remote_mcp(…)."]


def test_everything_wrong_is_said_in_one_error() -> None:
    broken = things(title=7, colour="red")
    broken.tool()(undocumented)
    with pytest.raises(DeploymentError) as caught:
        Connecta(connectors=[broken, remote_mcp("Docs", url="nowhere")], auth=[None], colour="blue")  # type: ignore[list-item, arg-type]  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == (
        "This deployment has 8 problems:\n"
        "- unknown option colour=; remove it.\n"
        '- connector "things": unknown option colour=; remove it.\n'
        '- connector "things": title= must be a string.\n'
        '- connector "things": tool "undocumented": it has no description; give it a docstring or description=.\n'
        '- connector "things": tool "undocumented": it does not say what it may do; '
        "add read_only=True or read_only=False.\n"
        '- connector "Docs": its id must match [a-z][a-z0-9_-]{0,62}; rename it.\n'
        '- connector "Docs": url= must be an absolute URL without credentials, query or fragment.\n'
        "- auth= holds a NoneType; use Bearer(…), AccessTokens(), AuthorizationServer(…), Oidc(…) or Open()."
    )


def test_a_deployment_is_built_without_loading_the_mcp_sdk_or_an_http_client() -> None:
    """A cold start pays for what it uses (mcp.md, "Cold import dominates")."""
    program = (
        "import sys, connecta\n"
        "assert 'pydantic' not in sys.modules and 'connecta.deployment' not in sys.modules\n"
        "import deployment\n"
        "print(sorted({'mcp', 'mcp_types', 'httpx2', 'boto3'} & set(sys.modules)))"
    )
    path = ":".join(sys.path)
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": path}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
