#!/usr/bin/env python3
"""Draws the JSON of run_gas as SVG: for each operator the worst ns for one gas, in medians of its level.

    bench/gas/plot.py GAS.json > gas.svg

A point for each shape class, on a scale of powers of two; the line is the factor that no module may exceed.
"""

import html
import json
import math
import sys

ROW, LEFT, WIDTH, TOP = 14, 210, 560, 46
COLORS = {"tiny": "#7a7a7a", "narrow": "#d95f02", "wide": "#1b9e77", "real": "#7570b3", "searched": "#e7298a"}


def draw(report):
    rows = report["rows"]
    operators = sorted({row["operator"] for row in rows}, key=lambda op: -max(r["ratio"] for r in rows if r["operator"] == op))
    least, most = -4, max(4, math.ceil(math.log2(max(row["ratio"] for row in rows))))

    def x(ratio):
        return LEFT + WIDTH * (max(math.log2(ratio), least) - least) / (most - least)

    height = TOP + ROW * len(operators) + 10
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" font-family="sans-serif" font-size="10">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="4" y="14" font-size="12">worst time of one gas, in medians of its level (limit {report["factor"]:g})</text>',
    ]
    for i, (name, color) in enumerate(COLORS.items()):
        out.append(f'<circle cx="{LEFT + 90 * i}" cy="26" r="4" fill="{color}"/><text x="{LEFT + 90 * i + 8}" y="30">{name}</text>')
    for power in range(least, most + 1):
        out.append(f'<line x1="{x(2 ** power):.1f}" x2="{x(2 ** power):.1f}" y1="{TOP - 8}" y2="{height}" stroke="#eee"/>')
        out.append(f'<text x="{x(2 ** power):.1f}" y="{TOP - 4}" text-anchor="middle" fill="#666">{2.0 ** power:g}</text>')
    limit = x(report["factor"])
    out.append(f'<line x1="{limit:.1f}" x2="{limit:.1f}" y1="{TOP}" y2="{height}" stroke="#c00" stroke-dasharray="4 3"/>')
    for i, operator in enumerate(operators):
        y = TOP + ROW * i + 10
        out.append(f'<text x="{LEFT - 6}" y="{y + 3}" text-anchor="end">{html.escape(operator)}</text>')
        for row in rows:
            if row["operator"] == operator:
                out.append(
                    f'<circle cx="{x(row["ratio"]):.1f}" cy="{y}" r="3.5" fill="{COLORS[row["class"]]}" fill-opacity="0.8">'
                    f'<title>{html.escape(row["class"] + ": " + row["worst"])}</title></circle>'
                )
    return "\n".join(out + ["</svg>"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        print(draw(json.load(file)))
