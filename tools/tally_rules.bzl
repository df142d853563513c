"""The few macros that Tally's BUILD files use."""

load("//tools:copts.bzl", "COLD_COPTS", "LOOP_COPTS", "TALLY_COPTS", "TEST_COPTS")
load("//tools/portable:linkopts.bzl", "OLD_LIBC_LINKOPTS", "PORTABLE_INPUTS")

def _compiled(copts, deps, headers, copts_of_headers = []):
    """copts and deps of a target, with what is parsed once (tools/precompiled) where no flag of its own rules that out."""
    if copts == LOOP_COPTS:
        headers, copts_of_headers = "loops", LOOP_COPTS
    elif copts:
        return {"copts": TALLY_COPTS + copts, "deps": deps}
    return {
        "copts": TALLY_COPTS + copts_of_headers + ["-include", "tools/precompiled/%s/precompiled.h" % headers],
        "deps": deps + ["//tools/precompiled:" + headers],
    }

# The most sources that one run of the compiler takes: more would take long after each change.
_MOST_TOGETHER = 10

def together(sources):
    """srcs, textual_hdrs and copts that compile `sources`, files of this package, in one run: what all include is parsed once.

    All but the last are included before it. With --define=tally_together=0 each is compiled alone, which finds an include that
    is missing. Names in unnamed namespaces have to differ within a library.
    """
    folder = native.package_name()
    included = []
    for source in sources[:-1]:
        included += ["-include", folder + "/" + source]
    return struct(
        copts = select({"//tools:apart": [], "//conditions:default": included}),
        srcs = select({"//tools:apart": sources, "//conditions:default": sources[-1:]}),
        textual_hdrs = select({"//tools:apart": [], "//conditions:default": sources[:-1]}),
    )

def _runs_of(sources):
    """`sources` in as few lists of about equal length as _MOST_TOGETHER allows."""
    count = (len(sources) + _MOST_TOGETHER - 1) // _MOST_TOGETHER
    return [sources[i * len(sources) // count:(i + 1) * len(sources) // count] for i in range(count)]

# target_compatible_with of tests that call POSIX.
POSIX = select({
    "//tools/cross:is_windows": ["@platforms//:incompatible"],
    "//conditions:default": [],
})

def source_of_system(source):
    """srcs of a library: `source`, which is for POSIX, or the file of that name in the package's folder windows."""
    return select({
        "//tools/cross:is_windows": ["windows/" + source.split("/")[-1]],
        "//conditions:default": [source],
    })

def tally_cc_library(name, srcs = [], hdrs = [], deps = [], copts = [], headers = "library", textual_hdrs = [], alwayslink = False, cold = False, visibility = None, **kwargs):
    """A cc_library with Tally's warnings, whose sources are compiled together.

    headers: which of tools/precompiled; "exact" where most sources read cpp_int.
    cold: that its code runs once for a model: it is compiled sooner, and less well.
    """
    kwargs.update(_compiled(copts, deps, "cold" if cold else headers, COLD_COPTS if cold else []))
    if type(srcs) == "select":  # one source for each kind of machine
        native.cc_library(name = name, srcs = srcs, hdrs = hdrs, textual_hdrs = textual_hdrs, alwayslink = alwayslink, visibility = visibility, **kwargs)
        return
    flags = kwargs.pop("copts")
    libraries = kwargs.pop("deps")
    sources = [source for source in srcs if source.endswith(".cc")]
    private = [source for source in srcs if not source.endswith(".cc")]
    runs = _runs_of(sources)
    parts = ["%s.%d" % (name, i + 1) for i in range(len(runs) - 1)]
    for part, run in zip(parts, runs):
        unit = together(run)
        native.cc_library(
            name = part,
            srcs = unit.srcs + private + hdrs,
            copts = flags + unit.copts,
            textual_hdrs = unit.textual_hdrs + textual_hdrs,
            deps = libraries,
            alwayslink = True,
            visibility = ["//visibility:private"],
            **kwargs
        )
    unit = together(runs[-1] if runs else [])
    native.cc_library(
        name = name,
        srcs = unit.srcs + private,
        hdrs = hdrs,
        copts = flags + unit.copts,
        textual_hdrs = unit.textual_hdrs + textual_hdrs,
        deps = libraries + [":" + part for part in parts],
        alwayslink = alwayslink or len(parts) > 0,  # the runs of a library use each other
        visibility = visibility,
        **kwargs
    )

# Programs for another machine are static, so that QEMU needs no libraries, and so are those of a release.
_PROGRAM_LINKOPTS = select({
    "//tools/cross:is_arm64": ["-static"],
    "//tools/cross:is_s390x": ["-static"],
    "//tools/cross:is_windows": ["-static"],
    "//tools/cross:is_wasm": ["--oformat=wasm"],  # whatever its name is
    "//tools/portable:release_arm64": OLD_LIBC_LINKOPTS + ["-l:ld-linux-aarch64.so.1"],  # which has __stack_chk_guard
    "//tools/portable:static_pie": ["-static-pie"],
    "//conditions:default": [],
})

def tally_cc_binary(name, deps = [], copts = [], linkopts = [], linkshared = False, **kwargs):
    """A cc_binary with Tally's warnings."""
    kwargs.update(_compiled(copts, deps, "library"))
    if not linkshared:
        linkopts = linkopts + _PROGRAM_LINKOPTS
        kwargs["additional_linker_inputs"] = select({
            "//tools/portable:release_arm64": PORTABLE_INPUTS,
            "//conditions:default": [],
        })
    native.cc_binary(name = name, linkopts = linkopts, linkshared = linkshared, **kwargs)

def tally_cc_test(name, deps = [], size = "small", copts = [], headers = "test", **kwargs):
    """A GoogleTest from <name>.cc unless srcs says otherwise."""
    kwargs.setdefault("srcs", [name + ".cc"])
    kwargs.update(_compiled(copts, deps + ["@googletest//:gtest_main"], headers, TEST_COPTS))
    native.cc_test(name = name, size = size, linkopts = kwargs.pop("linkopts", []) + _PROGRAM_LINKOPTS, **kwargs)

def tally_cc_property_test(name, deps = [], **kwargs):
    """A GoogleTest whose laws RapidCheck samples, from a fixed seed (RC_PARAMS overrides it)."""
    kwargs["target_compatible_with"] = POSIX  # Debian has RapidCheck for Linux alone
    kwargs.setdefault("env", {"RC_PARAMS": "seed=20260101 max_success=200"})
    tally_cc_test(name = name, deps = deps + ["@rapidcheck"], headers = "property_test", **kwargs)
