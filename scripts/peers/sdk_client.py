"""Does everything that a client can do with a server, on whichever version of PyPI's `mcp` is in the
path. Prints what came of each, as JSON.

    python3 sdk_client.py URL legacy|modern

Where a program stands in the place of the URL, it is started with the word `stdio`.
"""

import importlib.util
import json
import sys
import warnings

import anyio

warnings.simplefilter("ignore")
at, era = sys.argv[1:]
is_program = not at.startswith("http")
is_modern = era == "modern"
is_second = importlib.util.find_spec("mcp_types") is not None
if is_second:
    import mcp_types as types
else:
    from mcp import types

WATCHED = "test://watched-resource"
LEVEL = "io.modelcontextprotocol/logLevel"
found, asked, logs = {}, [], []
touched = anyio.Event()


async def elicit(_context, params):
    asked.append(params.message)
    schema = params.requested_schema if is_second else params.requestedSchema
    field = next(iter(schema["properties"]))
    return types.ElicitResult(action="accept", content={field: "Ada"})


async def sample(_context, _params):
    content = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", model="none", content=content)


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///a/root")])


async def on_log(params):
    logs.append(params.data)


async def on_message(message):
    if "resources/updated" in str(getattr(getattr(message, "root", message), "method", "")):
        touched.set()


HANDLERS = {
    "elicitation_callback": elicit,
    "sampling_callback": sample,
    "list_roots_callback": roots,
    "logging_callback": on_log,
    "message_handler": on_message,
}


async def words(client, name, **options):
    return (await client.call_tool(name, {}, **options)).content[0].text


def answered(said, word):
    return "answered" if word in said else "not answered"


async def lists(client):
    names = [tool.name for tool in (await client.list_tools()).tools]
    return "listed" if "test_simple_text" in names else "not listed"


async def progresses(client):
    seen = []

    async def on_progress(done, _total, _message):
        seen.append(f"{done:g}")

    await words(client, "test_tool_with_progress", progress_callback=on_progress)
    return " ".join(seen)


async def asks_twice(client):
    asked.clear()
    said = await words(client, "test_input_required_result_multi_round")
    return f"{answered(said, 'Ada')}, asked {len(asked)}"


async def touches(client):
    """Until it is told: a change may come before a gate's own subscription is in force."""
    while not touched.is_set():
        await words(client, "touch")
        with anyio.move_on_after(2):
            await touched.wait()


async def watches(client):
    if not is_modern:
        await client.subscribe_resource(WATCHED)
        await touches(client)
        await client.unsubscribe_resource(WATCHED)
        return WATCHED
    async with client.listen(resource_subscriptions=[WATCHED]) as events:
        async with anyio.create_task_group() as group:
            group.start_soon(touches, client)
            async for event in events:
                touched.set()
                return str(event.uri)


async def cancels(client):
    before = int(await words(client, "cancellations"))
    async with anyio.create_task_group() as group:

        async def begun(*_):
            if is_second:
                group.cancel_scope.cancel()
            else:
                # This version has no way to cancel but to say so.
                number = client._request_id - 1
                params = types.CancelledNotificationParams(requestId=number)
                await client.send_notification(
                    types.ClientNotification(
                        types.CancelledNotification(method="notifications/cancelled", params=params)
                    )
                )
                group.cancel_scope.cancel()

        async def waits():
            await words(client, "wait", progress_callback=begun)

        group.start_soon(waits)
    # The server hears of it a little later.
    for _ in range(200):
        if int(await words(client, "cancellations")) > before:
            return "cancelled"
        await anyio.sleep(0.05)
    return "the server was not told"


async def logged(client, level):
    logs.clear()
    options = {}
    if is_modern:
        options["meta"] = {LEVEL: level}
    else:
        await client.set_logging_level(level)
    await words(client, "test_tool_with_logging", **options)
    return len(logs)


async def levels(client):
    return f"{await logged(client, 'debug')}, then {await logged(client, 'error')}"


async def does_all(client):
    async def asks(tool, word):
        return answered(await words(client, f"test_input_required_result_{tool}"), word)

    async def reads():
        return (await client.read_resource("test://static-text")).contents[0].text

    async def prompts():
        return (await client.get_prompt("test_simple_prompt")).messages[0].content.text

    steps = {
        "list": lambda: lists(client),
        "call": lambda: words(client, "test_simple_text"),
        "progress": lambda: progresses(client),
        "elicitation": lambda: asks("elicitation", "Ada"),
        "two questions": lambda: asks_twice(client),
        "sampling": lambda: asks("sampling", "Paris"),
        "roots": lambda: asks("list_roots", "file:///a/root"),
        "read": reads,
        "subscribe": lambda: watches(client),
        "prompt": prompts,
        "cancel": lambda: cancels(client),
        "log level": lambda: levels(client),
    }
    for title, step in steps.items():
        try:
            with anyio.fail_after(20):
                found[title] = await step()
        except Exception as error:  # whatever the SDK makes of it is what is wanted
            found[title] = f"failed: {error!r}"


def program():
    from mcp import StdioServerParameters

    return StdioServerParameters(command=at, args=["stdio"])


async def main():
    if is_second:
        from mcp import Client

        mode = "2026-07-28" if is_modern else "legacy"
        async with Client(program() if is_program else at, mode=mode, **HANDLERS) as client:
            await does_all(client)
    else:
        from mcp import ClientSession
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamablehttp_client

        opened = stdio_client(program()) if is_program else streamablehttp_client(at)
        async with opened as (reading, writing, *_):
            async with ClientSession(reading, writing, **HANDLERS) as session:
                await session.initialize()
                await does_all(session)
    print(json.dumps(found))


anyio.run(main)
