"""Debian's static libraries, so that what is built runs where they are missing, or other versions are."""

def _found(libraries):
    return ["-l:lib%s.a" % library for library in libraries]

def archives(name, libraries, windows_libraries = [], linkopts = [], deps = []):
    """A cc_library of lib<library>.a each, in any order. Headers are found in /usr/include by the compiler itself.

    windows_libraries: those that Windows needs besides.
    """
    more = select({"@tally//tools/cross:is_windows": _found(windows_libraries), "//conditions:default": []})
    native.cc_library(
        name = name,
        linkopts = ["-Wl,--start-group"] + _found(libraries) + more + ["-Wl,--end-group"] + linkopts,
        visibility = ["//visibility:public"],
        deps = deps,
    )
