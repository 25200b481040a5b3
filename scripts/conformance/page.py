"""What came of all runs, judged, and as a page. Nothing on it depends on when or where it was made."""

from clients import WANTED


RANKED = ("fails", "warns", "passes")
HEAD = """# Conformance

What the official conformance suite (npm `@modelcontextprotocol/conformance`) says of the gate, with one
server behind it, under that server's own names, and nothing to approve. Every scenario that the suite
requires of a server is here, in both released lines and both revisions. The page is written by
`scripts/conformance-server.sh --write`, and CI plays all of it again and holds it against the page.

*Ours* is a scripted server of the test kit that does what the scenarios ask of it in the eras that it
speaks: 2025-11-25, 2026-07-28, or both at once. Where caller and server speak different eras it is the
gate that translates. In a cell: `pass`; `warn` where nothing failed but a SHOULD was not met; a number
where a scenario cannot pass, with the reason below the table.
"""
FOREIGN = """
## Servers on the official SDKs

Small servers of ours on the official SDKs, with everything that the required scenarios name, over
HTTP on one port that takes both eras where the SDK can do that. Each cell: checks that passed and
that failed, of the required scenarios, without the gate and behind it.
"""
CLIENTS = """
## Clients on the official SDKs

The SDKs' own clients through the gate to the servers above, over HTTP or, where the row says so, with
`toolgate stdio` as their child: {steps}. In a cell: `all`, or what is lost, with the reason below the
table.
"""


