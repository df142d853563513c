"""A library with a C interface, shared and static: exports what its header declares, and hides everything else."""

load("//tools:tally_rules.bzl", "tally_cc_binary")
load("//tools/portable:linkopts.bzl", "PORTABLE_INPUTS", "PORTABLE_LINKOPTS")
load("//tools/portable:static_archive.bzl", "static_archive")

def c_library(name, header, version, deps = [], srcs = [], headers = [], soname = "", linkopts = [], archive = "", visibility = None):
    """<name>.so, and <name>_exports_test, which compares its symbols with the header.

    archive: a pattern of the names that <name>.a exports, which is made of the one dep there is.
    header: whose declarations have visibility "default"; deps have the functions, or srcs.
    headers: that it includes.
    version: of the symbols in exports.lds.
    soname, linkopts: for ELF; <name>.so, or with the number of an ABI.
    """
    library = name + ".so"
    tally_cc_binary(
        name = library,
        srcs = srcs,
        additional_linker_inputs = ["exports.lds"] + select({
            "//tools/cross:is_windows": [],
            "//conditions:default": PORTABLE_INPUTS,
        }),
        copts = ["-fvisibility=hidden"],
        features = ["-supports_start_end_lib"],  # which bfd lacks
        linkopts = ["-Wl,--version-script=$(location exports.lds)"] + select({
            "//tools/cross:is_windows": ["-static"],  # a DLL that needs none but those of Windows
            "//conditions:default": ["-Wl,-soname," + (soname or library)] + linkopts,
        }) + PORTABLE_LINKOPTS,
        linkshared = True,
        visibility = visibility,
        deps = deps,
    )
    if archive:
        static_archive(name = name, dep = deps[0], exports = archive, visibility = visibility)
    native.sh_test(
        name = name + "_exports_test",
        size = "small",
        srcs = ["//api:exports_test.sh"],
        args = ["$(location :%s)" % library, "$(location %s)" % header, version],
        data = [":" + library, header] + headers,
    )
