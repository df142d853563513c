#!/usr/bin/python3
"""Draws found.png: scenes held out, with what the module finds in them.

    picture.py COMPARED    # the folder of `tally compare --output`, as README.md calls it
"""

import sys

import numpy as np
from draw import HERE, SIDE
from PIL import Image, ImageDraw

sys.path.insert(0, str(HERE.parent))
from average_precision import detections  # noqa: E402

COLUMNS, ROWS, ZOOM, LEAST_SCORE = 6, 2, 2, 0.5


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    scenes = np.load(HERE / "data/held_out_scenes.npy")
    page = Image.new("RGB", (COLUMNS * SIDE * ZOOM, ROWS * SIDE * ZOOM))
    draw = ImageDraw.Draw(page)
    for place, found in enumerate(detections(sys.argv[1], ".module")[: COLUMNS * ROWS]):
        x, y = place % COLUMNS * SIDE * ZOOM, place // COLUMNS * SIDE * ZOOM
        page.paste(Image.fromarray(scenes[place, 0]).resize((SIDE * ZOOM, SIDE * ZOOM), Image.NEAREST), (x, y))
        for number, box, score in found:
            if score >= LEAST_SCORE:
                left, top, right, bottom = (ZOOM * edge for edge in box)
                draw.rectangle([x + left, y + top, x + right, y + bottom], outline=(255, 120, 0))
                draw.text((x + left, y + max(top - 11, 0)), str(number), fill=(255, 200, 0))
    page.save(HERE / "found.png", optimize=True)


if __name__ == "__main__":
    main()
