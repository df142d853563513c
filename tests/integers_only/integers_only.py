#!/usr/bin/env python3
"""The libraries that nodes have to agree on contain no floating point: no type, no literal, no instruction, no call.

    integers_only.py PLANTED.o SOURCES.txt OBJECT..

The sources are those of the tree, without tests; SOURCES.txt lists those that are in the objects; PLANTED.o and planted.cc hold what has to
be found. Instructions are those of x86-64 that calculate, compare or convert. Moves, shuffles and blends of registers serve integers as well, and are allowed.
"""

import functools
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LAYERS = ["base", "ops", "vm", "engines", "serializer", "proof"]

# Sources without an object, and why.
NOT_LINKED = {
    "base/io/windows/": "is compiled for Windows",
    "base/windows/": "is compiled for Windows",
    "ops/op_table_json.cc": "writes a document with a library that knows floating point; no engine has it",
    "ops/cpu/gemm/arm64_": "is compiled for arm64",
    "ops/cpu/gemm/wasm_": "is compiled for WebAssembly",
    "ops/cpu/gemm/emulated/": "models instructions for tests",
    "ops/table/recipe/sample_recipes.cc": "is for tests and benchmarks",
    "proof/audit/auditor.cc": "as proof/verify",
    "proof/log/": "keeps what proof/receipt/receipt.cc has read, and computes hashes",
    "proof/receipt/origin.cc": "as proof/receipt/receipt.cc",
    "proof/receipt/receipt.cc": "reads and writes JSON with a library that knows floating point; what counts is the CBOR in it",
    "proof/verify/": "compares what that file has read",
    "engines/gpu_plan.cc": "is linked with --config=cuda alone",
}

SKIPPED = r"""//[^\n]*|/\*.*?\*/|R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'"""
NUMBER = r"(?<![\w.])\.?\d(?:'?[\w.]|(?<=[eEpP])[-+])*"
TOKEN = re.compile(rf"(?P<skipped>{SKIPPED})|(?P<number>{NUMBER})|(?P<word>\w+)", re.DOTALL)
FLOATING_WORD = re.compile(r"float|double|_Float\d+x?|__float128|__fp16|__bf16|cmath|cfloat|cfenv|ccomplex|complex|math|fenv")
FLOATING_NUMBER = re.compile(r"(?!0[xX]).*[.eE].*|0[xX].*[.pP].*")

CALCULATES = re.compile(
    r"v?(add|sub|mul|div|sqrt|min|max|rcp(14|28)?|rsqrt(14|28)?|round|rndscale|getexp|getmant|scalef|fixupimm|reduce|range"
    r"|exp2|dp|dpb?f?16|hadd|hsub|addsub|cmp\w*|comi|ucomi)([sp][shd])"
    r"|v?cvt\w+"  # conversions
    r"|vfn?m(add|sub|addsub|subadd)\w+|vfc?m\w+"
    r"|f[a-z0-9]+"  # x87
)
# The functions that GCC calls for types that no instruction knows: __addtf3, __floattidf, __fixdfti.
SOFT_FLOAT = re.compile(r"__[a-z]+(?:[hsdxtb]f|bf)[a-z]*\d?")


def sources():
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*")):
            words = path.stem.split("_")
            if path.suffix in (".h", ".cc", ".inc", ".cu") and not {"test", "benchmark"} & set(words):
                if "testing" not in path.parts:
                    yield path


def in_source(text):
    for token in TOKEN.finditer(text):
        word, number = token["word"], token["number"]
        if (word and FLOATING_WORD.fullmatch(word)) or (number and FLOATING_NUMBER.fullmatch(number)):
            yield token[0]


@functools.cache
def calculates(mnemonic):
    return CALCULATES.fullmatch(mnemonic)


def lines(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed")


def in_objects(paths):
    """Mnemonics and symbols, each with the object that has it."""
    path = None
    for line in lines("objdump", "--disassemble", "--no-show-raw-insn", "--wide", *paths):
        if ":     file format" in line:
            path = line.split(":")[0]
        elif (fields := line.split("\t"))[1:] and calculates(mnemonic := fields[1].split()[0]):
            yield path, mnemonic
    (libm,) = lines("gcc", "-print-file-name=libm.so.6")
    calls = {line.split()[-1].split("@")[0] for line in lines("nm", "--dynamic", "--defined-only", libm.strip())}
    for line in lines("nm", "--print-file-name", "--demangle", *paths):
        path, symbol = line.rstrip().split(":", 1)
        name = symbol[19:]
        if name in calls or SOFT_FLOAT.fullmatch(name) or re.search(r"\b(float|double|__float128)\b", name):
            yield path, name


def main(planted, compiled, *objects):
    found = set(in_source((HERE / "planted.cc").read_text())) | {what for _, what in in_objects([planted])}
    expected = {"cmath", "double", "float", "0.5", "mulsd", "cvttss2si", "faddp", "pow", "tally::Scaled(double)"}
    problems = [f"planted.cc: {what} is not found" for what in expected - found]

    tree = [(str(path.relative_to(ROOT)), path) for path in sources()]
    problems += [f"{name}: {what}" for name, path in tree for what in in_source(path.read_text())]
    problems += [f"{path}: {what}" for path, what in in_objects(objects)]

    linked = set(pathlib.Path(compiled).read_text().splitlines())
    for name, path in tree:
        if path.suffix == ".cc" and not name.startswith(tuple(NOT_LINKED)) and name not in linked:
            problems.append(f"{name}: no object of it is looked at")
    print("\n".join(problems))
    print(f"{len(tree)} sources, {len(objects)} objects, {len(problems)} problems")
    return 1 if problems or not objects else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
