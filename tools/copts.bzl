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
    # Calculations of the quantizer decide bytes of a module: a machine with fused multiply-add rounds as all
    # others do.
    "-ffp-contract=off",
]

# Most of a test runs once: a fifth less time to compile it is worth more than fast code.
TEST_COPTS = ["-O1"]

# Code that runs once for a model: a fifth less time to compile it is worth more than fast code.
COLD_COPTS = ["-O1"]

# Loops that the compiler is to vectorize.
LOOP_COPTS = ["-O3"]
