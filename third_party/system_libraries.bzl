"""The Debian libraries that Tally uses, each an overlay on /usr (see <name>.BUILD)."""

load("//third_party:optional_library.bzl", "optional_library")

SYSTEM_LIBRARIES = [
    "absl",
    "benchmark",
    "boost",
    "cli11",
    "googletest",
    "jpeg",
    "json",
    "onnx",
    "openssl",
    "png",
    "protobuf",
    "pugixml",
    "pybind11",
    "rapidcheck",
    "samplerate",
    "sndfile",
    "z3",
    "zlib",
]

def system_libraries():
    for name in SYSTEM_LIBRARIES:
        native.new_local_repository(
            name = name,
            path = "/usr",
            build_file = "@tally//third_party:%s.BUILD" % name,
        )

    # For --config=arm64 and --config=s390x, which `./dev` prepares.
    for architecture in ["arm64", "s390x"]:
        native.new_local_repository(
            name = architecture + "_libraries",
            path = ".tally/" + architecture,
            build_file = "@tally//third_party:cross_libraries.BUILD",
        )

    # Only a peer to measure against: the benchmarks do without.
    optional_library(
        name = "dnnl",
        header = "/usr/include/oneapi/dnnl/dnnl.hpp",
        linkopts = ["-ldnnl", "-lgomp"],
        macro = "TALLY_HAVE_ONEDNN",
    )
