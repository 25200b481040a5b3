#!/usr/bin/env node
// A server in one file: it counts beside its own code, spoils that code, and tells its variables.
const { appendFileSync, readFileSync, writeFileSync } = require("fs");
const beside = `${__dirname}/count`;
const tools = {
    count: () => (appendFileSync(beside, "1"), readFileSync(beside, "utf8")),
    spoil: () => (writeFileSync(__filename, "spoilt"), "spoilt"),
    tell: () => JSON.stringify({ home: process.env.HOME, own: process.env.OWN, argv: process.argv.slice(2) }),
};
const text = (it) => ({ content: [{ type: "text", text: it }] });
const answers = {
    initialize: () => ({
        protocolVersion: "2025-11-25", capabilities: { tools: {} },
        serverInfo: { name: "thing", version: "VERSION" },
    }),
    "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) }),
    "tools/call": ({ name }) => text(tools[name]()),
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method];
    const said = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
});
