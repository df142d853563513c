#!/usr/bin/env python3
"""Looks into cubins: every kernel is there, and kernels of weighted sums run on the matrix unit.

    inspect_device_code.py KERNELS.inc.. -- CUBIN..

KERNELS.inc are the lists of kernels (ops/<family>/cuda_kernels.inc). An instruction of sm_80 to sm_90 has 16 bytes, and its
opcode is in the low 12 bits; IMMA, the product of int8 matrices, has 0x237 (as cuobjdump -sass shows). cuobjdump is asked
as well where it is installed.
"""

import pathlib
import re
import shutil
import struct
import subprocess
import sys

IMMA = 0x237
INSTRUCTION_BYTES = 16
MATRIX_KERNELS = re.compile(r"^tally_Sums")
KERNEL_ROW = re.compile(r"^TALLY_CUDA_KERNEL\((\w+),", re.MULTILINE)


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


def count_imma(code):
    opcodes = (struct.unpack_from("<Q", code, at)[0] & 0xFFF for at in range(0, len(code), INSTRUCTION_BYTES))
    return sum(opcode == IMMA for opcode in opcodes)


def count_imma_with_cuobjdump(cubin, kernel):
    text = subprocess.run(["cuobjdump", "-sass", "-fun", kernel, cubin], check=True, capture_output=True, text=True)
    return text.stdout.count("IMMA")


def main(arguments):
    split = arguments.index("--")
    lists, cubins = arguments[:split], arguments[split + 1 :]
    if not cubins:
        print("SKIPPED: this machine has no nvcc, so there is no device code to look into")
        return 0
    expected = {"tally_" + name for path in lists for name in KERNEL_ROW.findall(pathlib.Path(path).read_text())}
    problems = []
    for cubin in cubins:
        sections = code_sections(pathlib.Path(cubin).read_bytes())
        if set(sections) != expected:
            problems.append(f"{cubin}: kernels differ from the lists: {sorted(set(sections) ^ expected)}")
        for kernel, code in sorted(sections.items()):
            if not MATRIX_KERNELS.match(kernel):
                continue
            imma = count_imma(code)
            print(f"{pathlib.Path(cubin).name} {kernel}: {imma} IMMA of {len(code) // INSTRUCTION_BYTES} instructions")
            if imma == 0:
                problems.append(f"{cubin}: {kernel} has no instruction of the matrix unit")
            if shutil.which("cuobjdump") and count_imma_with_cuobjdump(cubin, kernel) != imma:
                problems.append(f"{cubin}: cuobjdump counts another number of IMMA in {kernel}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
