#!/usr/bin/env python3
"""Writes Operators.sol from docs/spec/opcodes.json: what the contracts know of each row of the operator table.

usage: gen_operators.py OPCODES_JSON
"""
import json
import sys

# The contracts that judge rows, by the families they have; they have a number by their place here.
REFEREES = {
    "Pointwise": ["elementwise", "comparison", "layout", "rescale", "table", "control"],
    "Products": ["linear"],
    "Reductions": ["reduction", "pooling"],
    "Norms": ["normalization", "attention"],
    "Gathers": ["gather"],
    "Ranks": ["sort", "sampling"],
    "Images": ["image"],
    "Detections": ["detection"],
    "Cells": ["recurrent"],
    "Suppressions": [],  # the steps of Detections
}
# Rows that are elsewhere than their family.
ELSEWHERE = {
    "get_valid_counts": "Gathers", "ctc_greedy_decoder": "Gathers",
    "deformable_conv2d": "Images", "roi_max_pool": "Images", "roi_align": "Images", "psroi_pool": "Images",
    "deformable_psroi_pool": "Images",
}
VARIADIC = 0xff

TEXT = '''// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {{refuse}} from "./Refusal.sol";

// The operator table, from docs/spec/opcodes.json by `./dev docs`; do not edit. A row is packed:
//   operands: 8 bits, attributes: 8, which are lists: 16, which are no signed integers: 16, operands of which
//   many elements are read: 16, of which one: 16, of which few: 16, runs functions: 1, referee: 7
// Operands from the 16th on are as the 16th.
type Row is uint256;

uint256 constant VARIADIC = {variadic};
uint256 constant CONSTANT_OPERATOR = {constant};
uint256 constant CALL_OPERATOR = {call};
uint256 constant IF_OPERATOR = {if_};
uint256 constant LOOP_OPERATOR = {loop};

// 14 bytes for each row. A family has rows without gaps; byte f is where those of family f begin.
bytes constant OPERATORS = hex"{rows}";
uint256 constant FAMILIES = {families};

function rowOf(bytes memory table, uint256 code) pure returns (Row row) {{
    unchecked {{
        uint256 family = code >> 8;
        uint256 number = code & 0xff;
        if (family == 0 || family > {last} || number == 0) refuse("unknown_opcode");
        uint256 pos = uint8(FAMILIES >> (8 * family)) + number - 1;
        if (pos >= uint8(FAMILIES >> (8 * family + 8))) refuse("unknown_opcode");
        uint256 word;
        assembly ("memory-safe") {{
            word := shr(144, mload(add(add(table, 32), mul(pos, 14))))
        }}
        if (word == 0) refuse("unknown_opcode");
        row = Row.wrap(word);
    }}
}}

// The row of a step of a function (Case.sol).
function rowIn(uint256 step) pure returns (Row) {{
    return Row.wrap(step >> 144);
}}

using {{operands, attributes, lists, plain, isWide, readsMany, readsNamed, readsOne, runsFunctions, referee}} for Row global;

function operands(Row row) pure returns (uint256) {{
    return uint8(Row.unwrap(row));
}}

function attributes(Row row) pure returns (uint256) {{
    return uint8(Row.unwrap(row) >> 8);
}}

// Bit k: attribute k is a list.
function lists(Row row) pure returns (uint256) {{
    return uint16(Row.unwrap(row) >> 16);
}}

// Bit k: attribute k is a flag or a position in a list of names.
function plain(Row row) pure returns (uint256) {{
    return uint16(Row.unwrap(row) >> 32);
}}

// Whether it reads many elements of one of so many operands.
function isWide(Row row, uint256 count) pure returns (bool) {{
    uint256 some = count >= 16 ? 0xffff : (1 << count) - 1;
    return uint16(Row.unwrap(row) >> 48) & some != 0;
}}

function readsMany(Row row, uint256 operand) pure returns (bool) {{
    return (Row.unwrap(row) >> (48 + (operand < 16 ? operand : 15))) & 1 == 1;
}}

function readsOne(Row row, uint256 operand) pure returns (bool) {{
    return (Row.unwrap(row) >> (64 + (operand < 16 ? operand : 15))) & 1 == 1;
}}

function readsNamed(Row row, uint256 operand) pure returns (bool) {{
    return (Row.unwrap(row) >> (80 + (operand < 16 ? operand : 15))) & 1 == 1;
}}

function runsFunctions(Row row) pure returns (bool) {{
    return (Row.unwrap(row) >> 96) & 1 == 1;
}}

function referee(Row row) pure returns (uint256) {{
    return uint8(Row.unwrap(row) >> 97) & 127;
}}

{codes}
'''


def row_of(operator):
    least, most = operator["operands"]
    word = least if least == most else VARIADIC
    attributes = operator["attributes"]
    word |= len(attributes) << 8
    for k, attribute in enumerate(attributes):
        word |= (attribute["kind"] == "list") << 16 + k
        word |= (attribute["kind"] in ("boolean", "enumeration")) << 32 + k
    reads = [reach for reach, _ in operator["reads"]]
    for k in range(16 if reads else 0):
        reach = reads[min(k, len(reads) - 1)]
        word |= (reach == "many") << 48 + k
        word |= (reach == "one") << 64 + k
        word |= (reach == "named") << 80 + k
    word |= (not isinstance(operator["results"], int)) << 96
    contract = ELSEWHERE.get(operator["name"]) or next(r for r, f in REFEREES.items() if operator["family"] in f)
    word |= list(REFEREES).index(contract) << 97
    word |= 1 << 104  # there is such a row
    assert word < 1 << 112
    return word


def main():
    operators = {o["code"]: o for o in json.load(open(sys.argv[1]))["operators"]}
    last = max(operators) >> 8
    rows, families = [], 0
    for family in range(1, last + 1):
        families |= len(rows) << 8 * family
        most = max(code & 0xff for code in operators if code >> 8 == family)
        rows += [row_of(operators[c]) if (c := family << 8 | n) in operators else 0 for n in range(1, most + 1)]
    families |= len(rows) << 8 * (last + 1)
    code_of = {o["name"]: code for code, o in operators.items()}
    codes = "\n".join(f"uint256 constant OP_{o['name'].upper()} = {code:#06x};" for code, o in sorted(operators.items()))
    sys.stdout.write(TEXT.format(
        variadic=VARIADIC, constant=code_of["constant"], call=code_of["call"], if_=code_of["if"],
        loop=code_of["loop"], rows="".join(f"{row:028x}" for row in rows), families=hex(families), last=last, codes=codes))


if __name__ == "__main__":
    main()
