// What the conformance suite wants of a server, on the official TypeScript SDK (v2), written once for
// both eras as the SDK wants it:
//
//     SDK=FOLDER node everything.mjs PORT     both eras at http://127.0.0.1:PORT/mcp
//     SDK=FOLDER node everything.mjs          both on the standard streams
//
// FOLDER is where the SDK is installed.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const sdk = createRequire(`${process.env.SDK}/package.json`);
const {
  InMemoryServerEventBus,
  McpServer,
  ResourceTemplate,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  isLegacyRequest,
} = sdk("@modelcontextprotocol/server");
const { z } = sdk("zod");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const text = (words) => ({ type: "text", text: words });
const image = { type: "image", mimeType: "image/png", data: PIXEL };
const audio = { type: "audio", mimeType: "audio/wav", data: SILENCE };
const embedded = (uri, mimeType, words) => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
});
const bus = new InMemoryServerEventBus();
const states = createRequestStateCodec({ key: "a key of thirty-two bytes or more, for tests" });

// Questions, as both eras have them.
const form = (message, properties, required = []) => {
  const requestedSchema = { type: "object", properties, required };
  return inputRequired.elicit({ mode: "form", message, requestedSchema });
};
const name = () => form("What is your name?", { name: { type: "string" } }, ["name"]);
const consent = () => form("Please confirm", { ok: { type: "boolean" } }, ["ok"]);
const sample = (words) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: text(words) }],
    maxTokens: 100,
  });
const choices = ["option1", "option2", "option3"];
const titled = ["First Option", "Second Option", "Third Option"].map((title, at) => ({
  const: `value${at + 1}`,
  title,
}));
const defaults = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const enums = {
  untitledSingle: { type: "string", enum: choices },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: choices } },
  titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled } },
};

// A tool that asks: `rounds` are the questions of each round, each made of the arguments.
const asking = (rounds, says, isStateful = false) => async (args, context) => {
  const state = context.mcpReq.requestState() ?? { round: 0 };
  const answers = context.mcpReq.inputResponses ?? {};
  const questions = rounds[state.round](args, context);
  const isAnswered = Object.keys(questions).every((key) => typeof answers[key] === "object");
  const next = isAnswered ? state.round + 1 : state.round;
  if (isAnswered && next === rounds.length) return { content: [text(says(answers))] };
  const requestState =
    isStateful || rounds.length > 1 ? await states.mint({ round: next }, context) : undefined;
  return inputRequired({ inputRequests: isAnswered ? rounds[next](args, context) : questions, requestState });
};
const first = (answers) => Object.values(answers)[0];
const chosen = (answers) =>
  `action=${first(answers).action}, content=${JSON.stringify(first(answers).content)}`;
const said = (answers) => first(answers).content.text;

// As servers do that were there before the modern era: it works in the older one alone.
const pushing = (question) => async (args, context) => {
  const [message, properties, required] = question(args);
  const requestedSchema = { type: "object", properties, required };
  const answer = await context.mcpReq.elicitInput({ mode: "form", message, requestedSchema });
  return { content: [text(`User response: ${chosen({ it: answer })}`)] };
};

// Only what the client of this request can do.
const possible = (_args, context) => {
  const key = "io.modelcontextprotocol/clientCapabilities";
  const can = context.mcpReq.envelope?.[key] ?? { sampling: {} };
  return can.elicitation ? { name: name() } : { ask: sample("What is the capital of France?") };
};

const logs = async (_args, context) => {
  for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await context.mcpReq.log("info", words);
  }
  return { content: [text("Tool with logging executed successfully")] };
};

const progresses = async (_args, context) => {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `${progress}` };
    await context.mcpReq.notify({ method: "notifications/progress", params });
  }
  return { content: [text(String(progressToken))] };
};

// Reports once that it has begun, then waits to be cancelled.
let cancellations = 0;
const waits = async (_args, context) => {
  const progressToken = context.mcpReq._meta?.progressToken;
  const ended = new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve));
  if (progressToken !== undefined) {
    const params = { progressToken, progress: 1 };
    await context.mcpReq.notify({ method: "notifications/progress", params });
  }
  await ended;
  cancellations += 1;
  return { content: [text("cancelled")] };
};

const says = (...content) => async () => ({ content });
const capital = () => ({ capital_question: sample("What is the capital of France?") });
const multiple = () => ({
  user_name: name(),
  greeting: sample("Generate a greeting"),
  client_roots: inputRequired.listRoots(),
});
const colour = () => form("What is your favorite color?", { color: { type: "string" } }, ["color"]);
const input = (tool) => `test_input_required_result_${tool}`;

