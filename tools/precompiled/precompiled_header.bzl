"""A header that GCC parses once for all sources.

GCC takes `x.h.gch` in place of `x.h` where the flags are those that it was made with. The target offers both, beside each
other, to whatever depends on it; `-include` of the header does the rest (tools/tally_rules.bzl).
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("//tools:copts.bzl", "TALLY_COPTS")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    source = ctx.files.srcs[0]
    header = ctx.actions.declare_file(ctx.label.name + "/precompiled.h")

    # Where none is made an empty header leaves sources as they are: clang has another form, and flags of
    # single files (--config=odr) are not known here.
    if toolchain.compiler == "clang" or ctx.var.get("tally_precompiled") == "0":
        ctx.actions.write(header, "")
        return _offer([header])

    ctx.actions.symlink(output = header, target_file = source)
    compiled = ctx.actions.declare_file(ctx.label.name + "/precompiled.h.gch")
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    library = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = source.path,
        output_file = compiled.path,
        user_compile_flags = TALLY_COPTS + ctx.attr.copts + ["-x", "c++-header"] + ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts,
        quote_include_directories = depset(["."]),
        system_include_directories = library.system_includes,
        use_pic = True,
    )
    arguments = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(feature_configuration = features, action_name = CPP_COMPILE_ACTION_NAME),
        arguments = arguments,
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset(ctx.files.srcs, transitive = [toolchain.all_files, library.headers]),
        outputs = [compiled],
        mnemonic = "PrecompileHeader",
        progress_message = "Precompiling %s" % source.short_path,
    )
    return _offer([header, compiled])

def _offer(files):
    context = cc_common.create_compilation_context(headers = depset(files))
    return [CcInfo(compilation_context = context), DefaultInfo(files = depset(files))]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        "copts": attr.string_list(doc = "Those that sources which take it have besides."),
        "deps": attr.label_list(providers = [CcInfo], doc = "Libraries whose headers it includes."),
        "srcs": attr.label_list(allow_files = [".h"], mandatory = True, doc = "The header, and those of ours that it includes."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
