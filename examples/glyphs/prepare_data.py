#!/usr/bin/python3
"""Writes data/*.npy: characters of the fonts of fonts.py, which are Debian packages.

    ./dev setup train                        # the fonts and Pillow among others
    /usr/bin/python3 prepare_data.py         # write the files
    /usr/bin/python3 prepare_data.py --check # compare with the files that are there; exit 1 if any differs

    calibration.npy       uint8 [248, 1, 24, 24]  characters of training fonts, each of the 62 four times
    held_out_images.npy   uint8 [N, 1, 24, 24]    all characters of each font held out
    held_out_labels.npy   uint8 [N]               the class: its place in 0..9 A..Z a..z
    sample.npy            uint8 [1, 1, 24, 24]    a 'g' of the first font held out: one input of the module

Images are white on black. The bytes are those of bookworm's Pillow and FreeType.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import data_files  # noqa: E402
import fonts  # noqa: E402
from render import CHARACTERS, each_character, held_out_images  # noqa: E402

CALIBRATION_PER_CLASS = 4


def main():
    images, labels = held_out_images()
    arrays = {
        "calibration": each_character(fonts.training(), CALIBRATION_PER_CLASS),
        "held_out_images": images,
        "held_out_labels": labels.astype(np.uint8),
        "sample": images[CHARACTERS.index("g")][None],
    }
    data_files.write_or_check(HERE / "data", arrays)


if __name__ == "__main__":
    main()
