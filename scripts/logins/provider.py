"""A real identity provider with an MCP server behind it, in a process of their own: `provider.mjs`."""

import json
import os
import subprocess
import urllib.request

from person import HERE, Failed


def expect(what, is_so, seen):
    if not is_so:
        raise Failed(f"{what}; seen: {seen}")


class Provider:
    """The identity provider and the MCP server behind it, in a process of their own."""

    def __init__(self, *flags):
        command = [os.environ["NODE"], HERE / "provider.mjs", *flags]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        said = self.process.stdout.readline()
        if not said:
            raise Failed(f"the provider did not start: {self.process.stderr.read()}")
        self.addresses = json.loads(said)

    def control(self, verb):
        asked = urllib.request.Request(f"{self.addresses['issuer']}/control/{verb}", method="POST")
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)

    def count(self, path):
        return self.control("counted").get(path, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
