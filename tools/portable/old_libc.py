#!/usr/bin/env python3
"""Stubs of an old C library to link with, so that a shared library runs wherever that version or a later one is.

old_libc.py VERSION COMPILER NEWER FOLDER: COMPILER is GCC of the machine that is linked for, and NEWER newer_libc.c.
FOLDER gets libc.so, libm.so, libpthread.so, libdl.so and librt.so. Each names the functions that this machine's own
library has, in the newest form that VERSION (2.28, say) had too. What came later has no form there: NEWER has it, or the
linker says that it is missing. libstdc++.a is GCC's own for shared libraries, where the linker finds it first.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# By the linker's name of each. Those that were apart before glibc 2.34 are empty since, and still asked for.
LIBRARIES = {"c": "libc.so.6", "m": "libm.so.6", "pthread": "libpthread.so.0", "dl": "libdl.so.2", "rt": "librt.so.1"}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def number_of(version):
    return tuple(int(part) for part in version.split("."))


def symbols_of(library, newest):
    """Name, version, kind and size of each symbol, in its newest form up to `newest`."""
    found = {}
    for line in output("readelf", "--dyn-syms", "--wide", library).splitlines():
        match = re.match(r" *\d+: \w+ +(\d+|0x\w+) (FUNC|OBJECT|IFUNC|NOTYPE) +(?:GLOBAL|WEAK) +DEFAULT +\d+ (\w+)@@?GLIBC_([\d.]+)$", line)
        if not match:
            continue
        size, kind, name, version = match.groups()
        if number_of(version) <= newest and (name not in found or number_of(version) > number_of(found[name][0])):
            found[name] = (version, kind, int(size, 0))
    return found


def assembly(symbols):
    lines = []
    for name, (version, kind, size) in sorted(symbols.items()):
        is_data = kind == "OBJECT"
        lines += [".data" if is_data else ".text", f".globl of_{name}", f".type of_{name}, {'%object' if is_data else '%function'}",
                  f"of_{name}: .space {max(size, 1) if is_data else 1}", f".size of_{name}, {size if is_data else 1}",
                  f".symver of_{name}, {name}@@GLIBC_{version}"]
    return "\n".join(lines + ['.section .note.GNU-stack, "", %progbits', ""])


def make(newest, compiler, newer_source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for short, name in LIBRARIES.items():
            real = output(compiler, f"-print-file-name={name}").strip()
            symbols = symbols_of(real, newest)
            (work / "stub.S").write_text(assembly(symbols))
            versions = sorted({version for version, _, _ in symbols.values()}, key=number_of)
            (work / "versions").write_text("".join(f"GLIBC_{version} {{}};\n" for version in versions))
            script = [f"-Wl,--version-script={work / 'versions'}"] if versions else []
            made = folder / (name if short == "c" else f"lib{short}.so")
            subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", *script, "-o", made, work / "stub.S"], check=True)
        subprocess.run([compiler, "-O2", "-fPIC", "-fvisibility=hidden", "-c", newer_source, "-o", work / "newer.o"], check=True)
        newer = folder / "libnewer_libc.a"
        newer.unlink(missing_ok=True)
        subprocess.run(["ar", "rcD", newer, work / "newer.o"], check=True)
    (folder / "libc.so").write_text("GROUP ( libc.so.6 libnewer_libc.a libc_nonshared.a )\n")
    shutil.copyfile(output(compiler, "-print-file-name=libstdc++_pic.a").strip(), folder / "libstdc++.a")


if __name__ == "__main__":
    make(number_of(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]))
