#!/usr/bin/python3
"""Writes data/*.npy from the manual pages of OpenSSL, Debian's package libssl-doc.

    ./dev setup train                        # libssl-doc among others
    /usr/bin/python3 prepare_data.py         # write the files
    /usr/bin/python3 prepare_data.py --check # compare with the files that are there; exit 1 if any differs

    calibration.npy     uint8 [128, 64]  windows of training pages, as ids
    held_out_ids.npy    uint8 [512, 64]  windows of pages that training does not see
    held_out_next.npy   uint8 [512, 64]  the id behind each of them

Id 0 is the end of a paragraph, id c - 31 the ASCII character c. Paragraphs with other characters are left out.
"""

import hashlib
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import data_files  # noqa: E402
from manual_pages import files_of, pages, paragraphs  # noqa: E402

MANUALS = "/usr/share/man"
PACKAGE = "libssl-doc"
CONTEXT = 64
NUM_IDS = 96
HELD_OUT_EVERY = 10
HELD_OUT_WINDOWS = 512
CALIBRATION_WINDOWS = 128
SEED = 1


def is_held_out(page):
    return hashlib.sha256(page.name.encode()).digest()[0] % HELD_OUT_EVERY == 0


def ids_of(text):
    """uint8; the end of a paragraph behind it."""
    return np.frombuffer(text.encode("ascii") + b"\x1f", np.uint8) - 31


def text_of(held_out):
    """The pages of one side, one behind the other. What stands in several pages, as the copyright does, is read once."""
    seen, parts = set(), []
    known = files_of(PACKAGE)
    for page in pages(MANUALS):
        if page not in known:
            continue
        for text in paragraphs(page):
            if text in seen or not text.isascii() or not text.isprintable():
                continue
            seen.add(text)
            if is_held_out(page) == held_out:
                parts.append(ids_of(text))
    return np.concatenate(parts)


def windows(ids, count, length):
    """`count` windows at random places, in the order of the text."""
    starts = np.sort(np.random.RandomState(SEED).permutation(len(ids) // length)[:count]) * length
    return np.stack([ids[start : start + length] for start in starts])


def build():
    held_out = windows(text_of(held_out=True), HELD_OUT_WINDOWS, CONTEXT + 1)
    return {
        "calibration": windows(text_of(held_out=False), CALIBRATION_WINDOWS, CONTEXT),
        "held_out_ids": held_out[:, :-1],
        "held_out_next": held_out[:, 1:],
    }


if __name__ == "__main__":
    data_files.write_or_check(HERE / "data", build())
