"""A downstream that says back what it is shown, in every way a downstream can say something."""

import base64
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from tests.fixtures.http_server import Handler, serving
from tests.fixtures.misbehaving_server import MCP_ANSWERS

PAGE: Final = "<html><body><h1>Oops</h1><pre>authorization: {}</pre></body></html>"


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "resultType": "complete"}


def _block(**block: Any) -> dict[str, Any]:
    return {"content": [block], "resultType": "complete"}


def _encoded(said: str) -> str:
    return base64.b64encode(said.encode()).decode()


def _units(said: str) -> str:
    return "".join(f"\\u{ord(each):04x}" for each in said)


RESULTS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "text": _text,
    "bare": lambda said: _text(said.partition(" ")[2]),
    "json": lambda said: _text(json.dumps({"headers": {"authorization": said}})),
    "json_in_json": lambda said: _text(json.dumps({"body": json.dumps({"authorization": said})})),
    "units": lambda said: _text(f'{{"authorization": "{_units(said)}"}}'),
    "base64": lambda said: _text(_encoded(f"a: {said}")),
    "base64_off_by_one": lambda said: _text(_encoded(f"ab: {said} and more")),
    "base64_url": lambda said: _text(_encoded(said).replace("+", "-").replace("/", "_")),
    "percent": lambda said: _text(f"/next?auth={quote(said)}"),
    "percent_all": lambda said: _text("".join(f"%{ord(each):02x}" for each in said)),
    "plus": lambda said: _text(quote(said, safe="").replace("%20", "+").lower()),
    "html": lambda said: _text(PAGE.format(escape(said))),
    "entities": lambda said: _text("".join(f"&#{ord(each)};" for each in said)),
    "nul": lambda said: _text("\0".join(said)),
    "structured": lambda said: {**_text("see"), "structuredContent": {"headers": [{"authorization": said}]}},
    "key": lambda said: {**_text("see"), "structuredContent": {said: 1}},
    "meta": lambda said: {**_text("see"), "_meta": {"echo/authorization": said}},
    "is_error": lambda said: {**_text(f"refused: {said}"), "isError": True},
    "is_error_base64": lambda said: {**_text(_encoded(said)), "isError": True},
    "image": lambda said: _block(type="image", data=_encoded(f"P6 {said} "), mimeType="image/png"),
    "resource": lambda said: _block(type="resource", resource={"uri": "x://y", "text": said}),
    "blob": lambda said: _block(type="resource", resource={"uri": "x://y", "blob": _encoded(said)}),
    "link": lambda said: _block(type="resource_link", name="next", uri=f"https://x.example/?a={quote(said)}"),
    "kind": lambda said: _block(type=said, text="x"),
    "no_block": lambda said: {"content": [said], "resultType": "complete"},
    "no_content": lambda said: {"content": said, "resultType": "complete"},
    "large": lambda said: _text("x" * 150_000 + said),
    "write": _text,
}
"""How a call is answered, by name."""
WIRES: Final = (
    *("rpc_error", "rpc_data", "rpc_code", "session", "page_500", "page_200", "page_utf16", "utf7"),
    *("json_400", "refused", "forbidden", "moved", "retry_after", "reason", "cut", "events", "log_first", "not_json"),
)
"""Answers that are odd below what is said in them."""
LISTS: Final = ("described", "named", "schema", "instructed", "cursor")
"""Servers that say it where they list their tools."""
WAYS: Final = (*RESULTS, *WIRES)

TOOLS: Final = [
    {
        "name": name,
        "description": "Says something",
        "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}},
        "annotations": {"readOnlyHint": reads, "destructiveHint": not reads},
    }
    for name, reads in (("say", True), ("write", False))
]


