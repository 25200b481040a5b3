// Prints what a server calls itself: node server-info.mjs URL REVISION
const [url, revision] = process.argv.slice(2);
const modern = revision >= "2026-07-28";
const key = (name) => `io.modelcontextprotocol/${name}`;
const meta = { [key("protocolVersion")]: revision, [key("clientCapabilities")]: {} };
const client = { name: "server-info", version: "1" };
const message = modern
  ? { method: "server/discover", params: { _meta: meta } }
  : {
      method: "initialize",
      params: { protocolVersion: revision, capabilities: {}, clientInfo: client },
    };
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
if (modern) {
  headers["mcp-protocol-version"] = revision;
  headers["mcp-method"] = message.method;
}
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
const answer = await (await fetch(url, { method: "POST", headers, body })).json();
const info = modern ? answer.result._meta[key("serverInfo")] : answer.result.serverInfo;
console.log(info.name);
