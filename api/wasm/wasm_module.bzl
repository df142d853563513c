"""A module of WebAssembly with the functions of a C interface."""

load("//tools:tally_rules.bzl", "tally_cc_binary")

def wasm_module(name, exports, deps):
    """<name>.wasm, which exports the functions named, `malloc` and `free`, and imports what WASI names and its memory."""
    tally_cc_binary(
        name = name + ".wasm",
        copts = ["-fvisibility=hidden"],
        linkopts = [
            "--no-entry",
            "-sIMPORTED_MEMORY",  # so that who starts it says how far it may grow
            "-sEXPORTED_FUNCTIONS=" + ",".join(["_" + function for function in exports + ["malloc", "free"]]),
        ],
        target_compatible_with = ["@platforms//cpu:wasm32"],
        deps = deps,
    )
