"""A server with one tool, on whichever version of PyPI's `mcp` is in the path.

Usage: adder.py stdio | streamable-http PORT | sse PORT
"""

import sys

try:
    from mcp.server.mcpserver import MCPServer

    server, takes_port = MCPServer("adder"), True
except ModuleNotFoundError:
    from mcp.server.fastmcp import FastMCP

    server, takes_port = FastMCP("adder"), False


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


transport = sys.argv[1]
if transport == "stdio":
    server.run()
elif takes_port:
    server.run(transport, host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.settings.port = int(sys.argv[2])
    server.run(transport)
