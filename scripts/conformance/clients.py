"""The official SDKs' own clients, through the gate to the official SDKs' own servers."""

import json
import subprocess
from dataclasses import dataclass
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

    def run(self, programs, url):
        """Does everything; gives what came of each."""
        folder = str(programs.peers / self.sdk)
        if self.is_node:
            command, variables = [programs.node, PEERS / "sdk_client.mjs"], {"SDK": folder}
        else:
            command, variables = [programs.python, PEERS / "sdk_client.py"], {"PYTHONPATH": folder}
        environment = {"PATH": programs.path, "PYTHONDONTWRITEBYTECODE": "1", **variables}
        ran = subprocess.run(
            [*command, url, self.era], env=environment, capture_output=True, text=True, timeout=HANG
        )
        try:
            return json.loads(ran.stdout)
        except ValueError as error:
            raise Failed(f"{self.name} {self.era} at {url}: {ran.stdout}{ran.stderr}") from error


def all_clients():
    return [
        SdkClient("typescript", "TypeScript, v2", "legacy", True, "typescript-sdk"),
        SdkClient("typescript", "TypeScript, v2", "modern", True, "typescript-sdk"),
        SdkClient("python-2", "Python, 2", "legacy", False, "mcp"),
        SdkClient("python-2", "Python, 2", "modern", False, "mcp"),
        SdkClient("python-1", "Python, 1", "legacy", False, "mcp-legacy"),
    ]


def use_all(programs, url):
    """Every client, one after the other: some of what they do is seen by all."""
    return {client: client.run(programs, url) for client in all_clients()}
