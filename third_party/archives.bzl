"""Debian's static libraries, so that what is built runs where they are missing, or other versions are."""

def _by_file(libraries):
    return ["-l:lib%s.a" % library for library in libraries]

# The linker of WebAssembly knows no names of files.
def _by_name(libraries):
    return ["-l" + library for library in libraries]

def archives(name, libraries, windows_libraries = [], linkopts = [], deps = []):
    """A cc_library of lib<library>.a each, in any order. Headers are found in /usr/include by the compiler itself.

    windows_libraries: those that Windows needs besides.
    """
    native.cc_library(
        name = name,
        linkopts = ["-Wl,--start-group"] + select({
            "@tally//tools/cross:is_windows": _by_file(libraries + windows_libraries),
            "@tally//tools/cross:is_wasm": _by_name(libraries),
            "//conditions:default": _by_file(libraries),
        }) + ["-Wl,--end-group"] + linkopts,
        visibility = ["//visibility:public"],
        deps = deps,
    )
