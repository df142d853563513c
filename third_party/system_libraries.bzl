"""The Debian libraries that Tally uses, each an overlay on /usr (see <name>.BUILD)."""

SYSTEM_LIBRARIES = [
    "absl",
    "benchmark",
    "boost",
    "cli11",
    "dnnl",
    "googletest",
    "json",
    "onnx",
    "openssl",
    "protobuf",
    "rapidcheck",
    "z3",
]

def system_libraries():
    for name in SYSTEM_LIBRARIES:
        native.new_local_repository(
            name = name,
            path = "/usr",
            build_file = "@tally//third_party:%s.BUILD" % name,
        )
