"""Compiler flags of every Tally target."""

TALLY_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-missing-field-initializers",
    "-fno-math-errno",
]
