"""Programs in C, C++, Go and Rust that use an installed libtally: they run the digits network, with the digest of the
command line. Also the tests of the Go module and of the Rust crate, where their compilers are installed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, "cli/tests")
LIBRARY, ARCHIVE = (os.path.abspath(sys.argv.pop(2)) for _ in range(2))
from tally_tool import GRID, ToolTest, tally  # noqa: E402: it reads the first argument

ROOT = pathlib.Path.cwd()
RECEIPTS = ROOT / "examples/receipts/digits"
IMAGE = RECEIPTS / "0.npy"
EMBED = ROOT / "examples/embed"

NEGATIVE = """tally 1
profile core
param %0 "x" [2,3] in [-100, 100] scale 3*2^-4 zero -2
%1 = negative %0
result %1 "y"
"""
LONG = """tally 1
profile core
param %0 "x" [] in [-100, 100]
%1 = loop %0 {body = 1, trips = 2147483647, states = 1, scanned = 0, condition = false}
result %1 "y"
function 1
param %0 [] in [0, 2147483646]
param %1 [] in [-100, 100]
%2 = negative %1
result %2
"""


def tool(name):
    """The path of a tool of Debian's, or None."""
    return shutil.which(name, path="/usr/bin:/bin")


def needs(language, *names):
    """For a test that needs tools; says to tools/what_ran.py whether it runs."""
    missing = [name for name in names if tool(name) is None]
    reason = f"not run: {', '.join(missing)} not installed: ./dev setup bindings"
    print(f"ran: use of libtally: {language}: {reason if missing else 'with Debian tools'}", flush=True)
    return unittest.skipIf(missing, reason)


def has_sanitizer(library):
    return re.search("lib(a|t|ub)san", subprocess.run(["ldd", library], stdout=subprocess.PIPE, encoding="utf-8").stdout)


