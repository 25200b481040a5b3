// Does everything that a client can do with a server, on the official TypeScript SDK (v2):
//
//     SDK=FOLDER node sdk_client.mjs URL legacy|modern
//
// Prints what came of each, as JSON. Where a program stands in the place of the URL, it is started with
// the word `stdio`.
import { createRequire } from "node:module";

const sdk = createRequire(`${process.env.SDK}/package.json`);
const { Client, StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/client");
const { StdioClientTransport } = sdk("@modelcontextprotocol/client/stdio");
const [at, era] = process.argv.slice(2);
const isModern = era === "modern";
const WATCHED = "test://watched-resource";
const input = (tool) => `test_input_required_result_${tool}`;
const found = {};
const asked = [];
const logs = [];
let updated = () => {};

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
const mode = isModern ? { pin: "2026-07-28" } : "legacy";
const client = new Client({ name: "sdk-client", version: "1" }, { capabilities, versionNegotiation: { mode } });
client.setRequestHandler("elicitation/create", async ({ params }) => {
  asked.push(params.message);
  const [field] = Object.keys(params.requestedSchema.properties);
  return { action: "accept", content: { [field]: "Ada" } };
});
client.setRequestHandler("sampling/createMessage", async () => ({
  role: "assistant",
  model: "none",
  content: { type: "text", text: "Paris" },
}));
client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///a/root" }] }));
client.setNotificationHandler("notifications/message", ({ params }) => logs.push(params.data));
client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri));

const within = (promise, words) =>
  Promise.race([promise, new Promise((_, no) => setTimeout(() => no(new Error(words)), 20_000).unref())]);
const call = (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options);
const words = async (name, args, options) => (await call(name, args, options)).content[0].text;

async function attempt(title, does) {
  try {
    found[title] = await within(does(), "nothing came of it");
  } catch (error) {
    found[title] = `failed: ${error.message}`;
  }
}

async function logged(level) {
  logs.length = 0;
  const key = "io.modelcontextprotocol/logLevel";
  if (!isModern) await client.setLoggingLevel(level);
  const _meta = isModern ? { [key]: level } : undefined;
  await client.callTool({ name: "test_tool_with_logging", arguments: {}, _meta });
  return logs.length;
}

async function cancels() {
  const before = Number(await words("cancellations"));
  const ending = new AbortController();
  const options = { signal: ending.signal, onprogress: () => ending.abort() };
  await call("wait", {}, options).then(
    () => { throw new Error("it was not cancelled"); },
    () => {},
  );
  // The server hears of it a little later.
  for (let tries = 0; tries < 200; tries += 1) {
    if (Number(await words("cancellations")) > before) return "cancelled";
    await new Promise((go) => setTimeout(go, 50));
  }
  return "the server was not told";
}

async function watches() {
  const told = new Promise((resolve) => { updated = resolve; });
  const subscription = isModern
    ? await client.listen({ resourceSubscriptions: [WATCHED] })
    : await client.subscribeResource({ uri: WATCHED });
  // A change may come before a gate's own subscription is in force; then the next one is told.
  let uri;
  while (uri === undefined) {
    await call("touch");
    uri = await Promise.race([told, new Promise((go) => setTimeout(go, 2_000))]);
  }
  await (isModern ? subscription.close() : client.unsubscribeResource({ uri: WATCHED }));
  return uri;
}

const isProgram = !at.startsWith("http");
const transport = isProgram
  ? new StdioClientTransport({ command: at, args: ["stdio"] })
  : new StreamableHTTPClientTransport(new URL(at));
await client.connect(transport);
// Of progress that comes in one read with the answer this SDK tells its caller nothing, with any server
// over stdio: the answer is handled first. So what arrived is counted there.
const arrived = [];
const deliver = transport.onmessage;
transport.onmessage = (message, extra) => {
  if (message.method === "notifications/progress") arrived.push(message.params.progress);
  deliver(message, extra);
};
await attempt("list", async () => {
  const { tools } = await client.listTools();
  return tools.some(({ name }) => name === "test_simple_text") ? "listed" : "not listed";
});
await attempt("call", () => words("test_simple_text"));
await attempt("progress", async () => {
  const seen = [];
  arrived.length = 0;
  await call("test_tool_with_progress", {}, { onprogress: ({ progress }) => seen.push(progress) });
  return (isProgram ? arrived : seen).join(" ");
});
await attempt("elicitation", async () =>
  (await words(input("elicitation"))).includes("Ada") ? "answered" : "not answered",
);
await attempt("two questions", async () => {
  asked.length = 0;
  const said = await words(input("multi_round"));
  return `${said.includes("Ada") ? "answered" : "not answered"}, asked ${asked.length}`;
});
await attempt("sampling", async () => ((await words(input("sampling"))).includes("Paris") ? "answered" : "not answered"));
await attempt("roots", async () =>
  (await words(input("list_roots"))).includes("file:///a/root") ? "answered" : "not answered",
);
await attempt("read", async () => (await client.readResource({ uri: "test://static-text" })).contents[0].text);
await attempt("subscribe", watches);
await attempt("prompt", async () => (await client.getPrompt({ name: "test_simple_prompt" })).messages[0].content.text);
await attempt("cancel", cancels);
await attempt("log level", async () => `${await logged("debug")}, then ${await logged("error")}`);
await client.close();
console.log(JSON.stringify(found));
process.exit(0);
