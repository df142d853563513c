"""Conan's recipe for libtally, from the archive of a release: TALLY_RELEASE=FOLDER conan create api/c/conanfile.py

FOLDER has tally-VERSION-linux-CPU.tar.gz and SHA256SUMS, as ./dev release writes them.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import check_sha256, copy, unzip


class TallyConan(ConanFile):
    name = "tally"
    license = "Apache-2.0"
    description = "Integer-only, deterministic inference for verifiable computation"
    settings = "os", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    package_type = "library"

    def set_version(self):
        archives = [re.fullmatch(r"tally-(.*)-linux-x86_64\.tar\.gz", name) for name in os.listdir(os.environ["TALLY_RELEASE"])]
        self.version = next(match[1] for match in archives if match)

    def validate(self):
        if self.settings.os != "Linux" or str(self.settings.arch) not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("a release has libtally for Linux on x86_64 and armv8")

    def build(self):
        cpu = {"x86_64": "x86_64", "armv8": "aarch64"}[str(self.settings.arch)]
        folder, archive = os.environ["TALLY_RELEASE"], f"tally-{self.version}-linux-{cpu}.tar.gz"
        with open(os.path.join(folder, "SHA256SUMS")) as sums:
            digest = next(line.split()[0] for line in sums if line.split()[1] == archive)
        check_sha256(self, os.path.join(folder, archive), digest)
        unzip(self, os.path.join(folder, archive), strip_root=True)

    def package(self):
        library = "libtally.so*" if self.options.shared else "libtally.a"
        copy(self, library, os.path.join(self.build_folder, "lib"), os.path.join(self.package_folder, "lib"))
        copy(self, "*", os.path.join(self.build_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.libs = ["tally"]
        self.cpp_info.includedirs = ["include/tally"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["stdc++", "m", "pthread"]
