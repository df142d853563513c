#!/usr/bin/python3
"""Writes data/*.npy: characters of the fonts of examples/glyphs as a bad scanner sees them.

    ./dev setup train                        # the fonts and Pillow among others
    /usr/bin/python3 prepare_data.py         # write the files
    /usr/bin/python3 prepare_data.py --check # compare with the files that are there; exit 1 if any differs

    calibration.npy      uint8 [124, 1, 24, 24]  scans of characters of training fonts, each of the 62 twice
    held_out_scans.npy   uint8 [248, 1, 24, 24]  of fonts held out, each of the 62 four times
    held_out_ink.npy     uint8 [248, 24, 24]     1 where the clean character has ink
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "glyphs")]
import data_files  # noqa: E402
import fonts  # noqa: E402
from render import each_character  # noqa: E402
from spoil import spoiled_all  # noqa: E402

SEED = 1


def build():
    calibration, _ = spoiled_all(np.random.RandomState(SEED), each_character(fonts.training(), 2))
    scans, ink = spoiled_all(np.random.RandomState(SEED + 1), each_character(fonts.held_out(), 4))
    return {"calibration": calibration, "held_out_scans": scans, "held_out_ink": ink}


if __name__ == "__main__":
    data_files.write_or_check(HERE / "data", build())
