"""Writes the order in which the published program's functions lie: what calls pass through, then what a start does.

Its arguments are the file to write, the program with the names of its functions, and the load generator of the
benchmark. A gate runs below callgrind and is called in both eras; functions that call each other come after each other.
What only a local server needs is not in it: below callgrind the program cannot start itself again as a helper.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

# So many calls of a function are no start's.
OFTEN = 100
SECONDS = 12
CALLERS = 4
# How often a gate is asked before it knows its server.
TRIES = 40

NAME = re.compile(r"\((\d+)\)(?: (.*))?$")
# What callgrind adds to a function that calls itself.
DEPTH = re.compile(r"'\d+$")

CONFIG = """version = 1
[limits]
tools_ttl_ms = 3600000
[gateway]
exposure = "direct"
[servers.bench]
url = "{url}"
approval = "approve"
"""


class Run:
    """The functions of all runs: how often each is called, what it calls, and which are the program's own."""

    def __init__(self):
        self.called, self.calls, self.ours = Counter(), defaultdict(Counter), set()

    def read(self, path):
        names, objects = {}, {}

        def name(known, text):
            number, said = NAME.match(text).groups()
            if said is not None:
                known[number] = DEPTH.sub("", said)
            return known.get(number, "")

        caller = callee = inside = ""
        with open(path, errors="replace") as lines:
            for line in lines:
                key, _, value = line.rstrip("\n").partition("=")
                if key == "ob":
                    inside = name(objects, value)
                elif key == "cob":
                    name(objects, value)
                elif key == "fn":
                    caller = name(names, value)
                    self.called[caller] += 0
                    if inside.endswith("/toolgate"):
                        self.ours.add(caller)
                elif key == "cfn":
                    callee = name(names, value)
                elif key == "calls":
                    count = int(value.split()[0])
                    self.called[callee] += count
                    self.calls[caller][callee] += count

    def in_order(self, wanted):
        """Depth first, from each function that was met."""
        seen, order = set(), []
        for start in self.called:
            waiting = [start]
            while waiting:
                one = waiting.pop()
                if one in seen:
                    continue
                seen.add(one)
                if one in wanted:
                    order.append(one)
                waiting.extend(callee for callee in self.calls[one] if callee not in seen)
        return order


def generate(load, place, era, seconds, watched):
    plan = {
        "place": place,
        "era": era,
        "tool": "bench__note",
        "callers": CALLERS,
        "warm": {"secs": 0, "nanos": 0},
        "time": {"secs": seconds, "nanos": 50_000_000},
        "watched": watched,
    }
    return subprocess.run([load, "load", json.dumps(plan)], capture_output=True).returncode == 0


def count(program, load, era, folder, started):
    """Has a gate called in this era, and gives the file of what was counted."""
    site = subprocess.Popen([load, "site", era, "bench"], stdout=subprocess.PIPE, text=True)
    started.append(site)
    os.makedirs(f"{folder}/.config/toolgate")
    os.makedirs(f"{folder}/project")
    with open(f"{folder}/.config/toolgate/config.toml", "w") as config:
        config.write(CONFIG.format(url=site.stdout.readline().strip()))
    counted = f"{folder}/counted"
    below = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={counted}"]
    gate = subprocess.Popen(
        [*below, program, "serve", "--json", "--listen", "127.0.0.1:0"],
        cwd=f"{folder}/project",
        env={"HOME": folder, "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    started.append(gate)
    text = ""
    while not text.rstrip().endswith("}"):
        line = gate.stdout.readline()
        if not line:
            sys.exit(f"function-order: the gate did not start: {text}")
        text += line
    welcome = json.loads(text)
    with open(welcome["tokenFile"]) as token:
        place = {"url": welcome["endpoint"], "token": token.read().strip()}
    for _ in range(TRIES):
        if generate(load, place, era, 0, gate.pid):
            break
        time.sleep(0.5)
    if not generate(load, place, era, SECONDS, gate.pid):
        sys.exit("function-order: the gate was not called")
    gate.send_signal(signal.SIGTERM)
    gate.wait(60)
    return counted


def main(out, program, load):
    run, started = Run(), []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for era in ("legacy", "modern"):
                run.read(count(program, load, era, f"{folder}/{era}", started))
    finally:
        for process in started:
            process.kill()
    # What has no name is met by its address.
    ours = {name for name in run.ours if not name.startswith("0x") and " " not in name}
    often = {name for name in ours if run.called[name] >= OFTEN}
    order = run.in_order(often) + run.in_order(ours - often)
    with open(out, "w") as file:
        file.writelines(f"{name}\n" for name in order)
    print(f"{len(order)} functions, {len(often)} of them often called")


main(*sys.argv[1:])
