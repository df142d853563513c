"""Loops that are compiled once for each instruction set."""

load("//tools:copts.bzl", "TALLY_COPTS")
load("//tools:tally_rules.bzl", "together")

# The value of TALLY_ISA, and the flags that go with it. A kernel's row names the CPU flags that a machine
# must have.
ISAS = {
    "portable": [],
    "avx2": ["-mavx2"],
    "avx512": [
        "-mavx512f",
        "-mavx512bw",
        "-mavx512dq",
        "-mavx512vl",
        "-mprefer-vector-width=512",
        # GCC 12 warns of the undefined registers in its own immintrin.h.
        "-Wno-uninitialized",
        "-Wno-maybe-uninitialized",
    ],
}

def tally_loops(name, srcs, hdrs, deps = [], visibility = ["//ops:__subpackages__", "//tools/layers:tests"]):
    """*_loops.cc for each instruction set (ops/cpu/isa.h), linked together as `name`."""
    unit = together(srcs)
    for isa, flags in ISAS.items():
        native.cc_library(
            name = name + "_" + isa,
            srcs = unit.srcs,
            hdrs = hdrs,
            textual_hdrs = unit.textual_hdrs,
            copts = TALLY_COPTS + ["-O3", "-fno-exceptions", "-DTALLY_ISA=" + isa] + flags + unit.copts,
            deps = deps,
            visibility = visibility,
        )
    native.cc_library(
        name = name,
        hdrs = hdrs,
        visibility = visibility,
        deps = deps + select({
            "@platforms//cpu:x86_64": [":" + name + "_" + isa for isa in ISAS],
            "//conditions:default": [":" + name + "_portable"],
        }),
    )