class Page:
    def __init__(self, programs, suites, servers, results, failures, differences):
        self.suites, self.servers, self.results = suites, servers, results
        self.failures, self.differences = failures, differences
        self.required = {suite: suite.required(programs) for suite in suites}
        self.problems = []

    def text(self):
        ours = [server for server in self.servers if server.is_ours]
        text = HEAD
        for suite in self.suites:
            text += self.scenarios(suite, ours)
        foreign = [server for server in self.servers if not server.is_ours]
        if foreign:
            text += FOREIGN + self.counts(foreign) + self.compared(foreign)
        return text

    def summary(self):
        lines = []
        for server in self.servers:
            words = []
            for suite in self.suites:
                passed, failed = self.count(server, suite, False)
                words.append(f"{passed}/{failed}")
            lines.append(f"{server.name:<12} " + "  ".join(words))
        return "\n".join(lines)

    def count(self, server, suite, is_direct):
        played = self.results[server, is_direct][suite]
        mine = [played[name] for name in self.required[suite]]
        return sum(one.passed for one in mine), sum(one.failed for one in mine)

    def scenarios(self, suite, servers):
        if not servers:
            return ""
        reasons = []
        head = ["scenario"] + [server.title for server in servers]
        rows = []
        for name in self.required[suite]:
            cells = [self.cell(suite, server, name, reasons) for server in servers]
            rows.append([f"`{name}`", *cells])
        totals = ["*checks passed, failed*"]
        for server in servers:
            passed, failed = self.count(server, suite, False)
            totals.append(f"{passed}, {failed}")
        text = f"\n## {suite.version}, revision {suite.revision}\n\n" + table(head, [*rows, totals])
        if reasons:
            text += "\n" + "".join(f"{number}. {why}\n" for number, why in enumerate(reasons, 1))
        return text

    def cell(self, suite, server, name, reasons):
        scenario = self.results[server, False][suite][name]
        key = (suite.version, suite.revision, server.name, name)
        reason = self.failures.reason(*key)
        if scenario.verdict != "fail":
            if reason is not None:
                self.problems.append(f"listed as failing, but passes: {' '.join(key)}")
            return scenario.verdict
        if reason is None:
            said = "; ".join(scenario.complaints) or "it checked nothing"
            self.problems.append(f"{' '.join(key)}: {said}")
            return "FAIL"
        if reason not in reasons:
            reasons.append(reason)
        return str(reasons.index(reason) + 1)

    def counts(self, servers):
        head = ["server"] + [f"{suite.version}, {suite.revision}" for suite in self.suites]
        rows = []
        for server in servers:
            cells = []
            for suite in self.suites:
                passed, failed = self.count(server, suite, False)
                without = "none"
                if suite.revision in server.revisions:
                    without = "{}, {}".format(*self.count(server, suite, True))
                cells.append(f"{without} → {passed}, {failed}")
            rows.append([server.title, *cells])
        return "\n" + table(head, rows)

    def compared(self, servers):
        """Every check that goes otherwise behind the gate than without it, with the reason."""
        by_reason = {}
        for server in servers:
            for suite in self.suites:
                if suite.revision in server.revisions:
                    self.compare(server, suite, by_reason)
                else:
                    self.bridged(server, suite, by_reason)
        text = "\nWhat goes otherwise behind the gate, check by check:\n\n"
        for reason, lines in by_reason.items():
            text += f"- {reason}\n" + "".join(f"  - {line}\n" for line in lines)
        return text if by_reason else text.replace(":\n\n", ": nothing.\n")

    def bridged(self, server, suite, by_reason):
        """The scenarios that fail at a revision which the server by itself does not speak."""
        failing = {}
        for name in self.required[suite]:
            reasons = []
            if self.cell(suite, server, name, reasons) == "1":
                failing.setdefault(reasons[0], []).append(f"`{name}` fails")
        self.tell(server, suite, failing, by_reason)

    @staticmethod
    def tell(server, suite, found, by_reason):
        for reason, what in found.items():
            where = f"{server.title}, {suite.version}, {suite.revision}"
            by_reason.setdefault(reason, []).append(f"{where}: {', '.join(what)}")

    def compare(self, server, suite, by_reason):
        without, behind = self.results[server, True][suite], self.results[server, False][suite]
        changed = {}
        for name in self.required[suite]:
            was, now = without[name].checks, behind[name].checks
            for check in sorted({*was, *now}):
                if was.get(check) != now.get(check):
                    self.differ(server, suite, name, check, was.get(check), now.get(check), changed)
        self.tell(server, suite, changed, by_reason)

    def differ(self, server, suite, name, check, was, now, changed):
        key = (suite.version, suite.revision, server.name, name, check)
        reason = self.differences.reason(*key)
        words = [RANKED[rank] if rank is not None else "is not made" for rank in (was, now)]
        if reason is None:
            said = "; ".join(self.results[server, False][suite][name].complaints)
            self.problems.append(f"{' '.join(key)}: {words[0]}, then {words[1]}: {said}")
        else:
            changed.setdefault(reason, []).append(f"`{name}` `{check}` {words[0]}, then {words[1]}")

    def clients(self, used, losses):
        """What the clients of the SDKs got, by client and server."""
        if not used:
            return ""
        reasons, rows = [], {}
        for server, outcomes in used.items():
            for client, outcome in outcomes.items():
                row = rows.setdefault(client, [client.words()])
                row.append(self.lost(server, client, outcome, losses, reasons))
        head = ["client"] + [server.title for server in used]
        text = CLIENTS.format(steps=", ".join(WANTED)) + "\n" + table(head, rows.values())
        if reasons:
            text += "\n" + "".join(f"{number}. {why}\n" for number, why in enumerate(reasons, 1))
        return text

    def lost(self, server, client, outcome, losses, reasons):
        cells = []
        for step, wanted in WANTED.items():
            key = (client.key(), server.name, step.replace(" ", "-"))
            reason = losses.reason("client", *key)
            if outcome.get(step) == wanted:
                if reason is not None:
                    self.problems.append(f"listed as lost, but is not: client {' '.join(key)}")
                continue
            if reason is None:
                self.problems.append(f"client {' '.join(key)}: wanted {wanted}, got {outcome.get(step)}")
                continue
            if reason not in reasons:
                reasons.append(reason)
            cells.append(f"{step} ({reasons.index(reason) + 1})")
        return ", ".join(cells) or "all"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
