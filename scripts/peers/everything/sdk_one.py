"""The server on PyPI's `mcp` 1, which knows the older era alone."""

import contextlib

import anyio
from mcp import types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import McpError

import content
from conversation import Conversation


def refusal(words, code=types.INVALID_PARAMS, data=None):
    return McpError(types.ErrorData(code=code, message=words, data=data))


def conversation(made):
    ctx = made.request_context
    session, related = ctx.session, ctx.request_id

    async def ask(method, asked):
        if method == "elicitation/create":
            answer = await session.elicit_form(asked["message"], asked["requestedSchema"], related)
        elif method == "sampling/createMessage":
            messages = [types.SamplingMessage.model_validate(one) for one in asked["messages"]]
            answer = await session.create_message(messages, max_tokens=100, related_request_id=related)
        else:
            answer = await session.list_roots()
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def log(words):
        await session.send_log_message("info", words, related_request_id=related)

    async def report(done):
        token = ctx.meta and ctx.meta.progressToken
        if token is not None:
            await session.send_progress_notification(token, done, 100, str(done), related_request_id=str(related))

    return Conversation(log, report, ask)


def server():
    made = Server("everything", "1")

    def on(request, result):
        def register(handler):
            async def handle(asked):
                return types.ServerResult(result.model_validate(await handler(asked.params)))

            made.request_handlers[request] = handle

        return register

    def giving(request, result, found):
        async def handler(_params):
            return found

        on(request, result)(handler)

    @on(types.CallToolRequest, types.CallToolResult)
    async def call(params):
        touch = made.request_context.session.send_resource_updated
        result = await conversation(made).call(params.name, params.arguments or {}, touch)
        if result is None:
            raise refusal(f"unknown tool: {params.name}")
        return result

    @on(types.GetPromptRequest, types.GetPromptResult)
    async def get_prompt(params):
        result = await conversation(made).prompt(params.name, params.arguments)
        if result is None:
            raise refusal(f"unknown prompt: {params.name}")
        return result

    @on(types.ReadResourceRequest, types.ReadResourceResult)
    async def read(params):
        result = content.read(str(params.uri))
        if result is None:
            raise refusal("resource not found", -32002, {"uri": str(params.uri)})
        return result

    giving(types.ListToolsRequest, types.ListToolsResult, {"tools": content.tools()})
    giving(types.ListResourcesRequest, types.ListResourcesResult, {"resources": content.resources()})
    templates = {"resourceTemplates": [content.TEMPLATE]}
    giving(types.ListResourceTemplatesRequest, types.ListResourceTemplatesResult, templates)
    giving(types.ListPromptsRequest, types.ListPromptsResult, {"prompts": content.prompts()})
    giving(types.SubscribeRequest, types.EmptyResult, {})
    giving(types.UnsubscribeRequest, types.EmptyResult, {})
    giving(types.SetLevelRequest, types.EmptyResult, {})
    completion = {"completion": {"values": ["one", "two"], "total": 2, "hasMore": False}}
    giving(types.CompleteRequest, types.CompleteResult, completion)
    return made


def over_http(port):
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount

    hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )
    manager = StreamableHTTPSessionManager(server(), security_settings=security)

    @contextlib.asynccontextmanager
    async def lifespan(_app):
        async with manager.run():
            yield

    async def handle(scope, receive, send):
        await manager.handle_request(scope, receive, send)

    app = Starlette(routes=[Mount("/mcp", app=handle)], lifespan=lifespan)

    async def without_slash(scope, receive, send):
        # The suite asks for `/mcp`, which a mount would redirect.
        if scope["type"] == "http" and scope["path"] == "/mcp":
            scope = {**scope, "path": "/mcp/", "raw_path": b"/mcp/"}
        await app(scope, receive, send)

    uvicorn.run(without_slash, host="127.0.0.1", port=port, log_level="warning")


def over_stdio():
    from mcp.server.stdio import stdio_server

    async def run():
        made = server()
        async with stdio_server() as (reading, writing):
            options = made.create_initialization_options(NotificationOptions())
            await made.run(reading, writing, options)

    anyio.run(run)
