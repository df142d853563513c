#!/usr/bin/env python3
"""The table of disputes in docs/results/proof.md, from what the benchmark measured.

    dispute_costs.py PROOF.json PAGE    PROOF.json: of `./dev bench proof --json`
"""
import json
import sys

import generated_table

BEGIN, END = "<!-- disputes, by docs/dispute_costs.py -->\n", "<!-- end of disputes -->\n"


def short(name):
    """Long chains of instructions by their ends."""
    parts = name.split("+")
    return name if len(parts) < 6 else f"{parts[0]}+..+{parts[-1]} ({len(parts)})"


def table(disputes):
    rows = ["| network | computed by | played | by steps | certificate, KiB | check, ms | messages | KiB | asserter, ms | challenger, ms |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for d in disputes:
        rows.append(f"| {d['work']} | {short(d['computed_by'])} | {d['elements']} | {d['by_steps']} | {d['certificate_bytes'] / 1024:.1f} | "
                    f"{d['check_ms']:.2f} | {d['messages']} | {d['message_bytes'] / 1024:.1f} | {d['asserter_ms']:.1f} | {d['challenger_ms']:.1f} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    path, page = sys.argv[1:] if len(sys.argv) == 3 else sys.exit(__doc__)
    with open(path) as file:
        disputes = json.load(file)["disputes"]
    generated_table.put(page, BEGIN, table(disputes), END, (), path)
    parts = {d["work"]: f"{d['program_bytes'] / 1024:.1f} and {d['bounds_bytes'] / 1024:.1f}" for d in disputes}
    print("program and bounds in KiB:", ", ".join(f"{work} {sizes}" for work, sizes in parts.items()))
