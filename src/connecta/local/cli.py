"""The command line: ``python -m connecta dev``, ``preview``, ``activity`` and ``reviewed``."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from connecta.limits import LIMITS
from connecta.local.errors import CommandError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a mistake of the caller's is one sentence on stderr."""
    arguments = _parser().parse_args(argv)
    try:
        run: Callable[[argparse.Namespace], None] = arguments.run
        run(arguments)
    except CommandError as error:
        print(f"connecta: {error}", file=sys.stderr)
        return 1
    return 0


# What a command needs is imported when it runs, so that --help answers at once.


def _dev(arguments: argparse.Namespace) -> None:
    from connecta.local.server import serve

    serve(arguments.deployment, arguments.port, Path(arguments.data))


def _preview(arguments: argparse.Namespace) -> None:
    from connecta.local.server import serve

    serve(arguments.deployment, arguments.port, Path(arguments.data), show_preview=not arguments.no_browser)


def _activity(arguments: argparse.Namespace) -> None:
    from connecta.local.activity import Listing, show_activity

    show_activity(
        Listing(
            deployment=arguments.deployment,
            data=Path(arguments.data),
            table=arguments.table,
            connector=arguments.connector,
            outcome=arguments.outcome,
            caller=arguments.caller,
            since_s=arguments.since,
            limit=arguments.limit,
            as_json=arguments.json,
        )
    )


def _reviewed(arguments: argparse.Namespace) -> None:
    from connecta.local.reviewed import Wanted, show_reviewed
    from connecta.local.states import Place

    place = Place(arguments.deployment, Path(arguments.data), arguments.table)
    show_reviewed(Wanted(place, arguments.connector, arguments.write))


def _tokens(arguments: argparse.Namespace) -> None:
    from connecta.local import tokens
    from connecta.local.states import Place

    place = Place(arguments.deployment, Path(arguments.data), arguments.table)
    match arguments.action:
        case "issue":
            tokens.issue(place, arguments.name, arguments.expires)
        case "rename":
            tokens.rename(place, arguments.id, arguments.name)
        case "revoke":
            tokens.revoke(place, arguments.id)
        case _:
            tokens.show(place, as_json=arguments.json)


def _passphrase(arguments: argparse.Namespace) -> None:
    from connecta.local.passphrase import Where, set_passphrase

    where = Where(Path(arguments.data), arguments.secret, arguments.print)
    set_passphrase(where, generate=arguments.generate)


