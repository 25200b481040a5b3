"""Drives real clients through the gate, and holds what they get against what they get without.

    python3 scripts/clients journeys [--small] [--only WORDS]   does every client get what it should
    python3 scripts/clients times                               start to first tools, as a table

`scripts/clients.sh` installs the clients and says where everything is.
"""

import argparse
import os
import sys
from pathlib import Path

from drive import CLIENTS
from journeys import WAYS, Journeys
from person import Failed
from times import table

# In a small form: what failed most often without these checks. Without Codex, which gives a server one
# second whatever else the machine has to do; the script that starts this drives it by itself.
SMALL = ("first run ever", "one that hangs", "117 KB, output schema")


class Programs:
    """Where everything is."""

    def __init__(self):
        self.toolgate = Path(os.environ["TOOLGATE"])
        self.everything = Path(os.environ["EVERYTHING"])
        self.node, self.python = Path(os.environ["NODE"]), Path(os.environ["PYTHON"])
        self.peers = Path(os.environ["PEERS"])
        self.path = os.environ["PATH"]

    def npm(self, package, program):
        return self.peers / package / "node_modules/.bin" / program


def journeys(programs, small, only):
    failed = 0
    for title, journey in Journeys(programs).all().items():
        for client in CLIENTS:
            for way in WAYS:
                line = f"{title}, {client.name} over {way}"
                is_small = title in SMALL and client.name != "Codex"
                is_wanted = only in line and (is_small or not small)
                if not is_wanted:
                    continue
                try:
                    journey(client, way)
                    print(f"{line:<56} as expected", flush=True)
                except Failed as error:
                    failed += 1
                    print(f"{line:<56} FAILED: {error}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["journeys", "times"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=5)
    wanted = parser.parse_args()
    programs = Programs()
    if wanted.what == "times":
        print(table(programs, wanted.runs, wanted.only))
        return 0
    return 1 if journeys(programs, wanted.small, wanted.only) else 0


sys.exit(main())
