#!/usr/bin/env python3
"""frontends/graph is for all formats: its files have no word of one."""

import pathlib
import re
import sys

WORDS = re.compile(r"onnx|opset|protobuf|\w+Proto\b|ncnn|openvino|core ?ml|\bcvm\b|QuantizeLinear", re.IGNORECASE)

files = [path for path in pathlib.Path(__file__).parent.rglob("*") if path.suffix in (".h", ".cc")]
found = [f"{path}:{number}: {line.strip()}" for path in files
         for number, line in enumerate(path.read_text().splitlines(), 1) if WORDS.search(line)]
print("\n".join(found) or f"{len(files)} files without a word of a format")
sys.exit(1 if found or len(files) < 20 else 0)
