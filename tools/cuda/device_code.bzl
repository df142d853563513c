"""Device code: a .cu file as cubins for each architecture, and all of them as an image in a C++ source."""

load("@cuda//:defs.bzl", "CUDA_HOME", "CUDA_VERSION")

# The matrix instructions of kernels need sm_80. sm_90a is the H100 with all it has; PTX serves what comes
# later.
ARCHITECTURES = ["sm_80", "sm_90a"]
VIRTUAL_ARCHITECTURE = "compute_80"

NVCC_FLAGS = [
    "-std=c++20",
    "-O3",
    "--expt-relaxed-constexpr",  # base/rescale.h and base/division.h are constexpr
    "-Werror=all-warnings",
]

def _compile(ctx, inputs, include_flags, kind, arch, name):
    out = ctx.actions.declare_file(name)
    ctx.actions.run(
        executable = CUDA_HOME + "/bin/nvcc",
        arguments = NVCC_FLAGS + include_flags + [kind, "-arch=" + arch, "-o", out.path, ctx.file.src.path],
        inputs = inputs,
        outputs = [out],
        env = {"PATH": CUDA_HOME + "/bin:/usr/bin:/bin"},
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s for %s" % (ctx.file.src.short_path, arch),
    )
    return out

def _device_code(ctx):
    if not CUDA_HOME:
        fail("device code needs nvcc, which is neither in CUDA_PATH nor in /usr/local/cuda nor in the PATH")
    headers, includes = [], []
    for dep in ctx.attr.deps:
        context = dep[CcInfo].compilation_context
        headers.append(context.headers)
        includes.append(context.quote_includes)
    inputs = depset([ctx.file.src], transitive = headers)
    include_flags = ["-I" + path for path in depset(transitive = includes).to_list()]

    cubins = [
        _compile(ctx, inputs, include_flags, "-cubin", arch, "%s_%s.cubin" % (ctx.label.name, arch))
        for arch in ARCHITECTURES
    ]
    ptx = _compile(ctx, inputs, include_flags, "-ptx", VIRTUAL_ARCHITECTURE, ctx.label.name + ".ptx")
    image = ctx.actions.declare_file(ctx.label.name + ".fatbin")
    ctx.actions.run(
        executable = CUDA_HOME + "/bin/fatbinary",
        arguments = ["-64", "--create=" + image.path] + [
            "--image3=kind=elf,sm=%s,file=%s" % (arch[len("sm_"):], cubin.path)
            for arch, cubin in zip(ARCHITECTURES, cubins)
        ] + ["--image3=kind=ptx,sm=%s,file=%s" % (VIRTUAL_ARCHITECTURE[len("compute_"):], ptx.path)],
        inputs = cubins + [ptx],
        outputs = [image],
        mnemonic = "CudaImage",
    )
    ctx.actions.run_shell(
        command = """
            (echo '#include "ops/cuda/kernel_image.h"'
             echo 'namespace tally::cuda { namespace { alignas(64) constexpr uint8_t kBytes[] = {'
             od -An -v -tu1 -w64 "$1" | sed 's/ *\\([0-9]\\+\\)/\\1,/g'
             echo '}; }'
             echo "KernelImage EmbeddedKernelImage() { return {kBytes, %d}; }"
             echo '}') > "$2" """ % CUDA_VERSION,
        arguments = [image.path, ctx.outputs.source.path],
        inputs = [image],
        outputs = [ctx.outputs.source],
        mnemonic = "CudaEmbed",
    )
    return [
        DefaultInfo(files = depset([ctx.outputs.source])),
        OutputGroupInfo(cubins = depset(cubins)),
    ]

device_code = rule(
    implementation = _device_code,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "source": attr.output(mandatory = True),  # defines EmbeddedKernelImage
        "src": attr.label(allow_single_file = [".cu"], mandatory = True),
    },
)
