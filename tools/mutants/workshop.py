"""A copy of the tree in which mutants are planted, built and run by Bazel."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import schemata

ARM64 = "arm64"


class BuildFailed(Exception):
    pass


class Workshop:
    def __init__(self, root, copy, jobs):
        self.root, self.copy, self.jobs = root, copy, jobs
        self._warnings = []

    def sync(self, mutants):
        """Makes the copy the tree with `mutants` in it. Writes what differs only: the rest stays built."""
        listed = self._output(["git", "ls-files", "--cached", "--others", "--exclude-standard"], self.root).splitlines()
        files = {name for name in listed if (self.root / name).is_file()}
        for path in [path for path in self.copy.rglob("*") if path.is_file() and not path.is_symlink()]:
            if str(path.relative_to(self.copy)) not in files:
                path.unlink()
        planted = {}
        for mutant in mutants:
            planted.setdefault(mutant.file, []).append(mutant)
        for name in sorted(files):
            content = (self.root / name).read_bytes()
            if name in planted:
                content = schemata.rewrite(content.decode(), planted[name]).encode()
            self.write(name, content)
            shutil.copymode(self.root / name, self.copy / name)
        # A choice of faults makes other code, of which compilers suspect more. What sees none of it stays as
        # it was built.
        readers = "|".join(re.escape(name) for name in self._readers(files, set(planted)))
        self._warnings = [f"--per_file_copt=^({readers})$@-Wno-error"] if readers else []

    def _readers(self, files, changed):
        """The sources among `files` that are `changed`, or include, through others too, what is."""
        included = {}
        for name in files:
            if name.endswith((".h", ".cc", ".inc")):
                for header in re.findall(r'^#include "([^"]+)"', (self.copy / name).read_text(), re.MULTILINE):
                    included.setdefault(header, set()).add(name)
        found, ahead = set(changed), list(changed)
        while ahead:
            news = included.get(ahead.pop(), set()) - found
            found |= news
            ahead += news
        return sorted(name for name in found if name.endswith(".cc"))

    def write(self, name, content):
        path = self.copy / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def build(self, labels, platform=""):
        """Builds the tests, or raises BuildFailed with what the compiler said."""
        command = ["bazel", "build", "--keep_going", "--noshow_progress", f"--jobs={self.jobs}", *self._config(platform), *sorted(labels)]
        done = subprocess.run(command, cwd=self.copy, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildFailed(done.stderr)

    def command(self, test, platform=""):
        """How to run a test, "LABEL [ARGUMENTS]", of the last build: arguments, folder, environment."""
        label, *arguments = test.split()
        path = label.removeprefix("//").replace(":", "/")
        binary = self._binaries(platform) / path
        rule = self._rule(label)
        folder = pathlib.Path(f"{binary}.runfiles/tally")
        scratch = self.copy.parent / "scratch"
        scratch.mkdir(exist_ok=True)
        environment = dict(os.environ, TEST_TMPDIR=str(scratch), TEST_SRCDIR=str(folder.parent), TEST_WORKSPACE="tally")
        environment.update(re.findall(r"^test --test_env=(\w+)=(\S*)", (self.copy / ".bazelrc").read_text(), re.MULTILINE))
        environment.update([string.get("value") for string in pair] for pair in rule.findall("dict[@name='env']/pair"))
        environment["GTEST_FAIL_FAST"] = "1"  # one failure is enough,
        if "RC_PARAMS" in environment:
            environment["RC_PARAMS"] += " noshrink=1"  # as it is
        command = [str(binary), *arguments_of(rule), *arguments]
        if platform == ARM64:
            command = ["qemu-aarch64", "-cpu", "max", *command]
            environment["TALLY_UNDER_QEMU"] = "1"
        return command, folder, environment

    @functools.cache
    def _rule(self, label):
        text = self._bazel("query", "--output=xml", label)
        return xml.fromstring(text.replace('version="1.1"', 'version="1.0"', 1)).find("rule")  # all that Python reads

    @functools.cache
    def _binaries(self, platform):
        return pathlib.Path(self._bazel("info", *self._config(platform), "bazel-bin").strip())

    def _config(self, platform):
        return ["--config=arm64", *self._warnings] if platform == ARM64 else self._warnings

    def _bazel(self, *arguments):
        return self._output(["bazel", *arguments], self.copy)

    def _output(self, command, folder):
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def arguments_of(rule):
    """The arguments that a rule of `bazel query --output=xml` passes to its test; files are named from the folder of the test."""
    package = rule.get("name").removeprefix("//").partition(":")[0]
    def place(match):
        return match[1].removeprefix("//").replace(":", "/") if match[1].startswith("//") else f"{package}/{match[1].removeprefix(':')}"
    return [re.sub(r"\$\((?:location|rootpath) ([^)]*)\)", place, string.get("value")) for string in rule.findall("list[@name='args']/string")]


def missing(needs):
    """Why this machine cannot run a mutant that needs `needs`, or nothing."""
    if needs == ARM64:
        tools = [tool for tool in ("aarch64-linux-gnu-g++", "qemu-aarch64") if shutil.which(tool) is None]
        return f"no {' and no '.join(tools)} here: ./dev setup arm64" if tools else ""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "" if not needs or needs in flags else f"this processor has no {needs}"
