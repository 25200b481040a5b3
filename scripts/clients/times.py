"""From a client's start to its first tools, without the gate and with it, turn by turn in one run."""

import statistics

from drive import CLIENTS, Errand
from journeys import EVERYTHING, FILES, Journeys

WANTED = ("get-sum", "read_text_file")


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


def has(name, wanted):
    return name.endswith(wanted.replace("-", "_"))


def row(programs, client, way, runs):
    journeys = Journeys(programs)
    taken = {"direct": [], "first": [], "cold": [], "later": []}
    # The Inspector speaks to one server.
    count = 1 if client.name == "Inspector" else 2
    all_servers = {"every": journeys.node(EVERYTHING), "files": journeys.node(FILES, "{work}")}
    wanted = WANTED[:count]
    errand = Errand(wanted=wanted)

    def seconds(person, by, servers):
        seen = client.run(person, by, servers, errand)
        person.close_gate()
        names = [name.replace("-", "_") for name in seen.tools]
        missing = [one for one in wanted if not any(has(name, one) for name in names)]
        # Without the tools, whatever it took says nothing.
        return float("nan") if missing else seen.seconds

    for _ in range(runs):
        servers = dict(list(all_servers.items())[:count])
        with journeys.person(servers, is_known=False) as person:
            taken["direct"].append(seconds(person, "direct", servers))
            taken["first"].append(seconds(person, way, servers))
            if way == "stdio":
                person.toolgate("stop")
            taken["cold"].append(seconds(person, way, servers))
            taken["later"].append(seconds(person, way, servers))
    middle = {name: statistics.median(all) for name, all in taken.items()}
    cells = [client.name, way, f"{middle['direct']:.2f} s"]
    for name in ("first", "cold", "later"):
        cells += [f"{middle[name]:.2f} s", f"{middle[name] / middle['direct']:.2f}"]
    return "| " + " | ".join(cells) + " |"