class Echo(Handler):
    """MCP under ``/mcp/<variant>``, an HTTP API elsewhere."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.wire(parse_qs(urlsplit(self.path).query).get("how", ["json"])[0], 0)

    def do_DELETE(self) -> None:
        self.reply(204)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if not self.path.startswith("/mcp"):
            self.do_GET()
            return
        message: dict[str, Any] = json.loads(body)
        if not self.said:
            self.reply(401, www_authenticate="Bearer")
        elif "id" not in message:
            self.reply(202)
        elif message["method"] == "tools/call":
            self.called(message["params"].get("arguments", {}).get("how", "text"), message["id"])
        else:
            self.result(message["id"], _listed(message, self.path.rpartition("/")[2], self.said))

    @property
    def said(self) -> str:
        return self.headers.get("authorization") or self.headers.get("x-key") or ""

    def called(self, how: str, id: Any) -> None:
        if how in RESULTS:
            self.result(id, RESULTS[how](self.said))
        else:
            self.wire(how, id)

    def result(self, id: Any, result: dict[str, Any], **headers: str) -> None:
        self.json(200, {"jsonrpc": "2.0", "id": id, "result": result}, **headers)

    def json(self, status: int, value: Any, **headers: str) -> None:
        self.reply(status, json.dumps(value).encode(), Content_Type="application/json", **headers)

    def wire(self, how: str, id: Any) -> None:
        said = self.said
        error = {"code": -32000, "message": f"no: {said}"}
        match how:
            case "rpc_error" | "json_400":
                self.json(200 if how == "rpc_error" else 400, {"jsonrpc": "2.0", "id": id, "error": error})
            case "rpc_data":
                self.json(200, {"jsonrpc": "2.0", "id": id, "error": {**error, "message": "no", "data": {said: said}}})
            case "rpc_code":
                self.json(200, {"jsonrpc": "2.0", "id": id, "error": {"code": said, "message": said}})
            case "other_id":
                self.json(200, {"jsonrpc": "2.0", "id": said, "result": _text("well")})
            case "session":
                self.result(id, _text("well"), Mcp_Session_Id=said, Set_Cookie=f"auth={said}", X_Echo=said)
            case "page_500" | "page_200":
                self.reply(int(how[-3:]), PAGE.format(escape(said)).encode(), Content_Type="text/html")
            case "page_utf16":
                self.reply(200, PAGE.format(said).encode("utf-16"), Content_Type="text/html; charset=utf-8")
            case "utf7":
                self.reply(200, json.dumps({"said": said}).encode("utf-7"), Content_Type="text/plain; charset=utf-7")
            case "refused" | "forbidden":
                challenge = f'Bearer realm="{said}", error="invalid_token", scope="{said}", error_description="{said}"'
                self.reply(401 if how == "refused" else 403, said.encode(), Www_Authenticate=challenge)
            case "moved":
                self.reply(302, said.encode(), Location=f"/elsewhere?auth={quote(said)}")
            case "retry_after":
                self.reply(429, said.encode(), Retry_After=said)
            case "reason":
                self.wfile.write(f"HTTP/1.1 500 {said}\r\ncontent-length: 0\r\n\r\n".encode())
            case "cut":
                self.close_connection = True
                self.wfile.write(f"HTTP/1.1 200 OK\r\nx-a: {said}\r\ncontent-length: 999\r\n\r\n{said}".encode())
            case "events" | "log_first":
                self.events(how, id)
            case "text":
                self.reply(200, said.encode(), Content_Type="text/plain")
            case "json":
                self.json(200, {"headers": {"authorization": said}})
            case _:
                self.reply(200, b'{"said": "' + said.encode(), Content_Type="application/json")

    def events(self, how: str, id: Any) -> None:
        last = {"jsonrpc": "2.0", "id": id, "result": _text(self.said if how == "events" else "well")}
        first = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": self.said}}
        told = "".join(f"event: message\nid: {self.said}\ndata: {json.dumps(each)}\n\n" for each in (first, last))
        self.reply(200, told.encode(), Content_Type="text/event-stream")


def _listed(message: dict[str, Any], variant: str, said: str) -> dict[str, Any]:
    answer = {**MCP_ANSWERS[message["method"]]}
    if variant == "instructed" and message["method"] == "server/discover":
        return {**answer, "instructions": said, "serverInfo": {"name": said, "version": said}}
    if message["method"] != "tools/list":
        return answer
    first, *others = TOOLS
    changed = {
        "described": {**first, "description": f"For {said}"},
        "named": {**first, "name": said.partition(" ")[2]},
        "schema": {**first, "inputSchema": {"type": "object", "properties": {"how": {"enum": [said]}}}},
    }
    more = {"nextCursor": said} if variant == "cursor" and not message["params"].get("cursor") else {}
    return {**answer, "tools": [changed.get(variant, first), *others], **more}


@contextmanager
def running_echo() -> Generator[str]:
    with serving(Echo) as url:
        yield url
