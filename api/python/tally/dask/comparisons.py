"""Comparisons of a module with its float network on data sets."""

from __future__ import annotations

import math
import os
import tempfile
from typing import Any, NamedTuple, Optional, Sequence

import numpy

from tally import tool
from tally.dask.tasks import Cluster, Tasks
from tally.errors import make
from tally.models import Path
from tally.tensors import Array


def compare(client: Cluster, model: Path, module: Path, samples: Array, labels: Optional[Array] = None, *,
            batch: int = 64, **options: Any) -> dict[str, Any]:
    """How far a module is from its float network on a data set, and how often both are right: as `tally.compare`.

    model, module: files that workers reach at the same path. samples: along the first dimension; workers get `batch` of them
    at a time. labels: the right class of each. options: those of `tally.compare`.
    Returns samples, outputs (name, sqnr_db, cosine, largest_steps, agreement), and with labels float_accuracy and
    module_accuracy. Errors: those of `tally.compare`; ValueError.
    """
    if labels is not None and len(labels) != len(samples):
        raise ValueError(f"{len(samples)} samples have {len(labels)} labels: give one for each")
    parts = [(samples[i:i + batch], None if labels is None else labels[i:i + batch]) for i in range(0, len(samples), batch)]
    done: list[_Part] = []
    with Tasks(client, _compare_batch, os.fspath(model), os.fspath(module), options) as tasks:
        while parts or len(tasks):
            while parts and len(tasks) < tasks.capacity():
                tasks.submit(parts.pop())
            for _, results in tasks.finished(timeout=1.0):
                if results is None:
                    raise make(0, "fault", "audit_executor", "workers ended again and again in a comparison")
                done += results
    return _merged(done)


class _Part(NamedTuple):
    """What a comparison of some samples has found: sums, which may be added."""

    samples: int
    shares: dict[str, float]
    outputs: list[dict[str, Any]]


def _compare_batch(model: str, module: str, options: dict[str, Any], part: tuple[Array, Optional[Array]]) -> list[_Part]:
    samples, labels = part
    with tempfile.TemporaryDirectory() as folder:
        given = options if labels is None else options | {"labels": labels}
        said = tool.compare(model, module, samples, output=os.path.join(folder, "out"), progress=False, **given)
        outputs = []
        for output in said["accuracy"]["outputs"]:
            files = [os.path.join(folder, "out", f"{output['name']}.{whose}.npy") for whose in ("float", "module")]
            wanted, got = (numpy.load(file).astype(numpy.float64).ravel() for file in files)
            outputs.append(output | {"signal": wanted @ wanted, "noise": (wanted - got) @ (wanted - got), "module": got @ got,
                                     "both": wanted @ got})
    shares = {name: said[name] for name in ("float_accuracy", "module_accuracy", "float_top5", "module_top5") if name in said}
    return [_Part(len(samples), shares, outputs)]


def _merged(parts: Sequence[_Part]) -> dict[str, Any]:
    count = sum(part.samples for part in parts)
    outputs = []
    for same in zip(*(part.outputs for part in parts)):
        signal, noise, module, both = (sum(output[key] for output in same) for key in ("signal", "noise", "module", "both"))
        is_choice = any(output["sqnr_db"] is None and output["noise"] > 0 for output in same)
        agreement = sum(output["agreement"] * part.samples for output, part in zip(same, parts)) / count
        outputs.append({"name": same[0]["name"],
                        "sqnr_db": None if is_choice or noise == 0 else 10 * math.log10(signal / noise) if signal else -math.inf,
                        "cosine": both / math.sqrt(signal * module) if signal * module > 0 else 1.0 if signal == module else 0.0,
                        "largest_steps": max(output["largest_steps"] for output in same), "agreement": agreement})
    shares = {name: sum(part.shares[name] * part.samples for part in parts) / count for name in (parts[0].shares if parts else {})}
    return {"samples": count, "outputs": outputs} | shares
