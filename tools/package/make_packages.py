#!/usr/bin/env python3
"""Debian packages, a tar.gz, checksums and an SBOM: make_packages.py TALLY LIBTALLY NATIVE FOLDER, from the root of the tree.

  tally          the tool                         libtally-dev   headers, pkg-config, CMake
  libtally1      the library                      python3-tally  the Python package, on the tool

Equal inputs give equal bytes: times are SOURCE_DATE_EPOCH or that of the last commit, and owners are root.
"""

import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path.cwd()
MAINTAINER = "Tally developers <tally@localhost>"
SUMMARY = "integer-only, deterministic inference for verifiable computation"


def output(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", **kwargs).stdout.strip()


def release():
    version = re.search(r'kVersion\[\] = "(.*)"', (ROOT / "base/release.h").read_text())[1]
    return "0~dev" if version == "unreleased" else version


def epoch():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output("git", "log", "-1", "--format=%ct"))


def install(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def libraries_of(*binaries):
    """The packages that these files need, as dpkg-shlibdeps finds them."""
    with tempfile.TemporaryDirectory() as folder:
        debian = pathlib.Path(folder) / "debian"
        debian.mkdir()
        (debian / "control").write_text("Source: tally\n\nPackage: tally\nArchitecture: any\n")
        found = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", *map(str, binaries), cwd=folder, stderr=subprocess.DEVNULL)
    return found.removeprefix("shlibs:Depends=")


def finish(folder, time):
    """Gives every file and folder the same time and plain permissions."""
    for path in sorted(folder.rglob("*"), reverse=True) + [folder]:
        if not path.is_symlink() and path.is_dir():
            path.chmod(0o755)
        os.utime(path, (time, time), follow_symlinks=False)


class Packages:
    def __init__(self, tally, library, native, folder):
        self.tally, self.library, self.native = (pathlib.Path(path).resolve() for path in (tally, library, native))
        self.folder = pathlib.Path(folder)
        self.version, self.time = release(), epoch()
        self.architecture = output("dpkg", "--print-architecture")
        self.triplet = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH")
        self.contents = {}  # by package: {path: sha256}, and what it depends on

    def trees(self, staged):
        """The files of each package, and what it depends on."""
        install(self.tally, staged / "tally/usr/bin/tally", 0o755)
        prefix = staged / "prefix"
        subprocess.run(["api/c/install.sh", prefix, self.library], check=True)
        lib = f"usr/lib/{self.triplet}"
        install(prefix / "lib/libtally.so.1", staged / f"libtally1/{lib}/libtally.so.1")
        dev = staged / f"libtally-dev/{lib}"
        shutil.copytree(prefix / "include", staged / "libtally-dev/usr/include")
        shutil.copytree(prefix / "lib/cmake", dev / "cmake")
        shutil.copytree(prefix / "lib/pkgconfig", dev / "pkgconfig")
        (dev / "libtally.so").symlink_to("libtally.so.1")
        # The files name the prefix from where they are; there is one folder more in between here.
        for path, one, two in [(dev / "pkgconfig/tally.pc", "${pcfiledir}/../..", "${pcfiledir}/../../.."),
                               (dev / "pkgconfig/tally.pc", "${prefix}/lib", f"${{prefix}}/lib/{self.triplet}"),
                               (dev / "cmake/Tally/TallyConfig.cmake", "/../../..", "/../../../.."),
                               (dev / "cmake/Tally/TallyConfig.cmake", "/lib/libtally", f"/lib/{self.triplet}/libtally")]:
            path.write_text(path.read_text().replace(one, two))
        package = staged / "python3-tally/usr/lib/python3/dist-packages/tally"
        for source in sorted((ROOT / "api/python/tally").iterdir()):
            if source.is_file():
                install(source, package / source.name)
        install(self.native, package / "_native.so")
        same = f"(= {self.version})"
        return {
            "tally": ("utils", libraries_of(self.tally), "the tool: models in, modules run, receipts verified"),
            "libtally1": ("libs", libraries_of(self.library), "the library for C and what is built on it"),
            "libtally-dev": ("libdevel", f"libtally1 {same}", "headers for C and C++, pkg-config, CMake"),
            "python3-tally": ("python", f"{libraries_of(self.native)}, python3 (>= 3.11), python3-numpy, tally {same}",
                              "modules on NumPy, quantization, receipts"),
        }

    def deb(self, name, tree, section, depends, what):
        for page in ("LICENSE",):
            install(ROOT / page, tree / f"usr/share/doc/{name}/copyright")
        files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
        self.contents[name] = ({"/" + str(path.relative_to(tree)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
                               depends)
        size = sum(path.stat().st_size for path in files) // 1024
        control = tree / "DEBIAN/control"
        control.parent.mkdir()
        control.write_text(f"Package: {name}\nVersion: {self.version}\nArchitecture: {self.architecture}\nSection: {section}\n"
                           f"Priority: optional\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\nDepends: {depends}\n"
                           f"Description: Tally, {what}\n {SUMMARY[0].upper()}{SUMMARY[1:]}.\n")
        if name == "libtally1":
            (control.parent / "triggers").write_text("activate-noawait ldconfig\n")
            (control.parent / "shlibs").write_text(f"libtally 1 libtally1 (>= {self.version})\n")
        finish(tree, self.time)
        file = self.folder / f"{name}_{self.version}_{self.architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, file], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"SOURCE_DATE_EPOCH": str(self.time)})
        return file

    def archive(self, staged):
        """The same as `./dev install`, for systems without Debian's packages."""
        prefix = staged / "prefix"
        install(self.tally, prefix / "bin/tally", 0o755)
        install(ROOT / "LICENSE", prefix / "LICENSE")
        finish(prefix, self.time)
        file = self.folder / f"tally-{self.version.replace('~', '-')}-{self.architecture}.tar.gz"

        def plain(info):
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mtime = self.time
            return info

        with open(file, "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=self.time) as zipped:
            with tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar:
                for path in sorted(prefix.rglob("*")):
                    tar.add(path, f"tally-{self.version}/{path.relative_to(prefix)}", recursive=False, filter=plain)
        return file

    def sbom(self):
        """SPDX 2.3: our packages with their files, and Debian's that they depend on."""
        created = output("date", "-u", "-d", f"@{self.time}", "+%Y-%m-%dT%H:%M:%SZ")
        packages, files, relations, others = [], [], [], {}
        for name, (contents, depends) in sorted(self.contents.items()):
            packages.append({"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": self.version, "downloadLocation": "NOASSERTION",
                             "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
                             "filesAnalyzed": False})
            relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", f"SPDXRef-{name}"))
            for number, (path, digest) in enumerate(sorted(contents.items())):
                file = f"SPDXRef-{name}-{number}"
                files.append({"SPDXID": file, "fileName": path, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
                              "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION"})
                relations.append((f"SPDXRef-{name}", "CONTAINS", file))
            for other in re.findall(r"([a-z0-9.+-]+)(?: \(([^)]*)\))?", depends):
                if other[0] not in self.contents:
                    others[other[0]] = other[1]
                relations.append((f"SPDXRef-{name}", "DEPENDS_ON", f"SPDXRef-{other[0].replace('+', '.')}"))
        for other, wanted in sorted(others.items()):
            packages.append({"SPDXID": f"SPDXRef-{other.replace('+', '.')}", "name": other, "versionInfo": wanted or "any",
                             "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                             "copyrightText": "NOASSERTION", "filesAnalyzed": False, "supplier": "Organization: Debian"})
        document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tally-{self.version}",
                    "documentNamespace": f"urn:tally:sbom:{self.version}:{self.time}",
                    "creationInfo": {"created": created, "creators": ["Tool: tools/package/make_packages.py"]},
                    "packages": packages, "files": files,
                    "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": two}
                                      for one, kind, two in relations]}
        file = self.folder / "tally.spdx.json"
        file.write_text(json.dumps(document, indent=1) + "\n")
        return file

    def make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as temporary:
            staged = pathlib.Path(temporary)
            made = [self.deb(name, staged / name, *about) for name, about in self.trees(staged).items()]
            made += [self.archive(staged), self.sbom()]
        lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(made)]
        (self.folder / "SHA256SUMS").write_text("".join(lines))
        print("".join(lines), end="")


if __name__ == "__main__":
    Packages(*sys.argv[1:]).make()
