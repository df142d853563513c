#!/usr/bin/env python3
"""Every header compiles alone, and all of a product's compile together.

Alone, a header includes what it uses. The build does not show it, since what a source includes comes after the headers of others that it is
compiled together with. What passed is not compiled again until it, a header that it includes, or the compiler changes
(.tally/headers).

Together, a name means one thing. Two headers that no source includes both can each define tally::Placement, and everything compiles;
but the linker keeps one of two functions of one name, whichever it meets first. A unit that includes all headers is refused.

    tools/check_headers.py FOLDER-OF-GENERATED-HEADERS
"""

import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PASSED = ROOT / ".tally/headers"  # which git ignores
PRODUCT = ("base/", "ops/", "vm/", "engines/", "serializer/", "quant/", "frontends/", "api/", "cli/")
NOT_COMPILED = {
    "base/io/windows/errors.h": "needs Windows' headers",
    "ops/cpu/gemm/epilogue_neon.h": "needs arm64's intrinsics",
    "ops/cpu/gemm/tile_loop_neon.h": "needs arm64's intrinsics",
    "ops/cpu/gemm/simd_simd128.h": "needs WebAssembly's intrinsics",
    "tools/cross/wasm/newer_library.h": "completes another C++ library",
    "ops/cuda/device_thread.h": "is the part of ops/cuda/thread.h that nvcc sees",
    "ops/cuda/device_warpgroup.h": "is a part of ops/cuda/device_thread.h",
    "ops/cuda/emulated_thread.h": "is the other part of ops/cuda/thread.h",
}
APART = "api/python/native/"  # on tally.hpp, whose names are those of the product
MODELS = "ops/cpu/gemm/emulated/"  # have the names of intrinsics
INCLUDE = re.compile(r'^#include [<"]([^">]+)[">]', re.MULTILINE)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


class Compiler:
    def __init__(self, generated):
        self.folders = [ROOT, pathlib.Path(generated)]
        installed = [ROOT / "api/c", ROOT / "api/certificate"]  # whose headers include each other as users do
        paths = [f"-I{folder}" for folder in [*self.folders, *(self.folders[1] / name for name in ("third_party/onnx", "server/protocol")), *installed, "/usr/include/python3.11"]]
        self.command = ["clang++-14", "-std=c++20", "-fsyntax-only", "-w", "-ferror-limit=10", *paths, "-xc++", "-"]
        self.version = output("clang++-14", "--version")

    def errors(self, headers):
        source = "".join(f'#include "{header}"\n' for header in headers)
        done = subprocess.run(self.command, input=source, capture_output=True, text=True, cwd=ROOT)
        return done.stderr if done.returncode != 0 else ""

    @functools.cache
    def read(self, name):
        """The text of a header of ours and what it includes."""
        path = next((folder / name for folder in self.folders if (folder / name).is_file()), None)
        text = path.read_text() if path else ""
        return text, INCLUDE.findall(text)

    def key(self, headers):
        """Of all that decides whether they compile, but for the headers of the system."""
        seen, new = set(), list(headers)
        while new:
            name = new.pop()
            if name not in seen:
                seen.add(name)
                new += self.read(name)[1]
        texts = [self.version, *headers, *(name + self.read(name)[0] for name in sorted(seen))]
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def main(generated):
    files = output("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.h").split()
    headers = [name for name in files if (ROOT / name).exists() and name not in NOT_COMPILED]
    units = [[name for name in headers if name.startswith(PRODUCT) and not name.startswith((MODELS, APART))]]
    units += [[name] for name in headers]

    compiler = Compiler(generated)
    passed = set(PASSED.read_text().split()) if PASSED.exists() else set()
    keys = {tuple(unit): compiler.key(unit) for unit in units}
    new = [unit for unit in keys if keys[unit] not in passed]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, errors in zip(new, pool.map(compiler.errors, new)):
            if errors:
                failed += 1
                what = f"{unit[0]} does not compile alone" if len(unit) == 1 else "headers do not compile together"
                print(f"{what}:\n{errors}", file=sys.stderr)
            else:
                passed.add(keys[unit])
    PASSED.parent.mkdir(exist_ok=True)
    PASSED.write_text("\n".join(sorted(passed & set(keys.values()))) + "\n")
    print(f"{len(units[0])} headers together and {len(units) - 1} alone, {len(new)} units compiled, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
