// What a package runs when it is installed: it looks for what is none of its business, and writes down
// what it found.
const { readFileSync, writeFileSync, readdirSync } = require("fs");
const { connect } = require("net");
const [port, project, home, state] = process.argv.slice(2);
const tried = (look) => { try { return String(look()); } catch (error) { return `no: ${error.code}`; } };
const found = {
    project: tried(() => readFileSync(`${project}/canary`, "utf8")),
    home: tried(() => readFileSync(`${home}/canary`, "utf8")),
    npmrc: tried(() => readFileSync(`${home}/.npmrc`, "utf8")),
    state: tried(() => readdirSync(state).join(" ")),
    variables: JSON.stringify(process.env),
};
const socket = connect(Number(port), "127.0.0.1");
const end = (how) => {
    found.network = how;
    writeFileSync("found.json", JSON.stringify(found));
    process.exit(0);
};
socket.on("connect", () => end("connected"));
socket.on("error", (error) => end(`no: ${error.code}`));
