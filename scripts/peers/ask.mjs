// Asks a server one thing, in the older era, and prints the bytes of the result as they came:
//
//     node ask.mjs METHOD PARAMS URL TOKEN
//     node ask.mjs METHOD PARAMS -- COMMAND…
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [method, params, ...peer] = process.argv.slice(2);
const opening = JSON.stringify({
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "ask", version: "1" },
});
const messages = [
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${opening}}`,
  `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
  `{"jsonrpc":"2.0","id":2,"method":"${method}","params":${params}}`,
];

// The text of a member of an object; a parser would give it back in its own spelling.
function member(text, wanted) {
  let depth = 0;
  let key;
  let start;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '"') {
      const begin = at + 1;
      while (text[++at] !== '"') if (text[at] === "\\") at++;
      if (depth === 1 && start === undefined) key = text.slice(begin, at);
    } else if (depth === 1 && c === ":") {
      start = at + 1;
    } else if (depth === 1 && (c === "," || c === "}")) {
      if (key === wanted) return text.slice(start, at).trim();
      start = undefined;
    }
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
  }
  return undefined;
}

function finish(answer) {
  const result = member(answer, "result");
  if (result === undefined) console.error(`no result: ${answer}`);
  else console.log(result);
  process.exitCode = result === undefined ? 1 : 0;
}

async function overHttp(url, token) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  let text;
  for (const body of messages) {
    const response = await fetch(url, { method: "POST", headers, body });
    text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    headers["mcp-session-id"] ??= response.headers.get("mcp-session-id");
  }
  await fetch(url, { method: "DELETE", headers });
  if (text.startsWith("{")) return finish(text);
  const data = text.split("\n").filter((line) => line.startsWith("data: {"));
  return finish(data.map((line) => line.slice(6)).find((one) => JSON.parse(one).id === 2) ?? text);
}

function overStdio([program, ...args]) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => child.stdin.write(`${message}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method: asked } = JSON.parse(line);
    if (asked !== undefined) return;
    if (id === 1) messages.slice(1).forEach(send);
    if (id !== 2) return;
    finish(line);
    child.stdin.end();
  });
  send(messages[0]);
}

if (peer[0] === "--") overStdio(peer.slice(1));
else await overHttp(...peer);
