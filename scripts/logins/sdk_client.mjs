// A client as agents have one, on the official TypeScript SDK (v2): finds out by a server's own metadata
// where to log in, registers itself, logs in, lists the tools, and calls the one that is named.
//
//     PEERS=FOLDER node sdk_client.mjs URL [TOOL]
//
// Everything of OAuth is the SDK's; the browser is `follow_link.py`. Prints JSON.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [url, tool] = process.argv.slice(2);
const sdk = createRequire(`${process.env.PEERS}/typescript-sdk/package.json`);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = sdk("@modelcontextprotocol/client");

// Where the browser comes back to.
let answered;
const answer = new Promise((resolve) => (answered = resolve));
const listener = createServer((request, response) => {
  answered(new URL(request.url, "http://localhost").searchParams);
  response.end("done");
});
await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

const known = {};
const folder = mkdtempSync(join(tmpdir(), "sdk-client-"));
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: "sdk-client",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  clientInformation: () => known.client,
  saveClientInformation: (client) => (known.client = client),
  tokens: () => known.tokens,
  saveTokens: (tokens) => (known.tokens = tokens),
  codeVerifier: () => known.verifier,
  saveCodeVerifier: (verifier) => (known.verifier = verifier),
  redirectToAuthorization: (link) => {
    const script = fileURLToPath(new URL("follow_link.py", import.meta.url));
    known.browser = spawn("python3", [script, join(folder, "seen"), link.href], { stdio: "ignore" });
  },
};

const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const client = () => new Client({ name: "sdk-client", version: "1" });
let connected = client();
let isTold = false;
try {
  await connected.connect(transport());
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  isTold = true;
  const back = await answer;
  if (!back.has("code")) throw new Error(`the issuer said no: ${back}`);
  const finishing = transport();
  await finishing.finishAuth(back.get("code"), back.get("iss") ?? undefined);
  connected = client();
  await connected.connect(transport());
}
const { tools } = await connected.listTools();
const said = tool ? (await connected.callTool({ name: tool, arguments: {} })).content[0].text : undefined;
await connected.close();
listener.close();
if (known.browser && known.browser.exitCode === null)
  await new Promise((resolve) => known.browser.on("exit", resolve));
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ isTold, scope: known.tokens?.scope, tools: tools.map(({ name }) => name), said }));
process.exit(0);
