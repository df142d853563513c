"""A fuzz target from <name>.cc: a libFuzzer binary under --config=fuzz, and a replay of its corpus as a test."""

load("//tools:tally_rules.bzl", "tally_cc_binary", "tally_cc_library")

def fuzz_target(name, deps):
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
            ":fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = [":%s_entry" % name] + select({
            ":fuzzing": [],
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
