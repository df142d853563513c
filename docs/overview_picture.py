#!/usr/bin/env python3
"""Writes docs/overview.svg: how a model file becomes a result that anybody can check.

    docs/overview_picture.py [--check]

The ids and the gas in it are those of the digits example, from examples/receipts/claims.json. With --check nothing is written, and the
exit code is 1 where the picture is not current.
"""

import json
import pathlib
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).absolute().parents[1]  # in a test its files are links
CLAIMS = ROOT / "examples/receipts/claims.json"
PICTURE = ROOT / "docs/overview.svg"

WIDTH, HEIGHT = 1000, 336
INK, QUIET, PAPER, LINE = "#1f2933", "#616e7c", "#ffffff", "#9aa5b1"
BLUE, GREEN, SAND = ("#e6f0fb", "#2f6fb3"), ("#e6f6ec", "#2b8a4b"), ("#fdf3e1", "#b7791f")
FONT = "font-family='Segoe UI,Helvetica,Arial,sans-serif'"
MONO = "font-family='ui-monospace,Menlo,Consolas,monospace'"

ENGINES = (
    ("formal", "integers without a bound: the definition"),
    ("reference", "64-bit integers, the same source"),
    ("cpu", "AMX, AVX-512, AVX2, NEON kernels"),
    ("cuda", "GPU kernels, on an H200 and emulated"),
)


def text(x, y, words, size=13, color=INK, font=FONT, anchor="start", weight="normal"):
    return (f"<text x='{x}' y='{y}' {font} font-size='{size}' fill='{color}' text-anchor='{anchor}' font-weight='{weight}'>"
            f"{escape(words)}</text>")


def box(x, y, width, height, colors, title, lines):
    """A titled box; `lines` are (words, font)."""
    fill, edge = colors
    parts = [f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='8' fill='{fill}' stroke='{edge}' stroke-width='1.5'/>",
             text(x + 12, y + 23, title, 15, edge, weight="bold")]
    parts += [text(x + 12, y + 44 + 17 * i, words, 12, INK, font) for i, (words, font) in enumerate(lines)]
    return parts


def arrow(x1, y1, x2, y2):
    bend = (x1 + x2) / 2
    return (f"<path d='M{x1} {y1} C{bend} {y1} {bend} {y2} {x2} {y2}' fill='none' "
            f"stroke='{LINE}' stroke-width='2' marker-end='url(#tip)'/>")


def picture(claim):
    short = {name: claim[name][:8] + "…" for name in ("module_id", "results", "claim_id")}
    parts = [f"<rect width='{WIDTH}' height='{HEIGHT}' rx='10' fill='{PAPER}'/>"]
    parts += box(16, 118, 128, 100, SAND, "Model", [("digits.onnx", MONO), ("float weights", FONT), ("tally quantize", MONO)])
    parts += [arrow(144, 168, 188, 168)]
    parts += box(192, 92, 180, 152, BLUE, "Module",
                 [(f"id  {short['module_id']}", MONO), (f"gas {claim['gas']:,}", MONO), ("shapes, memory and gas", FONT),
                  ("known before it runs;", FONT), ("every bound proven:", FONT), ("no overflow anywhere", FONT)])
    for row, (name, what) in enumerate(ENGINES):
        y = 28 + 76 * row
        parts += [arrow(372, 168, 408, y + 26), *box(412, y, 274, 52, BLUE, name, [(what, FONT)]), arrow(686, y + 26, 720, 168)]
    parts += box(724, 118, 116, 100, GREEN, "One digest", [(short["results"], MONO), ("of all results,", FONT), ("on every engine", FONT)])
    parts += [arrow(840, 168, 864, 168)]
    parts += box(868, 100, 116, 136, GREEN, "Receipt",
                 [("a signed claim", FONT), (short["claim_id"], MONO), ("VERIFIED", MONO), ("REPRODUCED", MONO), ("or DIVERGED", MONO)])
    tip = (f"<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
           f"<path d='M0 0L8 4L0 8z' fill='{LINE}'/></marker></defs>")
    title = "<title>A model becomes a module, four engines give one digest, and a receipt says so</title>"
    return (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img'>\n"
            + "\n".join([title, tip, *parts]) + "\n</svg>\n")


def main():
    drawn = picture(json.loads(CLAIMS.read_text())["digits"]["0"])
    if sys.argv[1:] == ["--check"]:
        if drawn != PICTURE.read_text():
            sys.exit("docs/overview.svg is not current: ./dev docs")
        print("docs/overview.svg is current")
    else:
        PICTURE.write_text(drawn)


if __name__ == "__main__":
    main()
