"""Models and modules as the tool takes them: paths. Objects of other frameworks become files."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any, Union

import numpy

from tally.module import Module

Path = Union[str, "os.PathLike[str]"]


def _is_torch(model: Any) -> bool:
    torch = sys.modules.get("torch")  # nobody has a module of it who has not imported it
    return torch is not None and isinstance(model, torch.nn.Module)


def _examples(samples: Any, torch: Any) -> dict[str, Any]:
    """One sample of each input, as tensors of torch."""

    by_name = samples if isinstance(samples, dict) else {"input": samples}
    if not by_name or not all(hasattr(array, "__array__") for array in by_name.values()):
        raise TypeError("a module of torch needs samples as arrays, of its only input or a dict of them in the order of its inputs")
    return {name: torch.from_numpy(numpy.array(numpy.asarray(array)[:1])) for name, array in by_name.items()}


def model_file(model: Any, samples: Any, folder: pathlib.Path) -> Path:
    """The path of a model: itself, or of a file in `folder` that is written for a torch.nn.Module or an onnx.ModelProto.

    samples: those that the tool is given, with which torch traces its module. Errors: TypeError.
    """
    if isinstance(model, (str, os.PathLike)):
        return model
    file = folder / "model.onnx"
    if _is_torch(model):
        torch = sys.modules["torch"]
        examples = _examples(samples, torch)
        was_training = model.training
        model.eval()
        try:
            torch.onnx.export(model, tuple(examples.values()), str(file), input_names=list(examples))
        finally:
            model.train(was_training)
        return file
    if callable(getattr(model, "SerializeToString", None)):
        file.write_bytes(model.SerializeToString())
        return file
    raise TypeError(f"a model is a path, an onnx.ModelProto or a torch.nn.Module, not {type(model).__name__}")


def module_file(module: Any, folder: pathlib.Path) -> Path:
    """The path of a module: itself, or that of a tally.Module, which is written into `folder` where it has no file. Errors: TypeError."""
    if isinstance(module, (str, os.PathLike)):
        return module
    if not isinstance(module, Module):
        raise TypeError(f"a module is a path or a tally.Module, not {type(module).__name__}")
    if isinstance(module._source, bytes):
        module.save(folder / "module.tally")
        return folder / "module.tally"
    return str(module._source)