@unittest.skipIf(has_sanitizer(LIBRARY), "the library is built with a sanitizer, which programs of others are not")
class EmbedTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.folder / "prefix"
        subprocess.run(["api/c/install.sh", cls.prefix, LIBRARY, ARCHIVE], check=True)
        cls.done("quantize", ROOT / "examples/digits/digits.onnx", "-o", "digits.tally", "--input-grid", GRID,
                 "--calibration", RECEIPTS / "calibration.json")
        said = cls.done("run", "digits.tally", "--input", f"image={IMAGE}", "-o", "out")
        cls.expected = f"{re.search('gas +([0-9]+)', said)[1]} gas, digest {re.search('digest ([0-9a-f]+)', said)[1]}\n"
        for name, text in [("negative", NEGATIVE), ("long", LONG)]:
            (cls.folder / f"{name}.tallytxt").write_text(text)
            cls.done("asm", f"{name}.tallytxt", "-o", f"{name}.tally")
        cls.environment = os.environ | {
            "PATH": "/usr/bin:/bin",
            "HOME": str(cls.folder),
            "LD_LIBRARY_PATH": str(cls.prefix / "lib"),
            "PKG_CONFIG_PATH": str(cls.prefix / "lib/pkgconfig"),
            "CMAKE_PREFIX_PATH": str(cls.prefix),
            "TALLY_TEST_MODULES": str(cls.folder),
            "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GODEBUG": "cgocheck=2",
            "CARGO_TARGET_DIR": str(cls.folder / "cargo"), "CARGO_NET_OFFLINE": "true",
        }

    def command(self, *args, cwd=None):
        run = subprocess.run(args, cwd=cwd or self.folder, env=self.environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, encoding="utf-8", timeout=600)
        self.assertEqual(run.returncode, 0, run.stdout)
        return run.stdout

    def runs_digits(self, *program):
        self.assertEqual(self.command(*program, "digits.tally", IMAGE), self.expected)

    def flags(self):
        prefix = self.prefix
        return [f"-I{prefix}/include/tally", f"-L{prefix}/lib", "-ltally"]

    def test_c(self):
        self.command("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "in_c", EMBED / "run_module.c", *self.flags())
        self.runs_digits("./in_c")

    def test_cpp(self):
        self.command("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", "in_cpp", EMBED / "run_module.cc",
                     *self.flags())
        self.runs_digits("./in_cpp")

    def test_headers_in_older_dialects(self):
        (self.folder / "older.c").write_text("#include <tally.h>\n")
        self.command("gcc", "-std=c99", "-pedantic", "-Werror", "-c", "older.c", *self.flags()[:1])
        self.command("g++", "-std=c++11", "-pedantic", "-Werror", "-x", "c++", "-c", "older.c", *self.flags()[:1])

    @needs("pkg-config", "pkg-config")
    def test_pkg_config(self):
        said = self.command("pkg-config", "--cflags", "--libs", "tally").split()
        self.command("gcc", "-o", "by_pkg_config", EMBED / "run_module.c", *said)
        self.runs_digits("./by_pkg_config")

    @needs("pkg-config", "pkg-config")
    def test_without_shared_libraries(self):
        said = self.command("pkg-config", "--static", "--cflags", "--libs", "tally").split()
        self.command("gcc", "-static", "-o", "static", EMBED / "run_module.c", *said)
        self.assertNotIn(".so", self.command("readelf", "--dynamic", "static"))
        self.runs_digits("./static")
        names = re.findall(r"^[0-9a-f]+ [^u] (\S+)$", self.command("nm", "--extern-only", "--defined-only", ARCHIVE), re.MULTILINE)
        self.assertGreater(len(names), 30)  # "u" is data that C++ has once in a program, under its own names
        self.assertEqual([name for name in names if not name.startswith("tally_")], [])

    @needs("CMake", "cmake", "make")
    def test_cmake_fetches_an_archive(self):
        shutil.copy(ROOT / "api/c/fetched.cmake", self.prefix / "CMakeLists.txt")
        (self.folder / "fetch").mkdir()
        (self.folder / "fetch/CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(fetch C CXX)\ninclude(FetchContent)\n"
            f"FetchContent_Declare(tally URL {self.folder}/tally.tar.gz)\nFetchContent_MakeAvailable(tally)\n"
            f"add_executable(shared {EMBED}/run_module.c)\ntarget_link_libraries(shared Tally::tally)\n"
            f"add_executable(static {EMBED}/run_module.c)\ntarget_link_libraries(static Tally::tally_static)\n")
        self.command("tar", "-czf", "tally.tar.gz", "-C", self.folder, "prefix")
        self.command("cmake", "-S", "fetch", "-B", "fetched")
        self.command("cmake", "--build", "fetched")
        self.runs_digits("fetched/shared")
        self.runs_digits("fetched/static")

    @needs("CMake", "cmake", "make")
    def test_cmake(self):
        self.command("cmake", "-S", EMBED, "-B", "cmake")
        self.command("cmake", "--build", "cmake")
        self.runs_digits("cmake/run_module_c")
        self.runs_digits("cmake/run_module")

    @needs("Go", "go", "gcc", "pkg-config")
    def test_go(self):
        module = shutil.copytree(ROOT / "api/go", self.folder / "go_module")
        self.command("go", "vet", "./...", cwd=module)
        self.assertIn("ok", self.command("go", "test", "./...", cwd=module))
        self.command("go", "build", "-o", self.folder / "in_go", "./examples/run_module", cwd=module)
        self.runs_digits("./in_go")

    @needs("Rust", "cargo", "rustc", "gcc", "pkg-config")
    def test_rust(self):
        crate = shutil.copytree(ROOT / "api/rust", self.folder / "crate")
        self.assertIn("7 passed", self.command("cargo", "test", "--offline", "--locked", cwd=crate))
        self.command("cargo", "build", "--offline", "--locked", "--example", "run_module", cwd=crate)
        self.runs_digits("cargo/debug/examples/run_module")

    def test_what_does_not_load_is_said(self):
        self.command("gcc", "-o", "in_c", EMBED / "run_module.c", *self.flags())
        run = subprocess.run(["./in_c", IMAGE, IMAGE], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"\Aerror\[bad_magic\]: ")


if __name__ == "__main__":
    unittest.main()
