"""Scenes: digits of fonts in several sizes on a bad page, and where each of them is.

A box is left, top, right, bottom in pixels of the scene, tight around the ink. Boxes do not touch.
"""

import pathlib
import string
import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "glyphs"), str(HERE.parent / "scans")]
import render  # noqa: E402
from spoil import spoiled  # noqa: E402

SIDE = 64
HEIGHTS = (10, 13, 17, 22, 28, 36)  # for 'H', in pixels
MOST = 5  # digits in a scene
TRIES = 40  # places that are drawn for a digit before it is left out
CLASSES = len(string.digits)


def digit(path, character, height):
    """uint8, cut to its ink; drawn at four times the size, then averaged."""
    font = ImageFont.truetype(path, render.size_for(path, 4 * height))
    left, top, right, bottom = font.getbbox(character, anchor="ls")
    # The box is a multiple of four, so that pixels of the scene are averages of 16.
    size = [-(-extent // 4) * 4 for extent in (right - left, bottom - top)]
    image = Image.new("L", size, 0)
    ImageDraw.Draw(image).text((-left, -top), character, fill=255, font=font, anchor="ls")
    return np.asarray(image.resize((size[0] // 4, size[1] // 4), Image.BOX))


def digits_of(paths):
    """[(class, image)]: each digit of each font at each height that fits."""
    drawn = [(number, digit(path, character, height))
             for path in paths for height in HEIGHTS for number, character in enumerate(string.digits)]
    return [(number, image) for number, image in drawn if max(image.shape) < SIDE - 2]


def scene(random, digits):
    """(uint8 [SIDE, SIDE], int64 [N, 5] of class and box): one to MOST of the `digits`, spoiled; `random` is a RandomState."""
    clean, taken, found = np.zeros((SIDE, SIDE), np.uint8), np.zeros((SIDE, SIDE), bool), []
    for _ in range(random.randint(1, MOST + 1)):
        number, image = digits[random.randint(len(digits))]
        height, width = image.shape
        for _ in range(TRIES):
            y, x = random.randint(1, SIDE - height), random.randint(1, SIDE - width)
            if not taken[y - 1 : y + height + 1, x - 1 : x + width + 1].any():
                clean[y : y + height, x : x + width] = image
                taken[y : y + height, x : x + width] = True
                found.append((number, x, y, x + width, y + height))
                break
    return spoiled(random, clean)[0], np.array(found, np.int64)


def scenes(random, digits, count):
    """(uint8 [count, 1, SIDE, SIDE], a list of what is in each)."""
    drawn = [scene(random, digits) for _ in range(count)]
    return np.stack([image for image, _ in drawn])[:, None], [found for _, found in drawn]