def _doctor(arguments: argparse.Namespace) -> None:
    from connecta.local.doctor.command import Visited, visit

    visit(Visited(arguments.url, arguments.token, arguments.passphrase_stdin, arguments.json))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="connecta", description="Connecta for AWS Lambda, on this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    which = argparse.ArgumentParser(add_help=False)
    which.add_argument(
        "--deployment", default="deployment:deployment", help="module:name of the deployment (deployment:deployment)"
    )
    shared = argparse.ArgumentParser(add_help=False, parents=[which])
    shared.add_argument("--data", default=".connecta", help="the folder its state is kept in (.connecta)")
    served = argparse.ArgumentParser(add_help=False, parents=[shared])
    served.add_argument("--port", type=_port, default=8787, help="the port to serve on (8787)")
    dev = commands.add_parser(
        "dev", parents=[served], help="serve a deployment on 127.0.0.1, with its state in a local emulator"
    )
    dev.set_defaults(run=_dev)
    preview = commands.add_parser(
        "preview",
        parents=[served],
        help="serve it like dev, and open the page that runs programs and shows their views",
    )
    preview.add_argument("--no-browser", action="store_true", help="only print the page's address")
    preview.set_defaults(run=_preview)
    somewhere = argparse.ArgumentParser(add_help=False, parents=[shared])
    somewhere.add_argument("--table", help="a deployed table, reached with your AWS credentials, not the local one")
    activity = commands.add_parser(
        "activity", parents=[somewhere], help="list the calls that were attempted in the last 30 days, newest first"
    )
    activity.add_argument("--connector", help="only calls to the connector of this id")
    activity.add_argument("--outcome", choices=["success", "error", "timeout", "cancelled"])
    activity.add_argument("--caller", help="only calls of this caller, as the listing names its ACTOR: oauth:owner")
    activity.add_argument("--since", type=_seconds, help="how far back to look: 90s, 30m, 2h or 7d")
    listed, most = LIMITS.activity_listed, LIMITS.activity_listed_max
    activity.add_argument("--limit", type=_limit, default=listed, help=f"how many calls, at most {most} ({listed})")
    activity.add_argument("--json", action="store_true", help="one JSON object a line, with every field")
    activity.set_defaults(run=_activity)
    reviewed = commands.add_parser(
        "reviewed", parents=[somewhere], help="count how far remote MCP servers have moved from their reviewed lists"
    )
    reviewed.add_argument("connector", nargs="?", help="only the connector of this id")
    reviewed.add_argument("--write", type=Path, help="write its tools to this file instead, as the reviewed list")
    reviewed.set_defaults(run=_reviewed)
    doctor = commands.add_parser("doctor", help="check a deployment from outside, as claude.ai would reach it")
    doctor.add_argument("url", help="what you would paste into a client: https://host/mcp")
    doctor.add_argument(
        "--token", action="store_true", help="come in with a bearer token: $CONNECTA_TOKEN, else it is asked for"
    )
    doctor.add_argument(
        "--passphrase-stdin", action="store_true", help="read the passphrase from standard input, not the terminal"
    )
    doctor.add_argument("--json", action="store_true", help="one JSON object, with every check")
    doctor.set_defaults(run=_doctor)
    _add_tokens(commands.add_parser("tokens", help="the named tokens that let clients in"), somewhere)
    _add_passphrase(commands.add_parser("passphrase", help="set or replace what people sign in with"))
    return parser


def _add_tokens(tokens: argparse.ArgumentParser, somewhere: argparse.ArgumentParser) -> None:
    actions = tokens.add_subparsers(dest="action", required=True)
    issue = actions.add_parser("issue", parents=[somewhere], help="make a token and print it, this once")
    issue.add_argument("name", help="who or what will hold it")
    issue.add_argument("--expires", type=_seconds, help="when it ends: 12h, 90d; without it, when it is revoked")
    listed = actions.add_parser("list", parents=[somewhere], help="every token, with when it was last used")
    listed.add_argument("--json", action="store_true", help="one JSON object a line")
    rename = actions.add_parser("rename", parents=[somewhere], help="give a token another name")
    rename.add_argument("id")
    rename.add_argument("name")
    revoke = actions.add_parser("revoke", parents=[somewhere], help="let nobody in with a token any more")
    revoke.add_argument("id")
    tokens.set_defaults(run=_tokens)


def _add_passphrase(passphrase: argparse.ArgumentParser) -> None:
    passphrase.description = "Asks for a passphrase twice, or reads one line of standard input, and keeps its hash."
    place = passphrase.add_mutually_exclusive_group()
    place.add_argument("--data", default=".connecta", help="the local server's folder (.connecta)")
    place.add_argument("--secret", help="the deployed stack's secret: its output SignInSecretArn")
    place.add_argument("--print", action="store_true", help="only print what the secret has to hold")
    passphrase.add_argument("--generate", action="store_true", help="make a passphrase and print it, this once")
    passphrase.set_defaults(run=_passphrase)


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return port


def _limit(text: str) -> int:
    limit = int(text) if text.isdecimal() else 0
    if not 1 <= limit <= LIMITS.activity_listed_max:
        raise argparse.ArgumentTypeError(f"a limit is a number from 1 to {LIMITS.activity_listed_max}")
    return limit


def _seconds(text: str) -> int:
    span = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if span is None:
        raise argparse.ArgumentTypeError("a time is a number and a unit, like 90s, 30m, 2h or 7d")
    return int(span[1]) * {"s": 1, "m": 60, "h": 3_600, "d": 86_400}[span[2]]
