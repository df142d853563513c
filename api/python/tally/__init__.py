"""Tally: integer networks whose results are the same bytes on every machine.

    import tally
    module = tally.quantize("digits.onnx", samples, input_grid="image=1/16,0,0,16")
    plan = module.plan(threads=2)
    scores = plan(image)
    results, receipt = plan.run_signed({"image": image}, tally.Key.generate())

What the C library and the tool refuse are exceptions: tally.Error, and a class below it for each stage.
"""

from __future__ import annotations

from typing import Any

from tally import _native
from tally.audits import Auditor, Verdict, audit
from tally.errors import (Error, FaultError, FileError, InvalidError, JudgedError, MalformedError, ModelError, ProofError,
                          RefusedError, RequestError, TextError)
from tally.module import Module, Plan, load
from tally.receipts import Finding, Key, PublicKey, Receipt, check_certificate
from tally.tool import Figures, Report, bisect, check, compare, quantize, report
from tally.values import Grid, Value

__version__ = _native.version()


def digest(array: Any) -> str:
    """The digest of a value of a run, 64 hexadecimal digits, which `tally run` prints. It binds shape and dtype."""
    return _native.tensor_digest(array).hex()


def engines() -> list[tuple[str, str, bool]]:
    """(name, what it is for or why it is not available, whether it is available) of each engine."""
    return _native.engines()


__all__ = [
    "Auditor", "Error", "FaultError", "Figures", "FileError", "Finding", "Grid", "InvalidError", "JudgedError",
    "Key", "MalformedError", "ModelError", "Module", "Plan", "ProofError", "PublicKey", "Receipt", "RefusedError",
    "Report", "RequestError", "TextError", "Value", "Verdict", "audit", "bisect", "check", "check_certificate",
    "compare", "digest", "engines", "load", "quantize", "report",
]
