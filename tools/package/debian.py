"""Debian packages of one architecture.

  tally          the tool                         libtally-dev          headers, static library, pkg-config, CMake
  libtally1      the library                      libtally-certificate  the judge of certificates alone
  python3-tally  the Python package, on the tool

They need a C library of 2018 and nothing else, so that one package serves every Debian and Ubuntu since.
"""

import os
import shutil
import subprocess

from binaries import LINKED
from files import ROOT, SUMMARY, digest_of, finish, install

MAINTAINER = "Tally developers <tally@localhost>"
LIBC = "libc6 (>= 2.28)"


class Packages:
    def __init__(self, binaries, version, time, level):
        self.binaries, self.version, self.time, self.level = binaries, version, time, level
        self.contents = {}  # by package: {path: sha256}, what it depends on, and what is linked into it

    def trees(self, staged):
        """The files of each package, its section, what it depends on, and what it is."""
        prefix = staged / "prefix"
        self.binaries.install_libraries(prefix)
        self.binaries.install_tool(staged / "tally/usr")
        lib = f"usr/lib/{self.binaries.triplet}"
        install(prefix / "lib/libtally.so.1", staged / f"libtally1/{lib}/libtally.so.1")
        judge = staged / "libtally-certificate"
        for name in ("libtally_certificate.so", "libtally_certificate.a"):
            install(prefix / "lib" / name, judge / lib / name)
        install(prefix / "include/tally/tally_certificate.h", judge / "usr/include/tally/tally_certificate.h")
        dev = staged / "libtally-dev" / lib
        for name in ("tally.h", "tally.hpp", "tally_audit.h"):
            install(prefix / "include/tally" / name, staged / "libtally-dev/usr/include/tally" / name)
        shutil.copytree(prefix / "lib/cmake", dev / "cmake")
        shutil.copytree(prefix / "lib/pkgconfig", dev / "pkgconfig")
        install(prefix / "lib/libtally.a", dev / "libtally.a")
        (dev / "libtally.so").symlink_to("libtally.so.1")
        # The files name the prefix from where they are; there is one folder more in between here.
        for path, one, two in [(dev / "pkgconfig/tally.pc", "${pcfiledir}/../..", "${pcfiledir}/../../.."),
                               (dev / "pkgconfig/tally.pc", "${prefix}/lib", f"${{prefix}}/lib/{self.binaries.triplet}"),
                               (dev / "cmake/Tally/TallyConfig.cmake", "/../../..", "/../../../.."),
                               (dev / "cmake/Tally/TallyConfig.cmake", "/lib/libtally", f"/lib/{self.binaries.triplet}/libtally")]:
            text = path.read_text()
            assert one in text, (path, one)
            path.write_text(text.replace(one, two))
        package = staged / "python3-tally/usr/lib/python3/dist-packages/tally"
        for source in sorted((ROOT / "api/python/tally").iterdir()):
            if source.is_file():
                install(source, package / source.name)
        install(self.binaries.path("_native.so"), package / "_native.so")
        same = f"(= {self.version})"
        return {
            "tally": ("utils", "", "the tool: models in, modules run, receipts verified"),
            "libtally1": ("libs", LIBC, "the library for C and what is built on it"),
            "libtally-certificate": ("libs", LIBC, "the judge of certificates, which needs no other part"),
            "libtally-dev": ("libdevel", f"libtally1 {same}, libtally-certificate {same}", "headers for C and C++, pkg-config, CMake"),
            "python3-tally": ("python", f"{LIBC}, python3 (>= 3.11), python3-numpy, tally {same}",
                              "modules on NumPy, quantization, receipts"),
        }

    def deb(self, folder, name, tree, section, depends, what):
        install(ROOT / "LICENSE", tree / f"usr/share/doc/{name}/copyright")
        files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
        linked = sorted({library for path in files for library in LINKED.get(path.name.replace(".so.1", ".so"), [])})
        self.contents[name] = ({"/" + str(path.relative_to(tree)): digest_of(path) for path in files}, depends, linked)
        size = sum(path.stat().st_size for path in files) // 1024
        control = tree / "DEBIAN/control"
        control.parent.mkdir()
        control.write_text(f"Package: {name}\nVersion: {self.version}\nArchitecture: {self.binaries.architecture}\nSection: {section}\n"
                           f"Priority: optional\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\n"
                           + (f"Depends: {depends}\n" if depends else "") +
                           f"Description: Tally, {what}\n {SUMMARY[0].upper()}{SUMMARY[1:]}.\n")
        if name == "libtally1":
            (control.parent / "triggers").write_text("activate-noawait ldconfig\n")
            (control.parent / "shlibs").write_text(f"libtally 1 libtally1 (>= {self.version})\n")
        finish(tree, self.time)
        file = folder / f"{name}_{self.version}_{self.binaries.architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{self.level}", "--build", tree, file], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"SOURCE_DATE_EPOCH": str(self.time)})

    def write(self, folder, staged):
        for name, about in self.trees(staged).items():
            self.deb(folder, name, staged / name, *about)
