#!/usr/bin/env python3
"""Every label of the stages malformed and invalid, and every constraint of every operator, is in the suite.

    labels_are_covered.py
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# No bytes have these faults: the binary form has no place for them.
UNREACHABLE = {"function_count", "metadata_count", "constant_size", "attribute_count"}
# Labels of proofs: proof/vectors and //proof/receipt:receipt_test have them, and //tests/disputes and
# //proof/dispute those of disputes, and //proof/log those of logs.
OF_PROOFS = {"cbor_head", "cbor_not_shortest", "cbor_type", "proof_version", "claim_status", "bounds_interval", "bounds_storage", "receipt_form", "trace_entry", "origin_form",
             "certificate_form", "certificate_size", "dispute_message", "log_form", "program_types", "tensor_header"}

stages = re.split(r"^### (\w+)$", (ROOT / "docs/spec/errors.md").read_text().split("\n## Labels of tools")[0], flags=re.MULTILINE)
wanted = {label for stage, text in zip(stages[1::2], stages[2::2]) if stage in ("malformed", "invalid")
          for label in re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)} - UNREACHABLE - OF_PROOFS
for page in ROOT.glob("ops/*/spec.md"):
    for name, text in re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL):
        wanted |= {f"{name}_c{n}" for n in re.findall(r"^- C(\d+) ", text, re.MULTILINE)}
cases = [case for path in ROOT.glob("conformance/**/*.json") for case in json.loads(path.read_text()).get("cases", [])]
found = {case["error"] for case in cases if "error" in case}
print(f"{len(cases)} cases, {len(wanted)} labels; missing: {sorted(wanted - found)}; unknown: {sorted(found - wanted)}")
sys.exit(1 if found != wanted or len(wanted) < 300 else 0)
