"""The Debian libraries that Tally uses, each an overlay on /usr (see <name>.BUILD)."""

SYSTEM_LIBRARIES = [
    "absl",
    "benchmark",
    "boost",
    "cli11",
    "dnnl",
    "googletest",
    "grpc",
    "jpeg",
    "json",
    "onnx",
    "openssl",
    "p11kit",
    "png",
    "pqxx",
    "prometheus",
    "protobuf",
    "pugixml",
    "python",
    "rapidcheck",
    "samplerate",
    "secp256k1",
    "sndfile",
    "sqlite",
    "ssl",
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

    # For --config=arm64, s390x, windows and wasm, which `./dev` prepares.
    for architecture in ["arm64", "s390x", "windows", "wasm"]:
        native.new_local_repository(
            name = architecture + "_libraries",
            path = ".tally/" + architecture,
            build_file = "@tally//third_party:cross_libraries.BUILD",
        )
