// A model that does as it is told, in just as much of the Responses API as Codex needs:
//
//     node model.mjs NAMESPACE TOOL ARGUMENTS   calls that tool, then says "done"
//     node model.mjs                            says back what it was told last
//
// Prints its address. A request that does not offer the tool fails, so that a list which never came
// to the model is not taken for one that did.
import http from "node:http";

const [namespace, name, args] = process.argv.slice(2);
const call = { type: "function_call", call_id: "call-1", namespace, name, arguments: args };
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const says = (text) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

const isOffered = (tools = []) =>
  tools.some((one) => one.name === namespace && one.tools?.some((tool) => tool.name === name));

function answer({ input, tools }) {
  if (namespace === undefined) {
    const words = input.filter((item) => item.role === "user").at(-1).content;
    return says(words.map((part) => part.text).join(""));
  }
  if (input.some((item) => item.type === "function_call_output")) return says("done");
  return isOffered(tools) ? call : undefined;
}

const server = http.createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  if (request.method !== "POST" || request.url !== "/v1/responses") {
    response.writeHead(404).end();
    return;
  }
  const item = answer(JSON.parse(body));
  if (item === undefined) {
    response.writeHead(400).end(`no ${name} of ${namespace} was offered`);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, more) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  send("response.created", { response: { id: "r" } });
  send("response.output_item.done", { output_index: 0, item });
  send("response.completed", { response: { id: "r", usage } });
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
