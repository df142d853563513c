"""One static library of a C interface: Tally and the static libraries that it uses as one object, whose other functions are hidden."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _of(library):
    return library.pic_static_library or library.static_library

def _static_archive_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    on_demand, whole, flags = [], [], []
    for part in ctx.attr.dep[CcInfo].linking_context.linker_inputs.to_list():
        flags += part.user_link_flags
        for library in part.libraries:
            (whole if library.alwayslink else on_demand).append(_of(library))
    archive = ctx.outputs.archive
    ctx.actions.run_shell(
        inputs = depset(whole + on_demand, transitive = [toolchain.all_files]),
        outputs = [archive],
        mnemonic = "StaticArchive",
        command = """set -eu
object=$(mktemp -d)/%s.o
"%s" -r -nostdlib -fuse-ld=bfd -Wl,-d,--force-group-allocation -o "$object" \
  -Wl,--whole-archive %s -Wl,--no-whole-archive -Wl,--start-group %s -Wl,--end-group %s %s
# Static objects of inline functions are unique in a program: they would stay global.
"%s" --wildcard --weaken-symbol="_ZZ*" "$object"
"%s" --wildcard --keep-global-symbol="%s" --strip-unneeded "$object"
rm -f "%s"
"%s" rcD "%s" "$object"
rm -r "$(dirname "$object")"
""" % (
            ctx.label.name,
            toolchain.compiler_executable,
            " ".join([file.path for file in whole]),
            " ".join([file.path for file in on_demand]),
            " ".join(["-L" + folder for folder in ctx.attr.folders]),
            " ".join([flag for flag in flags if flag.startswith("-l:") or flag.endswith("-group")]),
            toolchain.objcopy_executable,
            toolchain.objcopy_executable,
            ctx.attr.exports,
            archive.path,
            toolchain.ar_executable,
            archive.path,
        ),
        use_default_shell_env = True,
    )

_static_archive = rule(
    implementation = _static_archive_impl,
    attrs = {
        "archive": attr.output(mandatory = True),
        "dep": attr.label(mandatory = True, providers = [CcInfo]),
        "exports": attr.string(mandatory = True, doc = "a pattern of the names that stay"),
        "folders": attr.string_list(doc = "where static libraries are, besides those that the compiler knows"),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def static_archive(name, **kwargs):
    """<name>.a. A program that links it adds -lstdc++ -lm -lpthread."""
    _static_archive(
        name = name,
        archive = name + ".a",
        folders = select({
            "//tools/cross:is_arm64": ["external/arm64_libraries/usr/lib/aarch64-linux-gnu"],
            "//conditions:default": [],
        }),
        **kwargs
    )
