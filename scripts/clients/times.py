"""From a client's start to its first tools, without the gate and with it, turn by turn in one run."""

import statistics

from drive import CLIENTS, Errand
from journeys import EVERYTHING, FILES, Journeys

WANTED = ("read_text_file", "get-sum")


def table(programs, runs, only):
    """Medians, as a table of Markdown."""
    lines = [
        "| client | way | without the gate | first run ever | ratio | later, daemon started anew | ratio | later | ratio |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for client in CLIENTS:
        for way in ("stdio", "http"):
            if only not in f"{client.name} {way}":
                continue
            lines.append(row(programs, client, way, runs))
            print(lines[-1], flush=True)
    return "\n".join(lines)


def row(programs, client, way, runs):
    journeys = Journeys(programs)
    taken = {"direct": [], "first": [], "cold": [], "later": []}
    # The Inspector speaks to one server.
    both = {"files": journeys.node(FILES, "{work}"), "every": journeys.node(EVERYTHING)}
    servers = {"every": both["every"]} if client.name == "Inspector" else both
    wanted = WANTED[1:] if client.name == "Inspector" else WANTED
    errand = Errand(wanted=wanted)

    def seconds(person, by):
        seen = client.run(person, by, servers, errand)
        missing = [one for one in wanted if not any(name.endswith(one) for name in seen.tools)]
        # Without the tools, whatever it took says nothing.
        return float("nan") if missing else seen.seconds

    for _ in range(runs):
        with journeys.person(dict(servers)) as person:
            servers = {name: [w.replace("{work}", str(person.work)) for w in one] for name, one in both.items() if name in servers}
            taken["direct"].append(seconds(person, "direct"))
            taken["first"].append(seconds(person, way))
            if way == "stdio":
                person.toolgate("stop")
                taken["cold"].append(seconds(person, way))
            else:
                person.close_gate()
                taken["cold"].append(seconds(person, way))
                person.close_gate()
            taken["later"].append(seconds(person, way))
    middle = {name: statistics.median(all) for name, all in taken.items()}
    cells = [client.name, way, f"{middle['direct']:.2f} s"]
    for name in ("first", "cold", "later"):
        cells += [f"{middle[name]:.2f} s", f"{middle[name] / middle['direct']:.2f}"]
    return "| " + " | ".join(cells) + " |"
