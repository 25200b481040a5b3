"""Writes the table of docs/reports/sandbox.md from what the probes said."""

import pathlib
import platform
import sys

MARK = "<!-- attempts -->"


def read(table: pathlib.Path) -> dict[str, str]:
    """What came of each attempt, and how."""
    rows = {}
    for line in table.read_text().splitlines():
        name, came, how = line.split("\t")
        rows[name] = f"{came}: {how}" if how else came
    return rows


def main() -> None:
    work, report = map(pathlib.Path, sys.argv[1:])
    columns = {
        f"{words}, as {who}": read(table) if (table := work / f"{outer}-{who}.tsv").exists() else {}
        for outer, words in (("builtin", "built in"), ("bwrap", "bwrap"))
        for who in ("root", "user")
    }
    names = dict.fromkeys(name for rows in columns.values() for name in rows)
    lines = [f"{len(names)} attempts, on Linux {platform.release().split('-')[0]}.", ""]
    lines.append("| attempt | " + " | ".join(columns) + " |")
    lines.append("|---" * (len(columns) + 1) + "|")
    for name in names:
        cells = [rows.get(name, "skipped: not tried here") for rows in columns.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    before, _, after = report.read_text().partition(MARK)
    _, _, after = after.partition(MARK)
    report.write_text(before + MARK + "\n\n" + "\n".join(lines) + "\n\n" + MARK + after)


main()
