#!/usr/bin/env python3
"""All that the page of a release holds: make_release.py FOLDER ARCHITECTURE=BINARIES.. [OPTIONS].

From the root of the tree. BINARIES has what ./dev release builds for an architecture. Equal inputs give equal bytes: times
are SOURCE_DATE_EPOCH or that of the last commit, and owners are root. --key: the Ed25519 key that signs SHA256SUMS.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

import sbom
from binaries import Binaries
from debian import Packages
from files import ROOT, epoch, install, version, write_archive, write_checksums
from windows import write_windows


def release_notes(number):
    """The section of the changelog."""
    section = re.search(rf"^## \[{re.escape(number)}\].*?(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"make_release: CHANGELOG.md has no section [{number}], the version of base/release.h")
    return section[0]


def write_prefix(folder, binaries, number, time, staged):
    """bin, lib, include and share, for systems without Debian's packages and for CMake's FetchContent."""
    prefix = staged / "prefix"
    binaries.install_tool(prefix)
    install(binaries.path("tally_minimal"), prefix / "bin/tally_minimal", 0o755)
    binaries.install_libraries(prefix)
    install(ROOT / "LICENSE", prefix / "LICENSE")
    install(ROOT / "api/c/fetched.cmake", prefix / "CMakeLists.txt")
    name = f"tally-{number}-linux-{binaries.cpu}"
    write_archive(folder / f"{name}.tar.gz", prefix, name, time)


def write_wheel(folder, binaries):
    subprocess.run(["api/python/make_wheel.sh", binaries.path("_native.so"), binaries.path("tally"), folder, binaries.cpu], check=True,
                   stdout=subprocess.DEVNULL)


def write_sources(folder, number, time, staged):
    """The tree as it is committed, and the conformance suite with the specification alone."""
    subprocess.run(f"git archive --format=tar HEAD | tar -x -C {staged}", shell=True, check=True)
    suite = staged.parent / "suite"
    for name in ("conformance", "docs/spec"):
        shutil.copytree(staged / name, suite / name)
    install(ROOT / "LICENSE", suite / "LICENSE")
    write_archive(folder / f"tally-{number}-source.tar.gz", staged, f"tally-{number}", time)
    write_archive(folder / f"tally-{number}-conformance.tar.gz", suite, f"tally-{number}-conformance", time)


def sign(folder, key):
    """openssl pkeyutl -verify -rawin -pubin -inkey release.pub -in SHA256SUMS -sigfile SHA256SUMS.sig"""
    subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", folder / "SHA256SUMS", "-out",
                    folder / "SHA256SUMS.sig"], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", folder / "release.pub"], check=True)


def make(options):
    folder, number, time = pathlib.Path(options.folder), version(), epoch()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    contents = {}
    for pair in options.binaries:
        architecture, built = pair.split("=", 1)
        if architecture == "windows":
            with tempfile.TemporaryDirectory() as temporary:
                contents["tally", "windows"] = write_windows(folder, pathlib.Path(built), number, time, pathlib.Path(temporary))
            continue
        if architecture == "wasm":
            install(pathlib.Path(built, f"tally-vm-{number}.tgz"), folder / f"tally-vm-{number}.tgz")
            install(pathlib.Path(built, "verify.html"), folder / f"tally-verify-{number}.html")
            continue
        binaries = Binaries(built, architecture)
        with tempfile.TemporaryDirectory() as temporary:
            packages = Packages(binaries, number, time, options.level)
            packages.write(folder, pathlib.Path(temporary))
            contents |= {(name, binaries.architecture): about for name, about in packages.contents.items()}
        with tempfile.TemporaryDirectory() as temporary:
            write_prefix(folder, binaries, number, time, pathlib.Path(temporary))
        if not options.packages_only:
            write_wheel(folder, binaries)
    (folder / f"tally-{number}.spdx.json").write_text(sbom.document(contents, number, time))
    if not options.packages_only:
        with tempfile.TemporaryDirectory() as temporary:
            tree = pathlib.Path(temporary) / "tree"
            tree.mkdir()
            write_sources(folder, number, time, tree)
        (folder / "RELEASE_NOTES.md").write_text(release_notes(number))
    write_checksums(folder)
    if options.key:
        sign(folder, options.key)
    print((folder / "SHA256SUMS").read_text(), end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("binaries", nargs="+", metavar="ARCHITECTURE=FOLDER")
    parser.add_argument("--key")
    parser.add_argument("--level", default=6, help="how hard packages are compressed, 0 to 9")
    parser.add_argument("--packages-only", action="store_true")
    make(parser.parse_args())
