"""The header of .npy files of version 1, without NumPy."""

import ast
import struct


def header_of(data):
    """(what the header says, where the elements begin) of the bytes of a file. Errors: ValueError."""
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError("not an .npy file of version 1")
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return ast.literal_eval(data[10:begin].decode()), begin
