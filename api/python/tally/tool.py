"""What the tool `tally` does with models: check, quantize, compare, report, bisect. It runs as a program of its own."""

from __future__ import annotations

import html
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Iterator, Optional

import numpy

from tally.errors import make
from tally.models import Path, model_file, module_file
from tally.module import Module, load
from tally.progress import Progress, chosen, follow


def path() -> str:
    """The tool: what TALLY_TOOL names, the one in this package, or the one on the path. Errors: FileNotFoundError."""
    beside = pathlib.Path(__file__).parent / "bin/tally"
    found = os.environ.get("TALLY_TOOL") or (str(beside) if beside.exists() else shutil.which("tally"))
    if found is None:
        raise FileNotFoundError("the tool `tally` is not installed: TALLY_TOOL may name it")
    return found


def _options(options: dict[str, Any], folder: pathlib.Path) -> Iterator[str]:
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


def call(command: str, *arguments: Any, progress: Progress = None, **options: Any) -> dict[str, Any]:
    """The JSON of a command of the tool. progress: as of `quantize`. Errors: tally.Error."""
    with tempfile.TemporaryDirectory() as temporary:
        line = [path(), command, *map(_file, arguments), *_options(options, pathlib.Path(temporary)), "--json"]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as report:
            environment = os.environ | {"TALLY_PROGRESS": "json"}
            with subprocess.Popen(line, stdout=report, stderr=subprocess.PIPE, encoding="utf-8", env=environment) as run:
                assert run.stderr is not None
                try:
                    other = follow(run.stderr, chosen(progress))
                except BaseException:  # the callback raises, or Ctrl-C
                    run.kill()
                    raise
            report.seek(0)
            out = report.read()
    try:
        said: dict[str, Any] = json.loads(out)
    except ValueError:
        raise make(0, "fault", "", other or f"the tool ended with {run.returncode}") from None
    if "error" in said and "imports" not in said:  # check says why a model does not import
        error = said["error"]
        raise make(0, error["stage"], error["label"], error["message"])
    return said


def _table(rows: list[dict[str, Any]]) -> str:
    """Rows of one form as a table; names are the model's."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    cells = [[html.escape(str(row.get(name))) for name in names] for row in rows]
    return f"<table><tr>{head}</tr>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells) + "</table>"


class Figures(dict[str, Any]):
    """What a command says, which a notebook shows as tables."""

    def _repr_html_(self) -> str:
        plain = [{"": name, " ": value} for name, value in self.items() if not isinstance(value, (dict, list))]
        parts = [_table(plain)] if plain else []
        for name, value in self.items():
            if isinstance(value, dict):
                parts.append(f"<p><b>{html.escape(name)}</b></p>{Figures(value)._repr_html_()}")
            elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
                parts.append(f"<p><b>{html.escape(name)}</b></p>{_table(value)}")
            elif isinstance(value, list) and value:
                parts.append(f"<p><b>{html.escape(name)}</b> {html.escape(', '.join(map(str, value)))}</p>")
        return "".join(parts)


def check(model: Any, **options: Any) -> Figures:
    """What is in the way of a model, and what its inputs want. A model that does not import is no exception: `imports` is
    False then. model: as of `quantize`, a module of torch with `samples` of its inputs."""
    with tempfile.TemporaryDirectory() as temporary:
        samples = options.pop("samples", None)
        return Figures(call("check", model_file(model, samples, pathlib.Path(temporary)), **options))


def quantize(model: Any, samples: Any = None, output: Optional[Path] = None, *, progress: Progress = None, **options: Any) -> Module:
    """A tally.Module of a float network, with what the tool says of it as `module.quantization`.

    model: the path of an ONNX, ncnn, OpenVINO or Core ML file, an onnx.ModelProto, or a torch.nn.Module, which is traced
    with the first sample. samples: an array for the only input, a dict of arrays or paths by name, or a path. output: where
    the module is kept; Module.save keeps it later. progress: a function of (title, done, total); by default a bar where a
    terminal or a notebook shows it, and False for none. options: those of `tally quantize`, such as
    input_grid="image=1/16,0,0,16", target_sqnr=40.
    Errors: ModelError, FileError, RequestError, TypeError.
    """
    folder = tempfile.TemporaryDirectory()
    file = pathlib.Path(output) if output is not None else pathlib.Path(folder.name) / "model.tally"
    network = model_file(model, samples, pathlib.Path(folder.name))
    said = call("quantize", network, output=str(file), calibrate=samples, progress=progress, **options)
    module = load(file)
    module._folder = folder  # with the files beside the module, which other commands read
    module.quantization = Figures(said)
    return module


def _measured(command: str, model: Any, module: Any, samples: Any, options: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        return call(command, model_file(model, samples, folder), module_file(module, folder), samples=samples, **options)


def compare(model: Any, module: Any, samples: Any, **options: Any) -> Figures:
    """How far a module is from its float network on samples, by output. model, samples, progress: as of `quantize`; module: a
    tally.Module or a path. options: those of `tally compare`, such as output="folder" for what both make of the samples, as
    NAME.float.npy and NAME.module.npy."""
    return Figures(_measured("compare", model, module, samples, options))


def bisect(model: Any, module: Any, samples: Any, **options: Any) -> Figures:
    """The first layer of a module that is far from its network. Arguments as of `compare`."""
    return Figures(_measured("bisect", model, module, samples, options))


class Report:
    """Where a module loses accuracy: `rows`, one dict for each layer (pandas.DataFrame takes them), and `html`, a page."""

    def __init__(self, said: dict[str, Any], page: str) -> None:
        self.said = said
        self.rows: list[dict[str, Any]] = said["layers"]
        self.html = page

    def _repr_html_(self) -> str:
        return _table(self.rows)


def report(model: Any, module: Any, samples: Any = None, **options: Any) -> Report:
    """A Report. Arguments as of `compare`; the calibration that quantize saved is beside the module."""
    with tempfile.TemporaryDirectory() as temporary:
        page = pathlib.Path(temporary) / "report.html"
        said = _measured("report", model, module, samples, options | {"html": str(page)})
        return Report(said, page.read_text())
