#!/usr/bin/env python3
"""Looks into cubins: every kernel is there, and kernels of GEMM run on the matrix unit out of registers.

    inspect_device_code.py KERNELS.inc.. -- CUBIN..

KERNELS.inc are the lists of kernels (ops/<family>/cuda/device_kernels.inc). An instruction of sm_80 to sm_90 has 16 bytes, and its
opcode is in the low 12 bits (as cuobjdump -sass shows, which is asked as well where it is installed):
- 0x237 is IMMA, a product of int8 matrices by a warp; 0x9f1 is IGMMA, one by a warpgroup, of sm_90a alone;
- 0x9c5 is WARPGROUP, which begins and awaits those; where ptxas serializes them, there is one behind each;
- 0x983 and 0x387 are LDL and STL. These kernels have no arrays in local memory: what is there was spilled.
"""

import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys

IMMA, IGMMA, WARPGROUP, LDL, STL = 0x237, 0x9F1, 0x9C5, 0x983, 0x387
INSTRUCTION_BYTES = 16
# By the architecture that they are for; elsewhere those of warpgroups only trap.
WARP_KERNELS = re.compile(r"^tally_GemmMma\d+x\d+$")
WARPGROUP_KERNELS = re.compile(r"^tally_GemmWgmma\d+x\d+$")
KERNEL_ENTRY = re.compile(r"^TALLY_CUDA_KERNEL\((\w+),", re.MULTILINE)


def code_sections(elf):
    """The bytes of section .text.<kernel>, by kernel."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    count, names_index = struct.unpack_from("<HH", elf, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, table + 64 * i) for i in range(count)]
    names = headers[names_index][4]
    sections = {}
    for header in headers:
        begin = names + header[0]
        name = elf[begin : elf.index(b"\0", begin)].decode()
        if name.startswith(".text."):
            sections[name[len(".text.") :]] = elf[header[4] : header[4] + header[5]]
    return sections


def count_opcodes(code):
    return collections.Counter(
        struct.unpack_from("<Q", code, at)[0] & 0xFFF for at in range(0, len(code), INSTRUCTION_BYTES)
    )


def count_with_cuobjdump(cubin, kernel, mnemonic):
    text = subprocess.run(["cuobjdump", "-sass", "-fun", kernel, cubin], check=True, capture_output=True, text=True)
    return len(re.findall(rf"\b{mnemonic}\b", text.stdout))


def inspect(cubin, kernel, code):
    """What is wrong with a kernel of sums."""
    warpgroups = WARPGROUP_KERNELS.match(kernel)
    if warpgroups and "sm_90a" not in cubin:
        return
    opcodes = count_opcodes(code)
    mnemonic, products = ("IGMMA", opcodes[IGMMA]) if warpgroups else ("IMMA", opcodes[IMMA])
    spills = opcodes[LDL] + opcodes[STL]
    print(
        f"{pathlib.Path(cubin).name} {kernel}: {products} {mnemonic} of {len(code) // INSTRUCTION_BYTES} instructions, "
        f"{spills} loads and stores of spilled registers"
    )
    if products == 0:
        yield f"has no {mnemonic}"
    if warpgroups and opcodes[WARPGROUP] >= products:
        yield "has serialized products of warpgroups"
    if spills > 0:
        yield "spills registers"
    if shutil.which("cuobjdump") and count_with_cuobjdump(cubin, kernel, mnemonic) != products:
        yield f"has another number of {mnemonic} as cuobjdump counts"


def main(arguments):
    split = arguments.index("--")
    lists, cubins = arguments[:split], arguments[split + 1 :]
    if not cubins:
        print("SKIPPED: this machine has no nvcc, so there is no device code to look into")
        return 0
    expected = {"tally_" + name for path in lists for name in KERNEL_ENTRY.findall(pathlib.Path(path).read_text())}
    problems = []
    for cubin in cubins:
        sections = code_sections(pathlib.Path(cubin).read_bytes())
        if set(sections) != expected:
            problems.append(f"{cubin}: kernels differ from the lists: {sorted(set(sections) ^ expected)}")
        for kernel, code in sorted(sections.items()):
            if WARP_KERNELS.match(kernel) or WARPGROUP_KERNELS.match(kernel):
                problems += [f"{cubin}: {kernel} {problem}" for problem in inspect(cubin, kernel, code)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
