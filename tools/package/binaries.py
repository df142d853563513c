"""What ./dev builds for one architecture, and the tree that it becomes: bin, lib, include, share."""

import gzip
import os
import pathlib
import re
import subprocess

from files import ROOT, install, write

TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
CPUS = {"amd64": "x86_64", "arm64": "aarch64"}

# The network of the README, with what its commands read.
DIGITS = ["examples/digits/digits.onnx", "examples/digits/data/calibration.npy", "examples/digits/data/seven.npy",
          "examples/receipts/digits/0.npy", "examples/receipts/digits/0.receipt", "examples/receipts/digits/calibration.json",
          "examples/receipts/key.pub"]

# Where each shell looks, below share.
COMPLETIONS = {"bash": "bash-completion/completions/tally", "zsh": "zsh/vendor-completions/_tally",
               "fish": "fish/vendor_completions.d/tally.fish"}

# Debian's packages whose static libraries are in each file.
LINKED = {"tally": ["libabsl-dev", "libflac-dev", "libjpeg62-turbo-dev", "libogg-dev", "libopus-dev", "libpng-dev", "libprotobuf-dev",
                    "libpugixml-dev", "libsamplerate0-dev", "libsndfile1-dev", "libssl-dev", "libvorbis-dev", "zlib1g-dev", "libc6-dev",
                    "libstdc++-12-dev"],
          "libtally.so": ["libabsl-dev", "libssl-dev", "libstdc++-12-dev"],
          "libtally_certificate.so": ["libabsl-dev", "libstdc++-12-dev"],
          "_native.so": ["libabsl-dev", "libssl-dev", "libstdc++-12-dev"]}


class Binaries:
    """The files of a folder that ./dev has filled for an architecture, in the words of dpkg."""

    def __init__(self, folder, architecture):
        self.folder = pathlib.Path(folder).resolve()
        self.architecture = architecture
        self.triplet, self.cpu = TRIPLETS[architecture], CPUS[architecture]

    def path(self, name):
        return self.folder / name

    def install_tool(self, prefix):
        install(self.path("tally"), prefix / "bin/tally", 0o755)
        for shell, place in COMPLETIONS.items():
            write(prefix / "share" / place, self.printed("completion", shell))
        for command in [[], *self.commands()]:
            page = prefix / "share/man/man1" / ("-".join(["tally", *command]) + ".1.gz")
            write(page, gzip.compress(self.printed("man", *command), mtime=0))
        for file in DIGITS:
            install(ROOT / file, prefix / "share/tally/digits" / os.path.basename(file))

    def printed(self, *args):
        """What the tool prints, by QEMU where it is for another machine."""
        runner = [] if self.cpu == os.uname().machine else [f"qemu-{self.cpu}", "-cpu", "max", "-L", f"/usr/{self.triplet}"]
        return subprocess.run([*runner, self.path("tally"), *args], check=True, stdout=subprocess.PIPE).stdout

    def commands(self):
        """All commands, as their words: those that bash completes after one and after two words."""
        script = self.printed("completion", "bash").decode()
        paths = re.findall(r"^      '((?: \w[-\w]*)+)'\) path", script, re.MULTILINE)
        return [path.split() for path in paths]

    def install_libraries(self, prefix):
        """As ./dev install does: headers, libraries, pkg-config and CMake."""
        libraries = [self.path(name) for name in ("libtally.so", "libtally.a", "libtally_certificate.so", "libtally_certificate.a")]
        subprocess.run(["api/c/install.sh", prefix, *libraries], check=True)
