"""Loops that are compiled once for each instruction set."""

load("//tools:copts.bzl", "TALLY_COPTS")
load("//tools:tally_rules.bzl", "together")

# The values of TALLY_ISA beside "portable" by processor, and the flags that go with them. A kernel's row
# names the CPU flags that a machine must have.
X86_ISAS = {
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

WASM_ISAS = {"simd128": ["-msimd128"]}

def tally_loops(name, srcs, hdrs, deps = [], visibility = ["//ops:__subpackages__", "//tools/layers:tests"]):
    """*_loops.cc for each instruction set (ops/cpu/isa.h), linked together as `name`."""
    unit = together(srcs)
    for isa, flags in dict({"portable": []}, **dict(X86_ISAS, **WASM_ISAS)).items():
        cpus = ["@platforms//cpu:wasm32"] if isa in WASM_ISAS else ["@platforms//cpu:x86_64"] if isa in X86_ISAS else []
        native.cc_library(
            name = name + "_" + isa,
            srcs = unit.srcs,
            hdrs = hdrs,
            textual_hdrs = unit.textual_hdrs,
            copts = TALLY_COPTS + ["-O3", "-fno-exceptions", "-DTALLY_ISA=" + isa] + flags + unit.copts,
            deps = deps,
            target_compatible_with = cpus,
            visibility = visibility,
        )
    native.cc_library(
        name = name,
        hdrs = hdrs,
        visibility = visibility,
        deps = deps + [":" + name + "_portable"] + select({
            "@platforms//cpu:x86_64": [":" + name + "_" + isa for isa in X86_ISAS],
            "@platforms//cpu:wasm32": [":" + name + "_" + isa for isa in WASM_ISAS],
            "//conditions:default": [],
        }),
    )
