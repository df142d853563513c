"""NVIDIA's compiler, where it is installed: in CUDA_PATH, /usr/local/cuda or the PATH.

Bazel looks once, when it first needs it. After installing it: `bazel sync --only=cuda`.
"""

def _cuda_toolkit(repository_ctx):
    places = [repository_ctx.os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    found = [place for place in places if place and repository_ctx.path(place + "/bin/nvcc").exists]
    in_path = repository_ctx.which("nvcc")
    home = found[0] if found else str(in_path.realpath.dirname.dirname) if in_path else ""
    version = 0
    if home:
        text = repository_ctx.execute([home + "/bin/nvcc", "--version"]).stdout
        release = text.split("release ")[1].split(",")[0].split(".")
        version = int(release[0]) * 1000 + int(release[1]) * 10
    repository_ctx.file("BUILD", "")
    repository_ctx.file("defs.bzl", "\n".join([
        "CUDA_HOME = \"%s\"  # empty when there is none" % home,
        "CUDA_VERSION = %d  # as the driver counts: 13000 for CUDA 13.0" % version,
        "",
    ]))

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit,
    local = True,
    environ = ["CUDA_PATH", "PATH"],
)
