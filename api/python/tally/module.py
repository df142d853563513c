"""Modules and plans."""

from __future__ import annotations

import glob
import html
import os
import pathlib
import shutil
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy

from tally import _native
from tally.receipts import Key, Receipt
from tally.tensors import Array, integers, reals
from tally.values import Value, value_of


class Module:
    """A module that has been validated: it cannot overflow, and what a run costs is known. `tally.load` makes one."""

    def __init__(self, handle: _native.Handle, source: Any = None) -> None:
        self._handle = handle
        self._source = source  # the path of its file, or its bytes
        self._folder: Any = None  # where that file is deleted with the module
        info = _native.module_info(handle)
        self.quantization: dict[str, Any] = {}  # what tally.quantize says of the module that it made
        self.params = tuple(value_of(_native.param(handle, i)) for i in range(info.pop("params")))
        self.results = tuple(value_of(_native.result(handle, i)) for i in range(info.pop("results")))
        self.gas = info["gas"]
        self.arena_bytes = info["arena_bytes"]
        self.constant_bytes = info["constant_bytes"]
        self.instructions = info["instructions"]
        self.profile = info["profile"]

    @property
    def id(self) -> str:
        """What claims name the module by: 64 hexadecimal digits. The first time reads all constants."""
        return _native.module_id(self._handle).hex()

    def results_digest(self, results: Mapping[str, Any]) -> str:
        """The `results` of a receipt of these, by name: 64 hexadecimal digits. Errors: RequestError, KeyError."""
        return _native.results_digest(self._handle, [results[value.name] for value in self.results]).hex()

    def plan(self, engine: str = "cpu", threads: int = 1, arch: str = "", memory_limit: int = 0) -> Plan:
        """What an engine makes of the module once; any number of threads may run it.

        engine: formal, reference, cpu or cuda: the results are the same. arch: the most instructions that the cpu engine may
        use; "": all there are. memory_limit: bytes that the plan keeps and a run takes; 0: none.
        Errors: RefusedError, RequestError.
        """
        return Plan(self, _native.make_plan(self._handle, engine, arch, threads, memory_limit))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the module to a file, with the files beside it that say how it was made."""
        target = pathlib.Path(path)
        if isinstance(self._source, bytes):
            target.write_bytes(self._source)
            return
        source = pathlib.Path(self._source)
        for file in source.parent.glob(glob.escape(source.name) + "*"):
            shutil.copyfile(file, target.with_name(target.name + file.name[len(source.name):]))

    def __repr__(self) -> str:
        lines = [f"<tally.Module {self.id[:16]}: {self.gas:,} gas, {self.constant_bytes:,} bytes of constants"]
        lines += [f"  takes {value}" for value in self.params] + [f"  gives {value}" for value in self.results]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        row = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"

        def rows(word: str, values: Sequence[Value]) -> Iterator[str]:
            for value in values:
                step = f"{value.grid.scale:.6g}" if value.grid else ""
                yield row.format(word, html.escape(value.name), f"{value.dtype}{list(value.shape)}",
                                 f"{value.lowest} to {value.highest}", step)

        body = "".join([*rows("takes", self.params), *rows("gives", self.results)])
        return (f"<p><b>Module</b> <code>{self.id}</code><br>{self.gas:,} gas, {self.instructions} instructions, "
                f"{self.constant_bytes:,} bytes of constants, {self.arena_bytes:,} bytes of memory</p>"
                f"<table><tr><th></th><th>name</th><th>type</th><th>integers</th><th>step</th></tr>{body}</table>")


class Plan:
    """What runs a module. Module.plan makes one."""

    def __init__(self, module: Module, handle: _native.Handle) -> None:
        self.module = module
        self._handle = handle
        self._names = [value.name for value in module.params]
        self._forms = [(value.shape, numpy.dtype(value.dtype)) for value in module.results]
        info = _native.plan_info(handle)
        self.engine = info["engine"]
        self.kept_bytes = info["kept_bytes"]
        self.memory_bytes = info["memory_bytes"]

    def __call__(self, *inputs: Any) -> Any:
        """The result for one array for each parameter, or a tuple of results.

        Arrays of signed integers are read where they are, whatever their strides; see `tally.tensors.integers` for others.
        Errors: RefusedError (shape, interval), RequestError, TypeError.
        """
        results = self._new_results()
        try:
            _native.run_plan(self._handle, inputs, results, 0, 0, False)
        except TypeError:  # not a buffer of signed integers
            _native.run_plan(self._handle, self._integers(inputs, False), results, 0, 0, False)
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Mapping[str, Any], out: Optional[Mapping[str, Any]] = None, *, floats: bool = False,
            batch: bool = False, gas_limit: int = 0, memory_limit: int = 0, check: bool = False) -> dict[str, Any]:
        """Results by name, for inputs by name.

        out: arrays to write results into, by name; new ones otherwise. floats: inputs that are floats are quantized by the
        grids of the module, and results with a grid are floats. gas_limit, memory_limit: what the run may cost; 0: none.
        batch: inputs have one dimension more in front, along which the module runs once for each, and so do results; the
        limits are of one run. check: every value is compared with the definition, which takes as long as that does.
        Errors: RefusedError, RequestError, TypeError, ValueError (NaN), KeyError (a name).
        """
        given = self._integers(self._in_order(inputs), floats)
        results = self.module.results
        count = self._batch_of(given) if batch else None
        arrays = self._new_results(count) if out is None else [out[value.name] for value in results]
        if count is None:
            _native.run_plan(self._handle, given, arrays, gas_limit, memory_limit, check)
        elif any(len(array) != count for array in arrays):
            raise ValueError(f"the inputs are of {count} runs: each result is to have as many rows")
        else:
            for row in range(count):
                # Views, also where a result has no dimensions.
                _native.run_plan(self._handle, [array[row, ...] for array in given], [array[row, ...] for array in arrays],
                                 gas_limit, memory_limit, check)
        if floats:
            arrays = [reals(array, value) for array, value in zip(arrays, results)]
        return {value.name: array for value, array in zip(results, arrays)}

    def run_signed(self, inputs: Mapping[str, Any], key: Key, nonce: Optional[bytes] = None,
                   trace: bool = False) -> tuple[dict[str, Array], Receipt]:
        """(results by name, tally.Receipt): `run`, and what says so, signed. nonce: 32 bytes that the requester drew."""
        given = self._integers(self._in_order(inputs), False)
        arrays = self._new_results()
        receipt = _native.run_signed(self._handle, given, arrays, key._handle, nonce, trace)
        return {value.name: array for value, array in zip(self.module.results, arrays)}, Receipt(receipt)

    def _new_results(self, batch: Optional[int] = None) -> list[Array]:
        front = () if batch is None else (batch,)
        return [numpy.empty(front + shape, dtype) for shape, dtype in self._forms]

    def _batch_of(self, inputs: Sequence[Array]) -> int:
        """The runs that inputs with one dimension more are for. Errors: ValueError."""
        params = self.module.params
        if not params:
            raise ValueError("a module without inputs has no batches")
        for array, value in zip(inputs, params):
            if array.shape[1:] != value.shape or array.ndim == 0:
                raise ValueError(f"'{value.name}' of a batch has the shape (N, {', '.join(map(str, value.shape))}), not {array.shape}")
        counts = {len(array) for array in inputs}
        if len(counts) != 1:
            raise ValueError(f"inputs of a batch are of as many runs, not of {sorted(counts)}")
        return counts.pop()

    def _in_order(self, inputs: Mapping[str, Any]) -> list[Any]:
        if len(inputs) == len(self._names) and all(name in inputs for name in self._names):
            return [inputs[name] for name in self._names]
        unknown = sorted(set(inputs) - set(self._names))
        missing = [name for name in self._names if name not in inputs]
        raise KeyError(f"inputs are {self._names}" + (f", not {unknown}" if unknown else f": {missing} are missing"))

    def _integers(self, inputs: Sequence[Any], floats: bool) -> Sequence[Any]:
        params = self.module.params
        if len(inputs) != len(params):
            return inputs  # libtally says what is wrong
        return [integers(given, value, floats) for given, value in zip(inputs, params)]

    def __repr__(self) -> str:
        return f"<tally.Plan of {self.module.id[:16]} on {self.engine}: {self.kept_bytes:,} bytes kept>"


def load(source: Any, gas_limit: int = 0, memory_limit: int = 0) -> Module:
    """A tally.Module from a path, whose file is mapped, or from bytes, which are copied.

    gas_limit, memory_limit: of a run; modules above are refused; 0: none.
    Errors: FileError, MalformedError, InvalidError, RefusedError (limits).
    """
    if isinstance(source, (str, os.PathLike)):
        return Module(_native.load_file(os.fsencode(source), gas_limit, memory_limit), os.fspath(source))
    return Module(_native.load_bytes(source, gas_limit, memory_limit), bytes(source))
