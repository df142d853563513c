"""Debian's static libraries, so that what is built runs where they are missing, or other versions are."""

def archives(name, libraries, linkopts = [], deps = []):
    """A cc_library of lib<library>.a each, in any order. Headers are found in /usr/include by the compiler itself."""
    native.cc_library(
        name = name,
        linkopts = ["-Wl,--start-group"] + ["-l:lib%s.a" % library for library in libraries] + ["-Wl,--end-group"] + linkopts,
        visibility = ["//visibility:public"],
        deps = deps,
    )
