"""Compiler flags of every Tally target."""

TALLY_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-missing-field-initializers",
    # GCC 12 misjudges std::string's short buffer where headers come precompiled.
    "-Wno-array-bounds",
    "-Wno-stringop-overflow",
    "-fno-math-errno",
]
