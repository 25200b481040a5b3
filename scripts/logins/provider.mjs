// A real identity provider (npm `oidc-provider`), and an MCP server that believes its tokens and no
// others, on the official TypeScript SDK:
//
//     PEERS=FOLDER node provider.mjs [--lasts SECONDS] [--format opaque|jwt] [--mute]
//
// FOLDER is where both are installed. Prints one line of JSON, with their addresses, once they listen.
// The provider registers whoever asks, knows the client `gate` with the secret `gate-secret` (it may
// introspect, and log in by itself), takes everybody's word for who they are, rotates refresh tokens, and
// has revocation, introspection and device authorization. With `--mute` the MCP server says nothing of
// its login. A POST to one of these does what it says, as nobody outside should be able to:
//
// | path | what |
// |---|---|
// | `/control/expire` | all access tokens are over |
// | `/control/revoke` | everything that was granted is over |
// | `/control/rotate` | tokens are signed by another key; the one before stays published |
// | `/control/drop` | the keys from before the last one are published no more |
// | `/control/hostile` | nobody is logged in any more: all are sent back with words that are HTML |
// | `/control/counted` | how often each endpoint was used, as JSON |
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Kept, forget } from "./kept.mjs";

const { values: flags } = parseArgs({
  options: {
    lasts: { type: "string", default: "3600" },
    format: { type: "string", default: "opaque" },
    mute: { type: "boolean", default: false },
  },
});
const [oidc, sdk] = ["oidc-provider", "typescript-sdk"].map((folder) =>
  createRequire(`${process.env.PEERS}/${folder}/package.json`),
);
const imported = async (name) => import(pathToFileURL(oidc.resolve(name)).href);
const { Provider } = await imported("oidc-provider");
const jose = await imported("jose");
const { McpServer, createMcpHandler } = sdk("@modelcontextprotocol/server");
const { toNodeHandler } = sdk("@modelcontextprotocol/node");
const { z } = sdk("zod");

const SCOPES = ["read", "write"];
const counted = {};
const keys = [];

async function addKey() {
  const { privateKey } = await jose.generateKeyPair("RS256", { extractable: true });
  const key = { ...(await jose.exportJWK(privateKey)), use: "sig", alg: "RS256" };
  // The first one signs.
  keys.unshift({ ...key, kid: `key-${keys.length + 1}-${Date.now()}` });
}

const listening = (handler) =>
  new Promise((resolve) => {
    const server = createServer(handler).listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${server.address().port}`),
    );
  });

let provider;
let answer;
let issuer;
let isHostile = false;

function start() {
  const lasts = Number(flags.lasts);
  provider = new Provider(issuer, {
    adapter: Kept,
    jwks: { keys },
    scopes: ["openid", "offline_access", ...SCOPES],
    clients: [
      {
        client_id: "gate",
        client_secret: "gate-secret",
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
      },
    ],
    cookies: { keys: ["of a test"] },
    ttl: { AccessToken: lasts, ClientCredentials: lasts },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed("refresh_token"),
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, role: "developer" }) }),
    extraTokenClaims: () => ({ role: "developer" }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES.join(" "),
          audience: resource,
          accessTokenTTL: lasts,
          accessTokenFormat: flags.format,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  provider.on("server_error", (_, error) => console.error(error));
  answer = provider.callback();
}

const control = {
  expire: async () => forget("AccessToken"),
  revoke: async () => forget("AccessToken", "RefreshToken", "AuthorizationCode", "Grant"),
  rotate: async () => {
    await addKey();
    start();
  },
  drop: async () => {
    keys.length = 1;
    start();
  },
  hostile: async () => {
    isHostile = true;
  },
  counted: async () => counted,
};

// Sends a browser back at once, with a no whose words are a page's.
function refuse(request, response) {
  const asked = new URL(request.url, issuer).searchParams;
  const back = new URL(asked.get("redirect_uri"));
  const words = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  back.search = new URLSearchParams({
    error: "access_denied",
    error_description: words,
    state: asked.get("state"),
    iss: issuer,
  });
  response.writeHead(303, { location: back.href }).end();
}

await addKey();
issuer = await listening(async (request, response) => {
  const { pathname } = new URL(request.url, issuer);
  const [, first, verb] = pathname.split("/");
  if (first === "control" && request.method === "POST" && control[verb]) {
    const said = await control[verb]();
    response.setHeader("content-type", "application/json").end(JSON.stringify(said ?? {}));
    return;
  }
  counted[pathname] = (counted[pathname] ?? 0) + 1;
  (isHostile && pathname === "/auth" ? refuse : answer)(request, response);
});
start();

// The MCP server behind it.
const published = "/.well-known/oauth-protected-resource/mcp";
let resource;

async function isKnown(bearer) {
  const token = bearer?.replace(/^Bearer /, "");
  if (!token) return false;
  if (flags.format === "opaque") {
    const found = await provider.AccessToken.find(token);
    return found?.isValid && found.aud === resource;
  }
  const { issuer: by, audience } = { issuer, audience: resource };
  const known = jose.createLocalJWKSet({ keys: keys.map(({ d, p, q, dp, dq, qi, ...rest }) => rest) });
  try {
    await jose.jwtVerify(token, known, { issuer: by, audience, typ: "at+jwt" });
    return true;
  } catch {
    return false;
  }
}

const mcp = () => {
  const server = new McpServer({ name: "behind a login", version: "1" });
  server.registerTool(
    "whoami",
    { inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    () => ({ content: [{ type: "text", text: "somebody who logged in" }] }),
  );
  return server;
};
const passed = toNodeHandler(createMcpHandler(mcp));

const origin = await listening(async (request, response) => {
  if (request.url === published && !flags.mute) {
    const about = { resource, authorization_servers: [issuer], scopes_supported: ["read"] };
    response.setHeader("content-type", "application/json").end(JSON.stringify(about));
  } else if (request.url.startsWith("/.well-known/")) {
    response.writeHead(404).end();
  } else if (await isKnown(request.headers.authorization)) {
    await passed(request, response);
  } else {
    const wanted = flags.mute ? "Bearer" : `Bearer resource_metadata="${origin}${published}"`;
    response.writeHead(401, { "www-authenticate": wanted }).end();
  }
});
resource = `${origin}/mcp`;
console.log(JSON.stringify({ issuer, mcp: resource }));
