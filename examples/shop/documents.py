"""The shop's documents as an MCP server, made with the MCP Python SDK. ``servers.py`` starts it."""

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from examples.shop.data import DOCUMENTS, Document
from examples.shop.drawing import flow_diagram
from examples.shop.serving import serve

READ = ToolAnnotations(read_only_hint=True)

server = MCPServer("shop-documents", instructions="What the shop has written down.", log_level="ERROR")
archived: set[str] = set()


@server.tool(annotations=READ)
def search(query: str) -> dict[str, object]:
    """Search the shop's documents; answers with ids, titles and tags, best first."""
    words = query.lower().split()
    scored = [
        (sum(f"{d['title']} {' '.join(d['tags'])} {d['text']}".lower().count(word) for word in words), d)
        for d in DOCUMENTS.values()
        if d["id"] not in archived
    ]
    hits = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return {"documents": [{"id": d["id"], "title": d["title"], "tags": d["tags"]} for _, d in hits]}


@server.tool(annotations=READ)
def read(id: str) -> dict[str, object]:
    """Read one document in full."""
    return {**known(id), "archived": id in archived}


@server.tool(annotations=READ, structured_output=False)
def order_flow() -> list[object]:
    """A diagram of how an order moves from paid to delivered."""
    return ["paid, packed, shipped, delivered", Image(data=flow_diagram(4), format="png")]


@server.tool()
def count_words(id: str) -> dict[str, object]:
    """Count the words of one document. Says nothing of whether it only reads, so no program may call it."""
    return {"id": id, "words": len(known(id)["text"].split())}


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True))
def archive(id: str) -> dict[str, object]:
    """Archive one document, so that no search finds it any more."""
    archived.add(known(id)["id"])
    return {"id": id, "archived": True}


def known(id: str) -> Document:
    if id not in DOCUMENTS:
        raise ToolError(f"There is no document {id!r}; search for its id.")
    return DOCUMENTS[id]


@server.custom_route("/ready", methods=["GET"])
async def ready(request: Request) -> Response:
    return PlainTextResponse("ready")


app = server.streamable_http_app(stateless_http=True, json_response=True)

if __name__ == "__main__":
    serve(app)
