"""The data files of an example: written, or compared with what the sources give."""

import argparse
import hashlib
import io
import sys

import numpy as np


def npy_bytes(array):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0))
    return file.getvalue()


def write_or_check(folder, arrays):
    """The arrays as NAME.npy of `folder`; with --check on the command line nothing is written, and the exit code is 1 if any differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    folder.mkdir(exist_ok=True)
    different = []
    for name, array in arrays.items():
        contents, path = npy_bytes(array), folder / f"{name}.npy"
        if not check:
            path.write_bytes(contents)
        elif not path.exists() or path.read_bytes() != contents:
            different.append(path.name)
        print(f"{hashlib.sha256(contents).hexdigest()}  {array.dtype} {list(array.shape)}  {path.name}")
    if different:
        sys.exit("differs from what the sources give: " + ", ".join(different))
