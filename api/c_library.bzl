"""A shared library with a C interface: exports what its header declares, as one version, and hides everything else."""

load("//tools:tally_rules.bzl", "tally_cc_binary")

def c_library(name, header, version, deps = [], srcs = [], headers = [], soname = "", linkopts = [], visibility = None):
    """<name>.so, and <name>_exports_test, which compares its symbols with the header.

    header: whose declarations have visibility "default"; deps have the functions, or srcs.
    headers: that it includes.
    version: of the symbols in exports.lds.
    soname: <name>.so, or with the number of an ABI.
    """
    library = name + ".so"
    tally_cc_binary(
        name = library,
        srcs = srcs,
        additional_linker_inputs = ["exports.lds"],
        copts = ["-fvisibility=hidden"],
        features = ["-supports_start_end_lib"],  # which bfd lacks
        linkopts = [
            "-Wl,--version-script=$(location exports.lds)",
            "-Wl,-soname," + (soname or library),
            "-fuse-ld=bfd",  # gold exports what libstdc++ has too, whatever the script says
        ] + linkopts,
        linkshared = True,
        visibility = visibility,
        deps = deps,
    )
    native.sh_test(
        name = name + "_exports_test",
        size = "small",
        srcs = ["//api:exports_test.sh"],
        args = ["$(location :%s)" % library, "$(location %s)" % header, version],
        data = [":" + library, header] + headers,
    )
