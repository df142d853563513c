#!/usr/bin/env python3
"""A picture of a dispute as it narrows, from what `tally dispute --json` prints.

    dispute_picture.py GAME.json ENTRIES > docs/dispute.svg      ENTRIES: how many the trace has
"""
import json
import sys

WIDTH, BAR, STEP, GROUP, LEFT = 560, 20, 34, 58, 150
WHOLE, PART, INK, QUIET, VERDICT = "#d8dee9", "#c2410c", "#1f2937", "#6b7280", "#b91c1c"
LEAVES = {"trace": "entry", "result": "result", "value": "leaf", "expansion": "element", "columns": "column", "column": "leaf"}
PLURALS = {"entry": "entries", "leaf": "leaves"}
QUESTIONS = {"trace": "Which of {} values is the first wrong one?", "value": "Which of its {} leaves is the first wrong one?"}


def text(x, y, content, **style):
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x}" y="{y}"{attributes}>{content}</text>'


def picture(game, entries):
    rows, of, y, subject = [], {"trace": entries}, 0, None
    for i, r in enumerate(game["rounds"], 1):
        first, end = r["first"], r["first"] + r["size"]
        whole = of.setdefault(r["subject"], end)  # the first query about a tree is about all of it
        leaf = LEAVES[r["subject"]]
        many = PLURALS.get(leaf, leaf + "s")
        if r["subject"] != subject:
            subject, y = r["subject"], y + GROUP
            rows.append(text(LEFT, y - 14, QUESTIONS.get(subject, f"Which of {{}} {many}?").format(whole), font_weight="bold"))
        else:
            y += STEP
        about = f"all {whole} {many}" if r["size"] == whole else f"{leaf} {first}" if r["size"] == 1 else f"{many} {first} to {end - 1}"
        x, width = LEFT + WIDTH * first / whole, max(WIDTH * r["size"] / whole, 3)
        rows += [text(LEFT - 12, y + 15, f"query {i}", text_anchor="end", fill=QUIET),
                 f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{BAR}" fill="{WHOLE}"/>',
                 f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{PART}"/>',
                 text(LEFT + WIDTH + 12, y + 15, about)]
    y += GROUP - 8
    rows += [f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="36" rx="4" fill="none" stroke="{VERDICT}" stroke-width="2"/>',
             text(LEFT + 12, y + 23, f'<tspan font-weight="bold" fill="{VERDICT}">CONVICTED</tspan>  {game["because"]}'),
             text(LEFT, y + 60, f'{len(game["rounds"])} queries, {game["messages"]} messages of the asserter with its opening, and a certificate '
                                f'of {game["certificate_bytes"]:,} bytes', fill=QUIET)]
    size = (LEFT + WIDTH + 190, y + 76)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" font-family="sans-serif" '
                      f'font-size="14" fill="{INK}">', "<title>Each query asks about a smaller part of what is in question</title>",
                      '<rect width="100%" height="100%" fill="white"/>', *rows, "</svg>", ""])


if __name__ == "__main__":
    path, entries = sys.argv[1:] if len(sys.argv) == 3 else sys.exit(__doc__)
    with open(path) as file:
        sys.stdout.write(picture(json.load(file), int(entries)))
