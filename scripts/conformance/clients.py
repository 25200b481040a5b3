"""The official SDKs' own clients, through the gate to the official SDKs' own servers: over
HTTP, and with `toolgate stdio` as their child."""

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from suite import Failed

PEERS = Path(__file__).parent.parent.resolve() / "peers"
# All that a client does, and what comes of it where nothing is lost.
WANTED = {
    "list": "listed",
    "call": "This is a simple text response for testing.",
    "progress": "0 50 100",
    "elicitation": "answered",
    "two questions": "answered, asked 2",
    "sampling": "answered",
    "roots": "answered",
    "read": "This is the content of the static text resource.",
    "subscribe": "test://watched-resource",
    "prompt": "This is a simple prompt for testing.",
    "cancel": "cancelled",
    "log level": "3, then 0",
}
HANG = 200


@dataclass(frozen=True)
class SdkClient:
    name: str
    title: str
    era: str
    is_node: bool
    sdk: str
    # Whether it starts `toolgate stdio` as its child, at the same gate, instead of asking its URL.
    over_stdio: bool = False

    def words(self):
        """How it is listed in tables and files."""
        return f"{self.title}, {self.era}" + (", stdio" if self.over_stdio else "")

    def key(self):
        return f"{self.name}-{self.era}" + ("-stdio" if self.over_stdio else "")

    def run(self, programs, place, reach):
        """Does everything; gives what came of each."""
        folder = str(programs.peers / self.sdk)
        if self.is_node:
            command, variables = [programs.node, PEERS / "sdk_client.mjs"], {"SDK": folder}
        else:
            command, variables = [programs.python, PEERS / "sdk_client.py"], {"PYTHONPATH": folder}
        environment = {"PATH": programs.path, "PYTHONDONTWRITEBYTECODE": "1", **variables}
        if self.over_stdio:
            # Whose gate it is, a window is told by who starts it.
            environment |= {"HOME": str(place), "XDG_RUNTIME_DIR": reach.run}
        at = str(programs.toolgate) if self.over_stdio else reach.url
        ran = subprocess.run(
            [*command, at, self.era],
            cwd=place, env=environment, capture_output=True, text=True, timeout=HANG,
        )
        try:
            return json.loads(ran.stdout)
        except ValueError as error:
            raise Failed(f"{self.key()} at {at}: {ran.stdout}{ran.stderr}") from error


def all_clients():
    over_http = [
        SdkClient("typescript", "TypeScript, v2", "legacy", True, "typescript-sdk"),
        SdkClient("typescript", "TypeScript, v2", "modern", True, "typescript-sdk"),
        SdkClient("python-2", "Python, 2", "legacy", False, "mcp"),
        SdkClient("python-2", "Python, 2", "modern", False, "mcp"),
        SdkClient("python-1", "Python, 1", "legacy", False, "mcp-legacy"),
    ]
    return over_http + [replace(client, over_stdio=True) for client in over_http]


def use_all(programs, place, reach):
    """Every client, one after the other: some of what they do is seen by all."""
    return {client: client.run(programs, place, reach) for client in all_clients()}
