"""Characters of fonts.py as grey images, white on black.

A font has one size for all its characters, so that case shows: 'H' is HEIGHT pixels high, on one base line; a character is centred from
left to right, and narrowed only where it would leave the image.
"""

import string

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import fonts

CHARACTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
SIDE = 24
HEIGHT = 14  # for 'H', in SIDE
BASE_LINE = 18  # from the top, of SIDE
MARGIN = 1
SEED = 1  # for what is drawn by lot
DRAWN = 200  # the size in points at which a font is measured


def size_for(path, height):
    """The size at which 'H' is `height` pixels high."""
    _, top, _, bottom = ImageFont.truetype(path, DRAWN).getbbox("H", anchor="ls")
    return round(DRAWN * height / (bottom - top))


def render(path, character, side):
    """[side, side] uint8. Drawn at four times the side, then averaged."""
    scale = 4 * side // SIDE
    font = ImageFont.truetype(path, size_for(path, HEIGHT * scale))
    left, _, right, _ = font.getbbox(character, anchor="ls")
    width = max(right - left, 1)
    image = Image.new("L", (width + 2 * scale, 4 * side), 0)
    ImageDraw.Draw(image).text((scale - left, BASE_LINE * scale), character, fill=255, font=font, anchor="ls")
    room = (SIDE - 2 * MARGIN) * scale
    if image.width > room:
        image = image.resize((room, image.height), Image.BOX)
    full = Image.new("L", (4 * side, 4 * side), 0)
    full.paste(image, ((full.width - image.width) // 2, 0))
    return np.asarray(full.resize((side, side), Image.BOX))


def images_of(paths, side):
    """([paths * 62, 1, side, side] uint8, [paths * 62] int64), font by font."""
    images = [render(path, character, side) for path in paths for character in CHARACTERS]
    classes = np.arange(len(CHARACTERS), dtype=np.int64)
    return np.stack(images)[:, None], np.tile(classes, len(paths))


def each_character(paths, times):
    """Each character `times` times, in turns, every time in another of the fonts."""
    images, _ = images_of(paths, SIDE)
    by_font = images.reshape(-1, len(CHARACTERS), 1, SIDE, SIDE)
    random = np.random.RandomState(SEED)
    chosen = np.stack([random.permutation(len(by_font))[:times] for _ in CHARACTERS], 1)
    return np.concatenate([by_font[of_turn, np.arange(len(CHARACTERS))] for of_turn in chosen])


def training_images():
    """At twice the side: training moves them, and halves them."""
    return images_of(fonts.training(), 2 * SIDE)


def held_out_images():
    return images_of(fonts.held_out(), SIDE)
