"""The official suite: what it asks for, one run of it, and what came of each scenario."""

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

LEGACY, MODERN = "2025-11-25", "2026-07-28"
# How well a check went; what is not listed says nothing.
RANKS = {"FAILURE": 0, "WARNING": 1, "SUCCESS": 2}
# A whole run; a scenario has a limit of its own.
MOST_SECONDS = 300


class Failed(Exception):
    """Something is not as it must be; the text is for whoever runs this."""


@dataclass
class Scenario:
    """What came of a scenario: each check by its name, with the worst that it came to."""

    checks: dict = field(default_factory=dict)
    complaints: list = field(default_factory=list)
    passed: int = 0
    failed: int = 0

    @property
    def verdict(self):
        # A scenario that saw nothing says that all went well.
        if self.failed or not self.checks:
            return "fail"
        return "warn" if 1 in self.checks.values() else "pass"


@dataclass(frozen=True)
class Suite:
    """A released line of the suite at one revision of the protocol."""

    version: str
    revision: str

    @property
    def is_first_line(self):
        """The line that knows one revision only, and no list of what is required."""
        return self.version.startswith("0.1.")

    def command(self, programs, *words):
        folder = programs.peers / f"conformance-{self.version}"
        return [programs.node, folder / "node_modules/.bin/conformance", *words]

    def required(self, programs):
        """The scenarios that count, in the suite's own order."""
        words = [] if self.is_first_line else ["--requirements", self.revision]
        listed = subprocess.run(
            self.command(programs, "list", "--server", *words), capture_output=True, text=True, check=True
        ).stdout
        # The list goes on with what clients have to do.
        listed = listed.split("\nClient scenarios")[0]
        found = re.findall(r"^  - (\S+)", listed, re.MULTILINE)
        if not found:
            raise Failed(f"{self.version} lists no scenario for {self.revision}")
        return found

    def run(self, programs, url, folder):
        """Plays all of it against a server; gives each scenario by its name."""
        folder = folder / f"{self.version}-{self.revision}"
        folder.mkdir(parents=True)
        which = ["--suite", "all"] if self.is_first_line else ["--requirements", self.revision]
        command = self.command(programs, "server", "--url", url, *which, "-o", folder / "scenarios")
        with (folder / "said.txt").open("w") as said:
            try:
                # It ends with 1 where anything failed, which is judged below.
                subprocess.run(command, stdout=said, stderr=said, timeout=MOST_SECONDS, check=False)
            except subprocess.TimeoutExpired as error:
                raise Failed(f"{self.version} did not end: {folder}/said.txt") from error
        found = {}
        for file in sorted((folder / "scenarios").glob("server-*/checks.json")):
            name = re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name)
            found[name[1]] = read(file)
        missing = [name for name in self.required(programs) if name not in found]
        if missing:
            raise Failed(f"{self.version} did not play {missing}: {folder}/said.txt")
        return found


def read(file: Path):
    scenario = Scenario()
    for check in json.loads(file.read_text()):
        rank = RANKS.get(check["status"])
        if rank is None:
            continue
        scenario.checks[check["id"]] = min(rank, scenario.checks.get(check["id"], rank))
        scenario.passed += rank == 2
        scenario.failed += rank == 0
        if rank < 2:
            scenario.complaints.append(f"{check['id']}: {check.get('errorMessage', '')}")
    return scenario
