"""Plays the server scenarios of the official conformance suite against the gate, in front of servers
of either era and of both, and writes what came of it down as a page.

    python3 scripts/conformance [--write] [--only WORDS]

Fails where a scenario fails that `tests/conformance/server-failures.txt` does not name, where a
server of somebody else does worse, or better, behind the gate than without it and
`tests/conformance/server-differences.txt` does not say why, where a client of an SDK loses something
that `tests/conformance/client-losses.txt` does not name, where one of these names what is not so, and
where the page is not what it ought to be; `--write` writes the page instead.
`scripts/conformance-server.sh` installs everything and says where it is.
"""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from clients import use_all
from expected import Expected
from page import Page
from servers import Programs, all_servers, check_name, reached
from suite import LEGACY, MODERN, Failed, Suite

PAGE = Path("docs/conformance.md")
KNOWN = Path("tests/conformance")
# Each waits more than it computes.
AT_ONCE = 2


def play(programs, place, reach, server, suites, is_direct):
    """All of the suites, one after the other, at one server; then the SDKs' clients, where it is of an
    SDK too."""
    if is_direct:
        suites = [suite for suite in suites if suite.revision in server.revisions]
    else:
        check_name(reach.url, programs)
    played = {suite: suite.run(programs, reach.url, place) for suite in suites}
    used = {} if server.is_ours or is_direct else use_all(programs, place, reach)
    print(f"played {place.name}", flush=True)
    return played, used


def play_all(programs, folder, servers, suites):
    """Every server behind the gate, and those of others without it too."""
    runs = [(one, False) for one in servers] + [(one, True) for one in servers if not one.is_ours]
    with ExitStack() as open_ones, ThreadPoolExecutor(AT_ONCE) as pool:
        # All gates first: to one that serves already, whoever starts another is an agent's program.
        places = []
        for server, is_direct in runs:
            place = folder / (f"{server.name}-direct" if is_direct else server.name)
            reach = open_ones.enter_context(reached(server, programs, place, is_direct))
            places.append((place, reach))
        played = pool.map(lambda it: play(programs, *it[0], it[1][0], suites, it[1][1]), zip(places, runs))
        return dict(zip(runs, played))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    programs = Programs()
    first, following = os.environ["CONFORMANCE_VERSION"], os.environ["CONFORMANCE_NEXT_VERSION"]
    suites = [Suite(first, LEGACY), Suite(following, LEGACY), Suite(following, MODERN)]
    servers = [one for one in all_servers(programs) if wanted.only in one.name]
    folder = programs.peers / "conformance-server-results"
    shutil.rmtree(folder, ignore_errors=True)
    played = play_all(programs, folder, servers, suites)
    results = {run: one for run, (one, _) in played.items()}
    used = {server: one for (server, _), (_, one) in played.items() if one}
    failures = Expected(KNOWN / "server-failures.txt", 4)
    differences = Expected(KNOWN / "server-differences.txt", 5)
    losses = Expected(KNOWN / "client-losses.txt", 4)
    page = Page(programs, suites, servers, results, failures, differences)
    text = page.text() + page.clients(used, losses)
    for problem in page.problems:
        print(problem, file=sys.stderr)
    stale = [] if wanted.only else [*failures.stale(), *differences.stale(), *losses.stale()]
    for line in stale:
        print(f"listed, but not so: {line}", file=sys.stderr)
    if page.problems or stale:
        return 1
    if wanted.only:
        print(text)
    elif wanted.write:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        (folder / "page.md").write_text(text)
        print(f"{PAGE} is not what {folder}/page.md is: run this with --write", file=sys.stderr)
        return 1
    print(page.summary())
    return 0


try:
    sys.exit(main())
except Failed as error:
    sys.exit(str(error))
