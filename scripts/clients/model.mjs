// A model that does as it is told, in as much of the Responses API as Codex needs and of the Gemini API
// as Gemini's command line needs:
//
//     node model.mjs [TOOL ARGUMENTS]
//
// Calls the tool whose name ends so, hyphens or not, once, then says "done". Prints its address, then a line of JSON for
// each thing it is asked: when, which tools it was offered, and what came of the call.
import http from "node:http";

const [tool, args = "{}"] = process.argv.slice(2);
let asked = false;

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const words = (part) => (typeof part === "string" ? part : JSON.stringify(part));

// What one client offers and what came back, and how it is answered.
const codex = {
  path: "/v1/responses",
  tools: ({ tools = [] }) =>
    tools.flatMap((one) => (one.tools ?? []).map(({ name }) => ({ namespace: one.name, name }))),
  result: ({ input }) => input.find((item) => item.type === "function_call_output")?.output,
  answer(response, call) {
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] };
    const item = call ? { type: "function_call", call_id: "call-1", arguments: args, ...call } : message;
    const send = (type, more) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
    send("response.created", { response: { id: "r" } });
    send("response.output_item.done", { output_index: 0, item });
    send("response.completed", { response: { id: "r", usage } });
    response.end();
  },
};
const gemini = {
  path: ":streamGenerateContent",
  tools: ({ tools = [] }) =>
    tools.flatMap((one) => one.functionDeclarations ?? []).map(({ name }) => ({ name })),
  result: ({ contents }) =>
    contents.flatMap(({ parts }) => parts).find((part) => part.functionResponse)?.functionResponse.response,
  answer(response, call) {
    const part = call ? { functionCall: { name: call.name, args: JSON.parse(args) } } : { text: "done" };
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    response.end(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`);
  },
};

const server = http.createServer(async (request, response) => {
  const at = Date.now() / 1000;
  let body = "";
  for await (const piece of request) body += piece;
  const dialect = [codex, gemini].find(({ path }) => request.url.includes(path));
  if (dialect === undefined) return response.writeHead(404).end();
  const said = JSON.parse(body);
  const tools = dialect.tools(said);
  const result = dialect.result(said);
  console.log(JSON.stringify({ at, tools: tools.map(({ name }) => name), result: result && words(result) }));
  const plain = (name) => name.replaceAll("-", "_");
  const isIt = ({ name }) => plain(name).endsWith(plain(tool));
  const call = asked || !tool ? undefined : tools.find(isIt);
  asked ||= call !== undefined;
  response.writeHead(200, { "content-type": "text/event-stream" });
  return dialect.answer(response, call);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
