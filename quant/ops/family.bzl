"""A family of float operators: what they are, their float definitions, and how they become integer code."""

load("//tools:tally_rules.bzl", "tally_cc_library", "tally_cc_test")

FAMILIES = [
    "detection",
    "elementwise",
    "gather",
    "image",
    "integer",
    "layout",
    "linear",
    "normalization",
    "pooling",
    "quantization",
    "random",
    "recurrent",
    "reduction",
    "regions",
    "sort",
]

def all_families(part = None):
    """The libraries of all families: `part` is None for what operators are, "evaluate" or "lower"."""
    return ["//quant/ops/%s:%s" % (family, part or family) for family in FAMILIES]

def float_operator_family(name, deps = [], evaluate_deps = [], lower_deps = []):
    """The libraries and tests of the folder's family: *_ops.h, infer*.cc, evaluate*.cc, lower*.cc and *_test.cc."""
    tally_cc_library(
        name = name,
        srcs = native.glob(["infer*.cc"], exclude = ["*_test.cc"]),
        hdrs = native.glob(["*.h"], exclude = ["lower*.h"]),
        cold = True,
        visibility = ["//quant:__subpackages__"],
        deps = ["//base:error", "//base:int_math", "//quant/ops:op_traits", "@absl"] + deps,
    )
    tally_cc_library(
        name = "evaluate",
        srcs = native.glob(["evaluate*.cc"], exclude = ["*_test.cc"]),
        copts = ["-O3"],  # vectorizes the loops of the definitions, which are written to allow it
        visibility = ["//quant:__subpackages__"],
        deps = [":" + name, "//base:int_math"] + evaluate_deps,
    )
    tally_cc_library(
        name = "lower",
        srcs = native.glob(["lower*.cc", "lower*.h"], exclude = ["*_test.cc"]),
        cold = True,
        visibility = ["//quant:__subpackages__"],
        deps = [":" + name, "//base:error", "//quant/lower:lowering", "@absl"] + lower_deps,
    )
    tests = native.glob(["*_test.cc"], allow_empty = True)
    if tests:
        tally_cc_test(
            name = name + "_test",
            srcs = tests,
            deps = [
                "//base:error",
                "//engines:engine",
                "//quant/accuracy:choose_precision",
                "//quant/calibrate",
                "//quant/graph:float_executor",
                "//quant/graph",
                "//quant/graph/testing:evaluate_op",
                "//quant/graph/testing:infer_op",
                "//quant/grid",
                "//quant/lower",
                "//quant/lower/testing:measure_lowered",
                "//vm:validator",
            ],
        )
