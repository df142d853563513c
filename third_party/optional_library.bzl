"""A system library that may be missing: then nothing is linked, and its macro is not defined.

Bazel looks once, when it first needs the library. After installing it: `bazel sync --only=NAME`.
"""

def _optional_library(repository_ctx):
    lines = ["# Headers are found in /usr/include by the compiler itself.", "cc_library("]
    lines.append("    name = \"%s\"," % repository_ctx.name)
    if repository_ctx.path(repository_ctx.attr.header).exists:
        lines.append("    defines = [\"%s\"]," % repository_ctx.attr.macro)
        lines.append("    linkopts = %s," % repository_ctx.attr.linkopts)
    lines += ["    visibility = [\"//visibility:public\"],", ")", ""]
    repository_ctx.file("BUILD", "\n".join(lines))

optional_library = repository_rule(
    implementation = _optional_library,
    local = True,
    attrs = {
        "header": attr.string(mandatory = True),  # whose presence decides
        "linkopts": attr.string_list(),
        "macro": attr.string(mandatory = True),
    },
)
