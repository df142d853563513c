#!/usr/bin/python3
"""Writes data/*.npy: scenes of digits, in the fonts of examples/glyphs.

    ./dev setup train                        # the fonts and Pillow among others
    /usr/bin/python3 prepare_data.py         # write the files
    /usr/bin/python3 prepare_data.py --check # compare with the files that are there; exit 1 if any differs

    calibration.npy      uint8 [64, 1, 64, 64]   scenes of training fonts
    held_out_scenes.npy  uint8 [220, 1, 64, 64]  scenes of fonts held out
    held_out_boxes.npy   uint8 [N, 6]            what is in them: scene, class, left, top, right, bottom
"""

import sys

import numpy as np
from draw import HERE, digits_of, scenes

sys.path.insert(0, str(HERE.parent))
import data_files  # noqa: E402
import fonts  # noqa: E402, which draw.py finds

SEED = 1


def build():
    calibration, _ = scenes(np.random.RandomState(SEED), digits_of(fonts.training()), 64)
    images, found = scenes(np.random.RandomState(SEED + 1), digits_of(fonts.held_out()), 220)
    boxes = np.concatenate([np.insert(boxes, 0, place, 1) for place, boxes in enumerate(found)])
    return {"calibration": calibration, "held_out_scenes": images, "held_out_boxes": boxes.astype(np.uint8)}


if __name__ == "__main__":
    data_files.write_or_check(HERE / "data", build())
