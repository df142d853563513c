"""What the examples with trained networks have in common."""

def trained_model_tests(networks, exports = []):
    """The files that pages use, and NETWORK_test: quantized with the defaults, each network is as good as its float one.

    networks: names of trained_models.py, each with NETWORK.onnx here.
    exports: files beside the networks and README.md.
    """
    native.exports_files(
        [network + ".onnx" for network in networks] + ["README.md"] + exports,
        visibility = ["//cli/layers:__pkg__", "//docs:__pkg__", "//examples:__subpackages__"],
    )
    native.filegroup(
        name = "data",
        srcs = native.glob(["data/*.npy"]),
        visibility = ["//cli/layers:__pkg__", "//docs:__pkg__", "//examples:__subpackages__"],
    )
    for network in networks:
        native.sh_test(
            name = network + "_test",
            size = "medium",  # seconds of processor time, longer beside others
            srcs = ["//cli/tests:cli_test.sh"],
            args = ["$(location //examples:trained_model_test.py)", "$(location //cli:tally)", network],
            data = [
                network + ".onnx",
                ":data",
                "//cli:tally",
                "//examples:trained_model_test.py",
                "//examples:trained_models",
            ],
        )
