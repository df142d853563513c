#!/usr/bin/env python3
"""The table of docs/formats/onnx.md, from the lists of the two importers.

    onnx_operators.py FLOAT.inc CONTRIB.inc QUANTIZED.inc EXACT.inc ML.inc PAGE            writes the table into the page
    onnx_operators.py FLOAT.inc CONTRIB.inc QUANTIZED.inc EXACT.inc ML.inc PAGE --check    1 if the page has another one

A row of FLOAT and EXACT is MACRO(operator, first opset, last opset, importer), one of CONTRIB MACRO(operator of another domain, importer
or expansion), one of QUANTIZED MACRO(operator, domain, operator on floats, ...), one of ML
MACRO(operator of ai.onnx.ml, importer). What follows a row as a comment goes into the table.
"""
import re
import sys

import generated_table

ROW = re.compile(r"^ONNX_\w+\((\w+),\s*(\d+),\s*(\d+),\s*(\w+)\)(?:\s*// (.*))?$")
CONTRIB_ROW = re.compile(r"^ONNX_(CONTRIB|FUSED|QONNX|ML)\((\w+),\s*\w+\)(?:\s*// (.*))?$")
ML_ROW = re.compile(r"^ONNX_EXACT_ML\((\w+),\s*\w+\)(?:\s*// (.*))?$")
QUANTIZED_ROW = re.compile(r'^QUANTIZED_NODE\((\w+),\s*"([\w.]*)",\s*"(\w+)",')
BEGIN, END = "<!-- the operators, by ./dev docs -->\n", "<!-- end of the operators -->\n"
NEWEST = 28
DOMAINS = {"QONNX": "qonnx.custom_op.general", "ML": "ai.onnx.ml"}  # by macro


def rows_of(path):
    """{operator: ([(first opset, last opset)], [notes])}; of importers that only refuse, none, but where a comment says what is read."""
    rows = {}
    for row in generated_table.matches(path, ROW):
        name, first, last, importer, note = row.groups()
        if importer.startswith("Refuse") and not note:
            continue
        opsets, notes = rows.setdefault(name, ([], []))
        opsets.append((int(first), int(last)))
        if note:
            notes.append(note)
    return rows


def contrib_rows(path):
    """Rows of the table, by name."""
    rows = {}
    for row in generated_table.matches(path, CONTRIB_ROW):
        name = f"{DOMAINS.get(row[1], 'com.microsoft')}.{row[2]}"
        rows[name] = f"| {name} | any | | {row[3] or ''} |"
    return rows


def ml_rows(path, on_floats):
    """Rows of the table, by name, with what those `on_floats` say."""
    rows = {}
    for row in generated_table.matches(path, ML_ROW):
        name = f"ai.onnx.ml.{row[1]}"
        _, _, floats, _, note, _ = on_floats.get(name, "|||||").split("|")
        notes = dict.fromkeys(each for each in (note.strip(), row[2]) if each)
        rows[name] = f"| {name} |{floats.rstrip()} | any | {'; '.join(notes)} |"
    return rows


def quantized_rows(path):
    """Rows of the table, by name."""
    rows = {}
    for row in generated_table.matches(path, QUANTIZED_ROW):
        name, domain, on_floats = row.groups()
        what = "as that of ONNX" if name == on_floats else f"as {on_floats} between DequantizeLinear and QuantizeLinear"
        if name.endswith("Integer"):
            what = (f"as {on_floats} of what DequantizeLinear gives, of integer inputs; and after DynamicQuantizeLinear, before Cast and "
                    "Mul, as exporters of dynamic quantization write it")
        name = f"{domain}.{name}" if domain else name
        rows[name] = f"| {name} | any | | {what} |"
    return rows


def opsets_of(rows, name):
    if name not in rows:
        return ""
    ranges = sorted(rows[name][0])
    first, last = ranges[0][0], ranges[-1][1]
    return f"{max(first, 7)}" + ("" if last == NEWEST else f" to {last}")


def table(floats, others, exact):
    rows = dict(others)
    for name in floats.keys() | exact.keys():
        notes = floats.get(name, ([], []))[1] + exact.get(name, ([], []))[1]
        on_floats = rows[name].split("|")[2].strip() if name in rows else opsets_of(floats, name)
        notes += [rows[name].split("|")[4].strip()] if name in rows else []
        rows[name] = f"| {name} | {on_floats} | {opsets_of(exact, name)} | {'; '.join(notes)} |"
    head = ["| operator | floats, from opset | exact, from opset | what is read |", "| --- | --- | --- | --- |"]
    return "\n".join(head + [rows[name] for name in sorted(rows, key=str.lower)]) + "\n"


def main(floats, contrib, quantized, exact, ml, page, *options):
    others = contrib_rows(contrib) | quantized_rows(quantized)
    rows = table(rows_of(floats), others | ml_rows(ml, others), rows_of(exact))
    generated_table.put(page, BEGIN, rows, END, options, "the importers' lists")


if __name__ == "__main__":
    if len(sys.argv) not in (7, 8):
        sys.exit(__doc__)
    main(*sys.argv[1:])
