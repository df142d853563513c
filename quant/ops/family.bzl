"""A family of float operators: what they are, their float definitions, and how they become integer code."""

load("//tools:tally_rules.bzl", "tally_cc_library")

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
    """Those of FAMILIES that the folder holds: *_ops.h, infer*.cc, evaluate*.cc and lower*.cc."""
    tally_cc_library(
        name = name,
        srcs = native.glob(["infer*.cc"]),
        hdrs = native.glob(["*.h"], exclude = ["lower*.h"]),
        cold = True,
        visibility = ["//quant:__subpackages__"],
        deps = ["//base:error", "//base:int_math", "//quant/ops:op_traits", "@absl"] + deps,
    )
    tally_cc_library(
        name = "evaluate",
        srcs = native.glob(["evaluate*.cc"]),
        copts = ["-O3"],  # vectorizes the loops of the definitions, which are written to allow it
        visibility = ["//quant:__subpackages__"],
        deps = [":" + name, "//base:int_math"] + evaluate_deps,
    )
    tally_cc_library(
        name = "lower",
        srcs = native.glob(["lower*.cc", "lower*.h"]),
        cold = True,
        visibility = ["//quant:__subpackages__"],
        deps = [":" + name, "//base:error", "//quant/lower:lowering", "@absl"] + lower_deps,
    )
