"""Debian's cross compilers."""

load("@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl", "cc_toolchain_config")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")

def debian_toolchain(architecture, cpu):
    """The platform <architecture>, <architecture>_toolchain for it, and is_<architecture>; cpu: in Bazel's and GCC's words."""
    triplet = cpu + "-linux-gnu"
    libraries = architecture + "_libraries"
    native.platform(
        name = architecture,
        constraint_values = ["@platforms//cpu:" + cpu, "@platforms//os:linux"],
    )
    native.config_setting(
        name = "is_" + architecture,
        constraint_values = ["@platforms//cpu:" + cpu],
    )
    native.toolchain(
        name = architecture + "_toolchain",
        target_compatible_with = ["@platforms//cpu:" + cpu, "@platforms//os:linux"],
        toolchain = ":%s_compiler" % architecture,
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )
    cc_toolchain(
        name = architecture + "_compiler",
        # Not one of //...: its files are there once ./dev has brought them.
        tags = ["manual"],
        all_files = "@%s//:libraries" % libraries,
        as_files = ":none",
        compiler_files = "@%s//:headers" % libraries,
        dwp_files = ":none",
        linker_files = "@%s//:libraries" % libraries,
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
            "-fstack-protector",
            "-Wall",
            "-fno-omit-frame-pointer",
            "-isystem",
            "external/%s/usr/include/%s" % (libraries, triplet),
        ],
        compiler = "gcc",
        cpu = cpu,
        cxx_builtin_include_directories = [
            "/usr/%s/include" % triplet,
            "/usr/include",
            "/usr/lib/gcc-cross/%s/12/include" % triplet,
        ],
        host_system_name = "local",
        link_flags = ["-Lexternal/%s/usr/lib/%s" % (libraries, triplet)],
        link_libs = ["-lstdc++", "-lm"],
        opt_compile_flags = ["-g0", "-O2", "-D_FORTIFY_SOURCE=1", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
        opt_link_flags = ["-Wl,--gc-sections"],
        target_libc = "local",
        target_system_name = triplet,
        tool_paths = {
            tool: "/usr/bin/%s-%s" % (triplet, tool)
            for tool in ["ar", "cpp", "gcc", "gcov", "ld", "llvm-cov", "nm", "objcopy", "objdump", "strip"]
        },
        toolchain_identifier = triplet,
        unfiltered_compile_flags = [
            "-fno-canonical-system-headers",
            "-Wno-builtin-macro-redefined",
            "-D__DATE__=\"redacted\"",
            "-D__TIMESTAMP__=\"redacted\"",
            "-D__TIME__=\"redacted\"",
        ],
    )
