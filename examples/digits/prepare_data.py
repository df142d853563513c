#!/usr/bin/env python3
"""Writes examples/digits/data/*.npy from scikit-learn's copy of the UCI digits.

    python3 prepare_data.py            # write the files
    python3 prepare_data.py --check    # compare with the files that are there; exit 1 if any differs

The source is the file that Debian's python3-sklearn installs. Only the Python standard library is used, so
the bytes depend on the source alone and not on a version of NumPy.

    train_images.npy      int8    [1437, 1, 8, 8]   raw pixels, 0..16
    train_labels.npy      int8    [1437]            0..9
    held_out_images.npy   int8    [360, 1, 8, 8]    raw pixels, 0..16
    held_out_labels.npy   int8    [360]             0..9
    seven.npy             int8    [1, 1, 8, 8]      the first held-out image of a seven
    calibration.npy       float32 [200, 1, 8, 8]    pixel / 16: the first 20 training images of each class

The split is stratified: samples are sorted by label, keeping the order of the source within a label, and
every fifth one, from the first, is held out. Within each file the samples stand in the order of the source.
"""

import argparse
import gzip
import hashlib
import pathlib
import struct
import sys

SOURCE = "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
SOURCE_SHA256 = "46abec6b12486ad9e51943373abcf22bbea1b5a51a1619b361570d8893f1464a"
DATA_DIR = pathlib.Path(__file__).resolve().parent / "data"

NUM_PIXELS = 64
MAX_PIXEL = 16
NUM_CLASSES = 10
HELD_OUT_EVERY = 5
CALIBRATION_PER_CLASS = 20


def read_samples(path):
    """Returns [(pixels, label)] in the order of the source."""
    compressed = pathlib.Path(path).read_bytes()
    digest = hashlib.sha256(compressed).hexdigest()
    if digest != SOURCE_SHA256:
        sys.exit(f"{path}: sha256 {digest}, expected {SOURCE_SHA256}")
    samples = []
    for line in gzip.decompress(compressed).decode("ascii").splitlines():
        *pixels, label = (int(field) for field in line.split(","))
        assert len(pixels) == NUM_PIXELS and all(0 <= p <= MAX_PIXEL for p in pixels)
        assert 0 <= label < NUM_CLASSES
        samples.append((pixels, label))
    return samples


def split(samples):
    """Returns (train, held_out), each in the order of the source."""
    by_label = sorted(range(len(samples)), key=lambda i: samples[i][1])  # sorted() is stable
    held_out = set(by_label[::HELD_OUT_EVERY])
    return (
        [s for i, s in enumerate(samples) if i not in held_out],
        [s for i, s in enumerate(samples) if i in held_out],
    )


def first_of_each_class(samples, count):
    taken = [0] * NUM_CLASSES
    chosen = []
    for pixels, label in samples:
        if taken[label] < count:
            taken[label] += 1
            chosen.append((pixels, label))
    return chosen


def npy(descr, shape, payload):
    """NumPy's .npy version 1.0: magic, version, header length, header padded to 64 bytes, C-order data."""
    dims = ", ".join(str(d) for d in shape) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    preamble_size = 10
    padding = -(preamble_size + len(header) + 1) % 64
    header += " " * padding + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1") + payload


def npy_images(samples):
    payload = bytes(p for pixels, _ in samples for p in pixels)
    return npy("|i1", (len(samples), 1, 8, 8), payload)


def npy_labels(samples):
    return npy("|i1", (len(samples),), bytes(label for _, label in samples))


def npy_scaled_images(samples):
    values = [p / MAX_PIXEL for pixels, _ in samples for p in pixels]  # exact: sixteenths
    return npy("<f4", (len(samples), 1, 8, 8), struct.pack(f"<{len(values)}f", *values))


def build(source):
    train, held_out = split(read_samples(source))
    return {
        "train_images.npy": npy_images(train),
        "train_labels.npy": npy_labels(train),
        "held_out_images.npy": npy_images(held_out),
        "held_out_labels.npy": npy_labels(held_out),
        "seven.npy": npy_images([sample for sample in held_out if sample[1] == 7][:1]),
        "calibration.npy": npy_scaled_images(first_of_each_class(train, CALIBRATION_PER_CLASS)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", default=SOURCE, help="digits.csv.gz of scikit-learn")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    args = parser.parse_args()

    different = []
    for name, contents in build(args.source).items():
        path = DATA_DIR / name
        if args.check:
            if not path.exists() or path.read_bytes() != contents:
                different.append(name)
        else:
            DATA_DIR.mkdir(exist_ok=True)
            path.write_bytes(contents)
        print(f"{hashlib.sha256(contents).hexdigest()}  {name}")
    if different:
        sys.exit("differs from what the source gives: " + ", ".join(different))


if __name__ == "__main__":
    main()
