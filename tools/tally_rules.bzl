"""The few macros that Tally's BUILD files use."""

load("//tools:copts.bzl", "TALLY_COPTS", "TEST_COPTS")

def _compiled(copts, deps, headers, copts_of_headers = []):
    """copts and deps of a target, with what is parsed once (tools/precompiled) where no flag of its own rules that out."""
    if copts:
        return {"copts": TALLY_COPTS + copts, "deps": deps}
    return {
        "copts": TALLY_COPTS + copts_of_headers + ["-include", "tools/precompiled/%s/precompiled.h" % headers],
        "deps": deps + ["//tools/precompiled:" + headers],
    }

def tally_cc_library(name, deps = [], copts = [], headers = "library", **kwargs):
    """A cc_library with Tally's warnings. `headers`: which of tools/precompiled; "exact" where most sources read cpp_int."""
    kwargs.update(_compiled(copts, deps, headers))
    native.cc_library(name = name, **kwargs)

def tally_cc_binary(name, deps = [], copts = [], **kwargs):
    """A cc_binary with Tally's warnings."""
    kwargs.update(_compiled(copts, deps, "library"))
    native.cc_binary(name = name, **kwargs)

def tally_cc_test(name, deps = [], size = "small", copts = [], headers = "test", **kwargs):
    """A GoogleTest from <name>.cc unless srcs says otherwise."""
    kwargs.setdefault("srcs", [name + ".cc"])
    kwargs.update(_compiled(copts, deps + ["@googletest//:gtest_main"], headers, TEST_COPTS))
    native.cc_test(name = name, size = size, **kwargs)

def tally_cc_property_test(name, deps = [], **kwargs):
    """A GoogleTest whose laws RapidCheck samples, from a fixed seed (RC_PARAMS overrides it)."""
    kwargs.setdefault("env", {"RC_PARAMS": "seed=20260101 max_success=200"})
    tally_cc_test(name = name, deps = deps + ["@rapidcheck"], headers = "property_test", **kwargs)
