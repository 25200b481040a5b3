"""The server on PyPI's `mcp` 2, which serves both eras."""

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated

import content
from conversation import Conversation, Unsound

MODERN = "2026-07-28"
bus = InMemorySubscriptionBus()


def conversation(ctx, params):
    async def ask(method, asked):
        session, related = ctx.session, ctx.request_id
        if method == "elicitation/create":
            answer = await session.elicit_form(asked["message"], asked["requestedSchema"], related)
        elif method == "sampling/createMessage":
            messages = [types.SamplingMessage.model_validate(one) for one in asked["messages"]]
            answer = await session.create_message(messages, max_tokens=100, related_request_id=related)
        else:
            answer = await session.list_roots()
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def log(words):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)

    async def report(done):
        await ctx.session.report_progress(done, 100, str(done))

    if ctx.protocol_version < MODERN:
        return Conversation(log, report, ask)
    answers = {
        key: one if isinstance(one, dict) else one.model_dump(by_alias=True, mode="json", exclude_none=True)
        for key, one in (params.input_responses or {}).items()
    }
    can = ctx.session.client_capabilities
    can = can.model_dump(by_alias=True, exclude_none=True) if can else {}
    return Conversation(log, report, ask, True, answers, params.request_state, can)


def whole(result, kind):
    """The result as the SDK's own type, which brings what the era wants besides."""
    is_question = result.get("resultType") == "input_required"
    return (types.InputRequiredResult if is_question else kind).model_validate(result)


def needs(ctx, asked):
    """Refuses where the caller said that it cannot be asked this."""
    can = ctx.session.client_capabilities
    if asked == "test_missing_capability" and not (can and can.sampling is not None):
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(-32021, "sampling is needed", data)


async def call(ctx, params):
    async def touch(uri):
        if ctx.protocol_version < MODERN:
            await ctx.session.send_resource_updated(uri)
        else:
            await bus.publish(ResourceUpdated(uri=uri))

    needs(ctx, params.name)
    try:
        result = await conversation(ctx, params).call(params.name, params.arguments or {}, touch)
    except Unsound:
        raise MCPError(types.INVALID_PARAMS, "the request state is not ours") from None
    if result is None:
        raise MCPError(types.INVALID_PARAMS, f"unknown tool: {params.name}")
    return whole(result, types.CallToolResult)


async def get_prompt(ctx, params):
    result = await conversation(ctx, params).prompt(params.name, params.arguments)
    if result is None:
        raise MCPError(types.INVALID_PARAMS, f"unknown prompt: {params.name}")
    return whole(result, types.GetPromptResult)


async def read(_ctx, params):
    result = content.read(str(params.uri))
    if result is None:
        raise MCPError(types.INVALID_PARAMS, "resource not found", {"uri": str(params.uri)})
    return types.ReadResourceResult.model_validate(result)


def giving(kind, result):
    async def handler(_ctx, _params):
        return kind.model_validate(result)

    return handler


def server():
    templates = {"resourceTemplates": [content.TEMPLATE]}
    completion = {"completion": {"values": ["one", "two"], "total": 2, "hasMore": False}}
    return Server(
        "everything",
        version="1",
        on_list_tools=giving(types.ListToolsResult, {"tools": content.tools()}),
        on_call_tool=call,
        on_list_resources=giving(types.ListResourcesResult, {"resources": content.resources()}),
        on_list_resource_templates=giving(types.ListResourceTemplatesResult, templates),
        on_read_resource=read,
        on_subscribe_resource=giving(types.EmptyResult, {}),
        on_unsubscribe_resource=giving(types.EmptyResult, {}),
        on_subscriptions_listen=ListenHandler(bus),
        on_list_prompts=giving(types.ListPromptsResult, {"prompts": content.prompts()}),
        on_get_prompt=get_prompt,
        on_completion=giving(types.CompleteResult, completion),
        on_set_logging_level=giving(types.EmptyResult, {}),
    )


def over_http(port):
    import uvicorn

    uvicorn.run(server().streamable_http_app(), host="127.0.0.1", port=port, log_level="warning")


def over_stdio():
    from mcp.server.stdio import stdio_server

    async def run():
        made = server()
        async with stdio_server() as (reading, writing):
            await made.run(reading, writing, made.create_initialization_options())

    anyio.run(run)
