"""Debian's cross compilers."""

load("@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl", "cc_toolchain_config")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")

# Flags of GCC alone.
_GCC_FLAGS = ["-fstack-protector", "-fno-canonical-system-headers", "-D_FORTIFY_SOURCE=1"]

def debian_toolchain(
        architecture,
        cpu,
        system = "linux",
        triplet = "",
        gcc = "",
        include = [],
        compile_flags = [],
        link_flags = [],
        link_libs = ["-lstdc++", "-lm"],
        gcc_flags = _GCC_FLAGS,
        compiler = "gcc",
        sources = [],
        tools = {}):
    """The platform <architecture>, <architecture>_toolchain for it, and is_<architecture>.

    cpu, system: in Bazel's words.
    triplet: in the names of GCC's programs.
    gcc: a program in the place of GCC, of this folder or an absolute path.
    include: folders of the compiler's own headers.
    compiler: "gcc" or "clang", whose flags and headers are which.
    sources: files that its flags name.
    tools: paths of programs that have other names.
    """
    inputs = sources + [gcc] if gcc and not gcc.startswith("/") else sources
    triplet = triplet or cpu + "-linux-gnu"
    libraries = architecture + "_libraries"
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:" + system]
    native.platform(
        name = architecture,
        constraint_values = constraints,
    )
    native.config_setting(
        name = "is_" + architecture,
        constraint_values = constraints,
    )
    native.filegroup(
        name = architecture + "_compiler_files",
        srcs = ["@%s//:headers" % libraries] + inputs,
        tags = ["manual"],
    )
    native.filegroup(
        name = architecture + "_linker_files",
        srcs = ["@%s//:libraries" % libraries] + inputs,
        tags = ["manual"],
    )
    native.toolchain(
        name = architecture + "_toolchain",
        target_compatible_with = constraints,
        toolchain = ":%s_compiler" % architecture,
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )
    cc_toolchain(
        name = architecture + "_compiler",
        # Not one of //...: its files are there once ./dev has brought them.
        tags = ["manual"],
        all_files = ":%s_linker_files" % architecture,
        as_files = ":none",
        compiler_files = ":%s_compiler_files" % architecture,
        dwp_files = ":none",
        linker_files = ":%s_linker_files" % architecture,
        objcopy_files = ":none",
        strip_files = ":none",
        toolchain_config = ":%s_config" % architecture,
    )

    # The flags that Bazel finds for the compiler of this machine.
    cc_toolchain_config(
        name = architecture + "_config",
        abi_libc_version = "local",
        abi_version = "local",
        compile_flags = [
            "-U_FORTIFY_SOURCE",
            "-Wall",
            "-fno-omit-frame-pointer",
            "-isystem",
            "external/%s/usr/include/%s" % (libraries, triplet),
        ] + gcc_flags + compile_flags,
        compiler = compiler,
        cpu = cpu,
        cxx_builtin_include_directories = [
            "/usr/%s/include" % triplet,
            "/usr/include",
        ] + (include or ["/usr/lib/gcc-cross/%s/12/include" % triplet]),
        host_system_name = "local",
        link_flags = ["-Lexternal/%s/usr/lib/%s" % (libraries, triplet)] + link_flags,
        link_libs = link_libs,
        opt_compile_flags = ["-g0", "-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
        opt_link_flags = ["-Wl,--gc-sections"],
        target_libc = "local",
        target_system_name = triplet,
        tool_paths = dict({
            tool: tools.get(tool, "/usr/bin/%s-%s" % (triplet, tool))
            for tool in ["ar", "cpp", "gcov", "ld", "llvm-cov", "nm", "objcopy", "objdump", "strip"]
        }, gcc = gcc or "/usr/bin/%s-gcc" % triplet),
        toolchain_identifier = triplet,
        unfiltered_compile_flags = [
            "-Wno-builtin-macro-redefined",
            "-D__DATE__=\"redacted\"",
            "-D__TIMESTAMP__=\"redacted\"",
            "-D__TIME__=\"redacted\"",
        ],
    )
