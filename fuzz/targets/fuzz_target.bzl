"""A fuzz target from <name>.cc: a libFuzzer binary under --config=fuzz, and a replay of its corpus as a test."""

load("//tools:tally_rules.bzl", "tally_cc_binary", "tally_cc_library")

# The functions that instrumented code calls with the operands of a comparison.
_COMPARISON_HOOKS = ["cmp1", "cmp2", "cmp4", "cmp8", "const_cmp1", "const_cmp2", "const_cmp4", "const_cmp8", "switch"]
_IGNORE_COMPARISONS = ["-Wl,--wrap=__sanitizer_cov_trace_" + hook for hook in _COMPARISON_HOOKS]

def fuzz_target(name, deps, draws = False):
    """draws: an input is the draws of a generator, in which no operand of a comparison can be written."""
    tally_cc_library(
        name = name + "_entry",
        testonly = True,
        srcs = [name + ".cc"],
        alwayslink = True,
        deps = deps + [":check"],
    )
    tally_cc_binary(
        name = name,
        testonly = True,
        linkopts = select({
            ":fuzzing": ["-fsanitize=fuzzer"] + (_IGNORE_COMPARISONS if draws else []),
            "//conditions:default": [],
        }),
        deps = [":%s_entry" % name] + select({
            ":fuzzing": [":ignore_comparisons"] if draws else [],
            "//conditions:default": [":replay_main"],
        }),
    )
    native.cc_test(
        name = name + "_replay_test",
        size = "small",
        args = ["fuzz/corpus/" + name],
        data = ["//fuzz/corpus:" + name],
        deps = [":%s_entry" % name, ":replay_main"],
    )
