"""The few macros that Tally's BUILD files use."""

load("//tools:copts.bzl", "TALLY_COPTS")

def tally_cc_library(name, copts = [], **kwargs):
    """A cc_library with Tally's warnings."""
    native.cc_library(name = name, copts = TALLY_COPTS + copts, **kwargs)

def tally_cc_binary(name, copts = [], **kwargs):
    """A cc_binary with Tally's warnings."""
    native.cc_binary(name = name, copts = TALLY_COPTS + copts, **kwargs)

def tally_cc_test(name, deps = [], size = "small", copts = [], **kwargs):
    """A GoogleTest from <name>.cc unless srcs says otherwise."""
    kwargs.setdefault("srcs", [name + ".cc"])
    native.cc_test(
        name = name,
        size = size,
        copts = TALLY_COPTS + copts,
        deps = deps + ["@googletest//:gtest_main"],
        **kwargs
    )

def tally_cc_property_test(name, deps = [], **kwargs):
    """A GoogleTest whose laws RapidCheck samples, from a fixed seed (RC_PARAMS overrides it)."""
    kwargs.setdefault("env", {"RC_PARAMS": "seed=20260101 max_success=200"})
    tally_cc_test(name = name, deps = deps + ["@rapidcheck"], **kwargs)
