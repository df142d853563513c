"""Protobuf's wire format, by the numbers of fields."""
import struct


def varint(value):
    value &= (1 << 64) - 1  # negative numbers have 10 bytes
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number, value):
    """An integer, a float of 4 bytes, or text, bytes and messages."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(values):
    """A list of numbers of one type, as one field has it."""
    if all(isinstance(v, int) for v in values):
        return b"".join(map(varint, values))
    return struct.pack(f"<{len(values)}f", *values)


def message(fields):
    """{number: value}; a list is packed numbers, or a field for each message or text in it."""
    parts = []
    for number, value in fields.items():
        if not isinstance(value, list):
            parts.append(field(number, value))
        elif value and isinstance(value[0], (bytes, str)):
            parts += [field(number, v) for v in value]
        elif value:
            parts.append(field(number, packed(value)))
    return b"".join(parts)
