"""What the tool `tally` does with models: check, quantize, compare, report, bisect. It runs as a program of its own."""

from __future__ import annotations

import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Iterator, Optional, Union

import numpy

from tally.errors import make
from tally.module import Module, load


def path() -> str:
    """The tool: what TALLY_TOOL names, the one in this package, or the one on the path. Errors: FileNotFoundError."""
    beside = pathlib.Path(__file__).parent / "bin/tally"
    found = os.environ.get("TALLY_TOOL") or (str(beside) if beside.exists() else shutil.which("tally"))
    if found is None:
        raise FileNotFoundError("the tool `tally` is not installed: TALLY_TOOL may name it")
    return found


def _options(options: dict, folder: pathlib.Path) -> Iterator[str]:
    """Keyword arguments as the options of the tool: under_scores are dashes; a dict is NAME=VALUE; arrays become files."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
            continue
        values = value.items() if isinstance(value, dict) else [(None, value)]
        if isinstance(value, (list, tuple)):
            values = [(None, one) for one in value]
        for key, one in values:
            if isinstance(one, (numpy.ndarray, numpy.generic)) or hasattr(one, "__array__"):
                file = folder / f"{len(list(folder.iterdir()))}.npy"
                numpy.save(file, numpy.asarray(one))
                one = file
            elif isinstance(one, (list, tuple)):
                one = ",".join(str(part) for part in one)
            # In one word: a value may begin with a dash.
            yield f"{option}={key}={one}" if key is not None else f"{option}={one}"


def _file(name: Any) -> str:
    """A path as an argument of the tool, to which what begins with a dash is an option."""
    return os.path.join(".", name) if str(name).startswith("-") else str(name)


def call(command: str, *arguments: Any, **options: Any) -> dict:
    """The JSON of a command of the tool. Its progress is shown where standard error is a terminal. Errors: tally.Error."""
    with tempfile.TemporaryDirectory() as temporary:
        shown = None if sys.stderr.isatty() else subprocess.PIPE
        line = [path(), command, *map(_file, arguments), *_options(options, pathlib.Path(temporary)), "--json"]
        run = subprocess.run(line, stdout=subprocess.PIPE, stderr=shown, encoding="utf-8")
    try:
        said = json.loads(run.stdout)
    except ValueError:
        raise make(0, "fault", "", run.stderr or f"the tool ended with {run.returncode}") from None
    if "error" in said and "imports" not in said:  # check says why a model does not import
        error = said["error"]
        raise make(0, error["stage"], error["label"], error["message"])
    return said


Path = Union[str, os.PathLike]


def check(model: Path, **options: Any) -> dict:
    """What is in the way of a model, and what its inputs want: a dict. A model that does not import is no exception:
    `imports` is False then."""
    return call("check", model, **options)


def quantize(model: Path, samples: Any = None, output: Optional[Path] = None, **options: Any) -> Module:
    """A tally.Module of a float network, with what the tool says of it as `module.quantization`.

    model: the path of an ONNX, ncnn, OpenVINO or Core ML file. samples: an array for the only input, a dict of arrays or
    paths by name, or a path. output: where the module is kept; only in memory otherwise. options: those of `tally quantize`,
    such as input_grid="image=1/16,0,0,16", target_sqnr=40.
    Errors: ModelError, FileError, RequestError.
    """
    with tempfile.TemporaryDirectory() as temporary:
        file = pathlib.Path(output or pathlib.Path(temporary) / "model.tally")
        said = call("quantize", model, output=str(file), calibrate=samples, **options)
        module = load(file) if output else load(file.read_bytes())
    module.quantization = said
    return module


def compare(model: Path, module: Path, samples: Any, **options: Any) -> dict:
    """How far a module is from its float network on samples: a dict of figures for each output. `module` is the path of one
    that `quantize(..., output=PATH)` has kept. options: those of `tally compare`, such as output="folder" for what both make of
    the samples, as NAME.float.npy and NAME.module.npy."""
    return call("compare", model, module, samples=samples, **options)


def bisect(model: Path, module: Path, samples: Any, **options: Any) -> dict:
    """The first layer of a module that is far from its network: a dict. `module` is a path."""
    return call("bisect", model, module, samples=samples, **options)


class Report:
    """Where a module loses accuracy: `rows`, one dict for each layer (pandas.DataFrame takes them), and `html`, a page."""

    def __init__(self, said: dict, page: str) -> None:
        self.said = said
        self.rows = said["layers"]
        self.html = page

    def _repr_html_(self) -> str:
        names = list(self.rows[0]) if self.rows else []
        head = "".join(f"<th>{name}</th>" for name in names)
        cells = [[html.escape(str(row.get(name))) for name in names] for row in self.rows]  # names are the model's
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        return f"<table><tr>{head}</tr>{body}</table>"


def report(model: Path, module: Path, samples: Any = None, **options: Any) -> Report:
    """A Report. `module` is a path. Give the `calibration` that quantize saved (save_calibration=), or its samples."""
    with tempfile.TemporaryDirectory() as temporary:
        page = pathlib.Path(temporary) / "report.html"
        said = call("report", model, module, samples=samples, html=str(page), **options)
        return Report(said, page.read_text())
