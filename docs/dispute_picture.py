#!/usr/bin/env python3
"""A picture of a dispute as it narrows, from what `tally dispute --json` prints.

    dispute_picture.py GAME.json ENTRIES > docs/dispute.svg      ENTRIES: how many the trace has
"""
import json
import sys

WIDTH, BAR, STEP, LEFT, TOP = 640, 22, 46, 150, 46
WHOLE, PART, INK = "#d8dee9", "#c2410c", "#1f2937"
LEAVES = {"trace": "entry", "result": "result", "value": "leaf", "expansion": "element", "columns": "column", "column": "leaf"}


def picture(game, entries):
    rows, of = [], {"trace": entries}
    for i, r in enumerate(game["rounds"]):
        end = r["first"] + r["size"]
        whole = of.setdefault(r["subject"], end)  # the first query about a tree is about all of it
        y = TOP + STEP * i
        x, width = WIDTH * r["first"] / whole, max(WIDTH * r["size"] / whole, 3)
        leaf = LEAVES[r["subject"]]
        about = f"{leaf} {r['first']}" + (f" to {end - 1}" if r["size"] > 1 else "") + f" of {whole}"
        rows += [f'<text x="{LEFT - 12}" y="{y + 16}" text-anchor="end">{i + 2}  {r["subject"]}</text>',
                 f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{BAR}" fill="{WHOLE}"/>',
                 f'<rect x="{LEFT + x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{PART}"/>',
                 f'<text x="{LEFT + WIDTH + 12}" y="{y + 16}">{about}</text>']
    y = TOP + STEP * len(game["rounds"])
    rows.append(f'<text x="{LEFT}" y="{y + 10}" font-weight="bold">{game["because"]}</text>')
    rows.append(f'<text x="{LEFT}" y="{y + 34}">{game["messages"]} messages of the asserter, a certificate of '
                f'{game["certificate_bytes"]:,} bytes</text>')
    size = (LEFT + WIDTH + 190, y + 56)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" font-family="sans-serif" '
                      f'font-size="14" fill="{INK}">', '<rect width="100%" height="100%" fill="white"/>',
                      f'<text x="{LEFT}" y="26" font-weight="bold">What each query asks about, of all that is in question</text>',
                      *rows, "</svg>", ""])


if __name__ == "__main__":
    path, entries = sys.argv[1:] if len(sys.argv) == 3 else sys.exit(__doc__)
    with open(path) as file:
        sys.stdout.write(picture(json.load(file), int(entries)))
