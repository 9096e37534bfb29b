"""python fastmcp_client.py URL PROGRAM: what fastmcp's client sees and gets there, as JSON.

It runs in an environment of its own.
"""
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false

import asyncio
import json
import sys

from fastmcp import Client


async def main(url: str, program: str) -> None:
    async with Client(url, auth="oauth") as client:
        tools = await client.list_tools()
        result = await client.call_tool("execute_code", {"code": program})
    print(json.dumps({"tools": [tool.name for tool in tools], "answer": result.structured_content}))


asyncio.run(main(*sys.argv[1:]))
