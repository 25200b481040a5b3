"""The clients, each driven as its users do: over the gate's standard streams, over HTTP, or straight to
the servers."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from person import Desk, Failed

HERE = Path(__file__).parent


@dataclass
class Seen:
    """What a client, or the model behind it, got to see."""

    seconds: float
    tools: list
    text: str = ""
    is_error: bool = False
    shown: list = field(default_factory=list)


@dataclass
class Errand:
    """What is wanted of a client: tools that must be there, a call, and how its user answers."""

    wanted: tuple = ()
    tool: str = ""
    arguments: dict = field(default_factory=dict)
    answer: dict | None = None
    # For a library: the older era, where it would take the modern one by itself.
    is_older: bool = False


def reach(person, way, servers, client):
    """How a client reaches its servers: names, each with a command or a URL."""
    if way == "direct":
        return {name: {"command": one[0], "args": one[1:]} for name, one in servers.items()}
    if way == "stdio":
        return {"gate": {"command": str(person.programs.toolgate), "args": ["stdio", "--client", client]}}
    return {"gate": {"token": person.token(client), "url": person.open_gate()}}


class Library:
    """A program on a client library from PyPI."""

    answers = True

    def __init__(self, name, library):
        self.name, self.library = name, library

    def run(self, person, way, servers, errand):
        # A program of somebody's own gives no name: the library's is what the gate hears.
        reached = reach(person, way, servers, "mcp").values()
        runtime = {"XDG_RUNTIME_DIR": str(person.run)}
        reached = [one if "url" in one else {**one, "env": runtime} for one in reached]
        order = {"servers": reached, "wanted": errand.wanted}
        if errand.tool:
            order["call"] = {"tool": errand.tool, "arguments": errand.arguments}
        if errand.is_older:
            order["mode"] = "legacy"
        if errand.answer:
            order["answer"] = errand.answer
        programs = person.programs
        command = [programs.python, HERE / "library_client.py", self.library, json.dumps(order)]
        desk = Desk(person, command, {"PYTHONPATH": programs.peers / self.library})
        said = json.loads(desk.ended())
        result = said.get("result") or {"text": "", "error": False}
        is_error = bool(result["error"])
        return Seen(said["at"] - desk.began, said["first"], result["text"], is_error, said["shown"])


class Inspector:
    """The Inspector's command line: one method, then it ends. It speaks to one server."""

    name, answers = "Inspector", False

    def run(self, person, way, servers, errand):
        reached = next(iter(reach(person, way, servers, "inspector-cli").values()))
        method = ["--method", "tools/list"]
        if errand.tool:
            method = ["--method", "tools/call", "--tool-name", errand.tool]
            for name, value in errand.arguments.items():
                method += ["--tool-arg", f"{name}={value}"]
        if "url" in reached:
            token = f"Authorization: Bearer {reached['token']}"
            to = [reached["url"], "--transport", "http", "--header", token]
        else:
            to = ["-e", f"XDG_RUNTIME_DIR={person.run}", reached["command"], *reached["args"]]
        programs = person.programs
        desk = Desk(person, [programs.node, programs.npm("inspector", "mcp-inspector"), "--cli", *to, *method])
        try:
            said = json.loads(desk.ended())
        except Failed as error:
            if errand.tool:
                return Seen(0, [], str(error), True)
            raise
        seconds = desk.out.stat().st_mtime - desk.began
        texts = "".join(part.get("text", "") for part in said.get("content", []))
        tools = [tool["name"] for tool in said.get("tools", [])]
        return Seen(seconds, tools, texts, bool(said.get("isError")))


class WithModel:
    """A client that works for a model."""

    answers = False

    def run(self, person, way, servers, errand):
        programs = person.programs
        told = [errand.tool, json.dumps(errand.arguments)] if errand.tool else []
        model = subprocess.Popen(
            [programs.node, HERE / "model.mjs", *told], stdout=subprocess.PIPE, text=True
        )
        try:
            address = model.stdout.readline().strip()
            reached = reach(person, way, servers, self.client)
            desk = Desk(person, *self.command(person, address, reached))
            desk.ended()
        finally:
            model.terminate()
        asked = [json.loads(line) for line in model.stdout.read().splitlines()]
        if not asked:
            raise Failed("the model was not asked anything")
        results = [one["result"] for one in asked if one.get("result")]
        text = results[0] if results else ""
        return Seen(asked[0]["at"] - desk.began, asked[0]["tools"], text)


class Codex(WithModel):
    name, client = "Codex", "codex"

    def command(self, person, address, reached):
        entries = "".join(self.entry(*one) for one in reached.items())
        folder = person.folder / "codex"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(
            f"""model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
{entries}"""
        )
        token = next((one["token"] for one in reached.values() if "token" in one), "")
        program = person.programs.npm("codex-exec", "codex")
        flags = ["exec", "--skip-git-repo-check", "--ephemeral", "--json", "go"]
        variables = {"CODEX_HOME": folder, "GATE_TOKEN": token}
        return [person.programs.node, program, *flags], variables

    @staticmethod
    def entry(name, reached):
        text = f'[mcp_servers.{name}]\ndefault_tools_approval_mode = "approve"\n'
        if "url" in reached:
            return text + f'url = "{reached["url"]}"\nbearer_token_env_var = "GATE_TOKEN"\n'
        args = json.dumps([str(word) for word in reached["args"]])
        command = f'command = "{reached["command"]}"\nargs = {args}\n'
        return text + command + 'env_vars = ["XDG_RUNTIME_DIR"]\n'


class Gemini(WithModel):
    name, client = "Gemini CLI", "gemini"

    def command(self, person, address, reached):
        entries = {name: self.entry(one) for name, one in reached.items()}
        auth = {"auth": {"selectedType": "gemini-api-key"}}
        folder = person.home / ".gemini"
        folder.mkdir(exist_ok=True)
        settings = {"security": auth, "mcpServers": entries}
        (folder / "settings.json").write_text(json.dumps(settings))
        program = person.programs.npm("gemini", "gemini")
        flags = ["-p", "go", "--output-format", "json", "-m", "gemini-2.5-flash"]
        variables = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        return [person.programs.node, program, *flags], variables

    @staticmethod
    def entry(reached):
        if "url" in reached:
            headers = {"Authorization": f"Bearer {reached['token']}"}
            return {"httpUrl": reached["url"], "headers": headers, "trust": True}
        args = [str(word) for word in reached["args"]]
        environment = {"XDG_RUNTIME_DIR": "$XDG_RUNTIME_DIR"}
        return {"command": str(reached["command"]), "args": args, "env": environment, "trust": True}


CLIENTS = [
    Codex(),
    Gemini(),
    Inspector(),
    Library("Python SDK", "mcp"),
    Library("FastMCP", "fastmcp"),
]