const TOOLS = {
  test_simple_text: [says(text("This is a simple text response for testing."))],
  test_image_content: [says(image)],
  test_audio_content: [says(audio)],
  test_embedded_resource: [
    says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  ],
  test_multiple_content_types: [
    says(
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  ],
  test_tool_with_logging: [logs],
  test_tool_with_progress: [progresses],
  test_error_handling: [
    async () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  ],
  test_logging_tool: [logs],
  wait: [waits],
  cancellations: [async () => ({ content: [text(String(cancellations))] })],
  test_sampling: [
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: "user", content: text(prompt) }];
      const answer = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return { content: [text(`LLM response: ${answer.content.text}`)] };
    },
    z.object({ prompt: z.string() }),
  ],
  test_elicitation: [
    pushing(({ message }) => [message, { response: { type: "string" } }, ["response"]]),
    z.object({ message: z.string() }),
  ],
  test_elicitation_sep1034_defaults: [pushing(() => ["Please check", defaults, []])],
  test_elicitation_sep1330_enums: [pushing(() => ["Please choose", enums, []])],
  test_missing_capability: [asking([capital], said)],
  test_streaming_elicitation: [asking([() => ({ user_name: name() })], chosen)],
  [input("elicitation")]: [asking([() => ({ user_name: name() })], chosen)],
  [input("sampling")]: [asking([capital], said)],
  [input("list_roots")]: [
    asking([() => ({ client_roots: inputRequired.listRoots() })], (it) => JSON.stringify(first(it))),
  ],
  [input("request_state")]: [asking([() => ({ confirm: consent() })], () => "state-ok", true)],
  [input("tampered_state")]: [asking([() => ({ confirm: consent() })], () => "state-ok", true)],
  [input("multiple_inputs")]: [asking([multiple], () => "all of them", true)],
  [input("multi_round")]: [asking([() => ({ step1: name() }), () => ({ step2: colour() })], chosen)],
  [input("capabilities")]: [asking([possible], () => "as you can")],
};

const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function make() {
  const capabilities = {
    logging: {},
    completions: {},
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
  };
  const options = { capabilities, requestState: { verify: states.verify } };
  const server = new McpServer({ name: "everything", version: "1" }, options);
  for (const [tool, [call, inputSchema = z.object({})]] of Object.entries(TOOLS)) {
    server.registerTool(tool, { description: tool, inputSchema }, call);
  }
  const schema = { description: "schema", inputSchema: fromJsonSchema(SCHEMA) };
  server.registerTool("json_schema_2020_12_tool", schema, says(text("called")));
  server.registerTool("touch", { description: "touch", inputSchema: z.object({}) }, async (_args, context) => {
    const uri = "test://watched-resource";
    if (context.mcpReq.envelope) bus.publish({ kind: "resource_updated", uri });
    else await server.server.sendResourceUpdated({ uri });
    return { content: [text("touched")] };
  });
  resources(server);
  prompts(server);
  server.server.setRequestHandler("resources/subscribe", async () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", async () => ({}));
  return server;
}

function resources(server) {
  const fixed = (path, mimeType, contents) => {
    const read = async (uri) => ({ contents: [{ uri: uri.href, mimeType, ...contents }] });
    server.registerResource(path, `test://${path}`, { mimeType }, read);
  };
  fixed("static-text", "text/plain", { text: "This is the content of the static text resource." });
  fixed("static-binary", "image/png", { blob: PIXEL });
  fixed("watched-resource", "text/plain", { text: "Watched resource content" });
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const read = async (uri, { id }) => {
    const words = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri: uri.href, mimeType: "application/json", text: words }] };
  };
  server.registerResource("template", template, { mimeType: "application/json" }, read);
}

function prompts(server) {
  const prompt = (title, argsSchema, get) =>
    server.registerPrompt(title, { description: title, ...(argsSchema && { argsSchema }) }, get);
  const messages = (...contents) => ({ messages: contents.map((content) => ({ role: "user", content })) });
  prompt("test_simple_prompt", undefined, async () => messages(text("This is a simple prompt for testing.")));
  const hinted = () => completable(z.string(), (value) => [`${value}-one`, `${value}-two`]);
  prompt("test_prompt_with_arguments", z.object({ arg1: hinted(), arg2: hinted() }), async (it) =>
    messages(text(`Prompt with arguments: arg1='${it.arg1}', arg2='${it.arg2}'`)),
  );
  prompt("test_prompt_with_embedded_resource", z.object({ resourceUri: z.string() }), async (it) =>
    messages(
      embedded(it.resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ),
  );
  prompt("test_prompt_with_image", undefined, async () =>
    messages(image, text("Please analyze the image above.")),
  );
  prompt(input("prompt"), undefined, async (context) => {
    const answer = context.mcpReq.inputResponses?.user_context;
    if (answer) return messages(text(JSON.stringify(answer)));
    const question = form("What context should the prompt use?", { context: { type: "string" } }, ["context"]);
    return inputRequired({ inputRequests: { user_context: question } });
  });
}

async function overHttp(port) {
  const {
    NodeStreamableHTTPServerTransport,
    localhostHostValidation,
    localhostOriginValidation,
    toNodeHandler,
    toWebRequest,
  } = sdk("@modelcontextprotocol/node");
  const modern = toNodeHandler(createMcpHandler(make, { legacy: "reject", bus }));
  const [isHost, isOrigin] = [localhostHostValidation(), localhostOriginValidation()];
  const sessions = new Map();

  async function legacy(request, response, body) {
    const id = request.headers["mcp-session-id"];
    if (id !== undefined) {
      if (!sessions.has(id)) return response.writeHead(404).end();
      return sessions.get(id).handleRequest(request, response, body);
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => sessions.set(session, transport),
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await make().connect(transport);
    return transport.handleRequest(request, response, body);
  }

  const server = createServer(async (request, response) => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    let sent = "";
    for await (const piece of request) sent += piece;
    let body;
    try {
      body = sent === "" ? undefined : JSON.parse(sent);
    } catch {
      response.writeHead(400).end();
      return;
    }
    const isLegacy = await isLegacyRequest(await toWebRequest(request, body), body);
    await (isLegacy ? legacy : modern)(request, response, body);
  });
  server.listen(port, "127.0.0.1");
}

const port = process.argv[2];
if (port === undefined) sdk("@modelcontextprotocol/server/stdio").serveStdio(make);
else await overHttp(Number(port));
