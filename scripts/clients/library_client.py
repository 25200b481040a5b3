"""A program that uses a client library: PyPI's `mcp`, or FastMCP, whichever it is told.

    python_client.py LIBRARY ORDER

The order is JSON: `servers`, each with `command` and `args` or with `url` and `token`, opened side by
side; `wanted`, the tools that must be there before anything is called, where lists that change are
asked for again; `call`, a tool with its arguments; `answer`, what a person does when asked: `action`,
`content`, and `after` how many seconds; `mode`, the era, where the library does not choose. Prints JSON: when the tools were there, what the call gave,
what the person was shown.
"""

import asyncio
import json
import sys
import time

library, order = sys.argv[1], json.loads(sys.argv[2])
shown = []


async def asked(message):
    """What a person does who is asked this."""
    shown.append(message)
    answer = order["answer"]
    await asyncio.sleep(answer.get("after", 0))
    return answer["action"], answer.get("content")


def with_mcp(server, on_message):
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp_types import ElicitResult

    async def elicit(_context, params):
        action, content = await asked(params.message)
        return ElicitResult(action=action, content=content)

    if "url" in server:
        headers = {"Authorization": f"Bearer {server['token']}"}
        http = httpx2.AsyncClient(headers=headers, timeout=60)
        transport = streamable_http_client(server["url"], http_client=http)
    else:
        parameters = StdioServerParameters(**server)
        transport = stdio_client(parameters, errlog=sys.stderr)
    callback = elicit if order.get("answer") else None
    handlers = {"elicitation_callback": callback, "message_handler": on_message}
    return Client(transport, mode=order.get("mode", "auto"), **handlers)


def with_fastmcp(server, on_message):
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    async def elicit(message, _kind, _params, _context):
        action, content = await asked(message)
        return ElicitResult(action=action, content=content)

    if "url" in server:
        headers = {"Authorization": f"Bearer {server['token']}"}
        transport = StreamableHttpTransport(server["url"], headers=headers)
    else:
        transport = StdioTransport(**server, keep_alive=False)
    handlers = {"elicitation_handler": elicit} if order.get("answer") else {}
    return Client(transport, mode=order.get("mode", "auto"), message_handler=on_message, **handlers)


async def main():
    said = {"tools": [], "first": None, "shown": shown}
    changed = asyncio.Event()

    async def on_message(message):
        if "list_changed" in str(getattr(getattr(message, "root", message), "method", "")):
            changed.set()

    opened, over = {}, asyncio.Event()
    make = {"mcp": with_mcp, "fastmcp": with_fastmcp}[library]

    async def hold(server, ready):
        # Opened and closed by one task, as the libraries want it.
        async with make(server, on_message) as client:
            ready.set_result(client)
            await over.wait()

    async def list_all():
        for client in clients:
            listed = await client.list_tools()
            for tool in getattr(listed, "tools", listed):
                opened[tool.name] = client
        return all(any(name.endswith(one) for name in opened) for one in order.get("wanted", []))

    ready = [asyncio.get_running_loop().create_future() for _ in order["servers"]]
    held = [asyncio.create_task(hold(*one)) for one in zip(order["servers"], ready)]
    try:
        await asyncio.wait([*ready, *held], return_when=asyncio.FIRST_COMPLETED)
        for task in held:
            if task.done():
                task.result()
        clients = await asyncio.gather(*ready)
        has_all = await list_all()
        said["first"] = sorted(opened)
        while not has_all:
            await asyncio.wait_for(changed.wait(), 30)
            changed.clear()
            has_all = await list_all()
        said["at"], said["tools"] = time.time(), sorted(opened)
        if call := order.get("call"):
            name = next(name for name in opened if name.endswith(call["tool"]))
            arguments = call.get("arguments", {})
            options = {"raise_on_error": False} if library == "fastmcp" else {}
            try:
                result = await opened[name].call_tool(name, arguments, **options)
                texts = [part.text for part in result.content if hasattr(part, "text")]
                structured = getattr(result, "structured_content", None)
                is_error = getattr(result, "is_error", None)
                said["result"] = {"text": "".join(texts), "error": is_error, "structured": structured}
            except Exception as error:  # whatever the library makes of it is what is wanted
                said["result"] = {"text": str(error), "error": True}
        print(json.dumps(said))
    finally:
        over.set()
        await asyncio.wait(held, timeout=10)


asyncio.run(main())
