"""Reads a file with a tool behind a gate, on PyPI's `mcp`, which holds what comes back to the tool's
output schema. Prints what the client's user would get.

Usage: read_file.py URL TOKEN TOOL PATH
"""

import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main() -> None:
    url, token, tool, path = sys.argv[1:]
    headers = {"Authorization": f"Bearer {token}"}
    async with streamablehttp_client(url, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await session.list_tools()
            result = await session.call_tool(tool, {"path": path})
            print(result.model_dump_json(by_alias=True))


asyncio.run(main())
