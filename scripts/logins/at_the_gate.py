"""Clients that nobody here wrote log in to the gate itself, by what it publishes about its issuer: a real
identity provider, whose tokens the gate checks by its keys or by asking it."""

import json
import os
import re
import socket
import subprocess
import time
from contextlib import contextmanager

from follow_link import follow
from person import HANG, HERE, Person, Terminal
from provider import Provider, expect

# A link that is there to its end; it may stand in a sequence that makes it one.
LINK = re.compile(r"http://[^\s\x00-\x1f]*code_challenge=[^\s\x00-\x1f]*(?=[\s\x00-\x1f])")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def gate(provider, **more):
    """A gate that believes this provider; gives its endpoint."""
    port = free_port()
    oauth = {"issuer": provider.addresses["issuer"], "role_claim": "role"}
    # This provider grants nothing to who asks for nothing.
    oauth |= {"roles": {"developer": "*"}, "required_scopes": ["read"], **more}
    gateway = {"auth": "oauth", "public_url": f"http://127.0.0.1:{port}", "oauth": oauth}
    with Person(os.environ["TOOLGATE"], {}) as person:
        person.configure({}, gateway=gateway)
        (person.work / "notes.txt").write_text("what is in the notes\n")
        command = [person.toolgate, "serve", "--listen", f"127.0.0.1:{port}", "--json"]
        log = open(person.folder / "gate.txt", "w", encoding="utf-8")
        running = subprocess.Popen(
            command, **person.around(), stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            said = ""
            for line in running.stdout:
                said += line
                try:
                    endpoint = json.loads(said)["endpoint"]
                    break
                except ValueError:
                    continue
            else:
                complaint = (person.folder / "gate.txt").read_text()
                expect("the gate starts", False, said + complaint)
            yield person, endpoint
        finally:
            running.terminate()
            running.wait()
            log.close()


def sdk_client(endpoint, *tool):
    command = [os.environ["NODE"], HERE / "sdk_client.mjs", endpoint, *tool]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=HANG)
    expect("the client logs in", ran.returncode == 0, ran.stdout + ran.stderr)
    return json.loads(ran.stdout)


def inspector(person, endpoint):
    """The tools that the MCP Inspector lists, after a login by the link that it shows at its terminal."""
    program = f"{os.environ['PEERS']}/inspector/node_modules/.bin/mcp-inspector"
    back, listed = f"http://127.0.0.1:{free_port()}/oauth/callback", person.folder / "listed.json"
    command = [os.environ["NODE"], program, "--cli", endpoint, "--transport", "http"]
    command += ["--method", "tools/list", "--callback-url", back, "--output", listed]
    around = person.around()
    around["env"]["MCP_AUTO_OPEN_ENABLED"] = "false"
    terminal, is_followed = Terminal(command, **around), False
    while terminal.read():
        link = LINK.search(terminal.screen)
        if link and not is_followed:
            is_followed = True
            follow(link.group())
    expect("the Inspector logs in", is_followed and listed.exists(), terminal.screen)
    return [tool["name"] for tool in json.loads(listed.read_text())["tools"]]


def the_inspector_logs_in_to_the_gate():
    with Provider("--format", "jwt") as provider, gate(provider) as (person, endpoint):
        seen = inspector(person, endpoint)
        expect("it sees tools", seen, seen)


def a_client_logs_in_to_the_gate():
    with Provider("--format", "jwt") as provider, gate(provider) as (_, endpoint):
        seen = sdk_client(endpoint)
        expect("it was told to", seen["isTold"], seen)
        expect("it sees tools", seen["tools"], seen)
        provider.control("rotate")
        # For a key that it does not know, the gate asks once in half a minute.
        time.sleep(31)
        seen = sdk_client(endpoint)
        expect("under another key too", seen["tools"], seen)


def a_client_with_a_token_that_the_issuer_is_asked_about():
    known = {"client_id": "gate", "client_secret": "gate-secret"}
    with Provider() as provider, gate(provider, **known) as (_, endpoint):
        seen = sdk_client(endpoint)
        expect("it sees tools", seen["tools"], seen)
        asked = provider.count("/token/introspection")
        expect("the issuer was asked", asked > 0, provider.control("counted"))


AT_THE_GATE = [
    the_inspector_logs_in_to_the_gate,
    a_client_logs_in_to_the_gate,
    a_client_with_a_token_that_the_issuer_is_asked_about,
]
