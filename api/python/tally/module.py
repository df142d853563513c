"""Modules and plans."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

import numpy

from tally import _native
from tally.receipts import Key, Receipt
from tally.tensors import integers, reals


@dataclass(frozen=True)
class Grid:
    """Integers as reals: (integer - zero_point) * multiplier * 2^-shift, exactly."""

    multiplier: int
    shift: int
    zero_point: int

    @property
    def scale(self) -> float:
        return self.multiplier * 2.0**-self.shift


@dataclass(frozen=True)
class Value:
    """A parameter or a result: its elements are integers of `lowest` to `highest`, held in `dtype`."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    lowest: int
    highest: int
    grid: Optional[Grid]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype}{list(self.shape)} in [{self.lowest}, {self.highest}]"


def _value(about: dict) -> Value:
    grid = about["grid"]
    return Value(about["name"], about["shape"], about["dtype"], *about["interval"], Grid(*grid) if grid else None)


class Module:
    """A module that has been validated: it cannot overflow, and what a run costs is known. `tally.load` makes one."""

    def __init__(self, native: _native.Module) -> None:
        self._native = native
        info = native.info()
        self.quantization: dict = {}  # what tally.quantize says of the module that it made
        self.params = tuple(_value(native.param(i)) for i in range(info.pop("params")))
        self.results = tuple(_value(native.result(i)) for i in range(info.pop("results")))
        self.gas = info["gas"]
        self.arena_bytes = info["arena_bytes"]
        self.constant_bytes = info["constant_bytes"]
        self.instructions = info["instructions"]
        self.profile = info["profile"]

    @property
    def id(self) -> str:
        """What claims name the module by: 64 hexadecimal digits. The first time reads all constants."""
        return self._native.id().hex()

    def results_digest(self, results: Mapping[str, Any]) -> str:
        """The `results` of a receipt of these, by name: 64 hexadecimal digits. Errors: RequestError, KeyError."""
        return self._native.results_digest([results[value.name] for value in self.results]).hex()

    def plan(self, engine: str = "cpu", threads: int = 1, arch: str = "", memory_limit: int = 0) -> Plan:
        """What an engine makes of the module once; any number of threads may run it.

        engine: formal, reference, cpu or cuda: the results are the same. arch: the most instructions that the cpu engine may
        use; "": all there are. memory_limit: bytes that the plan keeps and a run takes; 0: none.
        Errors: RefusedError, RequestError.
        """
        return Plan(self, _native.Plan.make(self._native, engine, arch, threads, memory_limit))

    def __repr__(self) -> str:
        lines = [f"<tally.Module {self.id[:16]}: {self.gas:,} gas, {self.constant_bytes:,} bytes of constants"]
        lines += [f"  takes {value}" for value in self.params] + [f"  gives {value}" for value in self.results]
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        row = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"

        def rows(word, values):
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

    def __init__(self, module: Module, native: _native.Plan) -> None:
        self.module = module
        self._native = native
        self._names = [value.name for value in module.params]
        info = native.info()
        self.engine = info["engine"]
        self.kept_bytes = info["kept_bytes"]
        self.memory_bytes = info["memory_bytes"]

    def __call__(self, *inputs: Any) -> Any:
        """The result for one array for each parameter, or a tuple of results.

        Arrays of signed integers are read where they are, whatever their strides; see `tally.tensors.integers` for others.
        Errors: RefusedError (shape, interval), RequestError, TypeError.
        """
        results = None
        try:
            results = self._native.call(inputs)
        except TypeError:
            pass  # not a buffer of signed integers
        if results is None:
            results = self._native.call(self._integers(inputs, False))
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, inputs: Mapping[str, Any], out: Optional[Mapping[str, Any]] = None, *, floats: bool = False,
            gas_limit: int = 0, memory_limit: int = 0, check: bool = False) -> dict[str, Any]:
        """Results by name, for inputs by name.

        out: arrays to write results into, by name; new ones otherwise. floats: inputs that are floats are quantized by the
        grids of the module, and results with a grid are floats. gas_limit, memory_limit: what the run may cost; 0: none.
        check: every value is compared with the definition, which takes as long as that does.
        Errors: RefusedError, RequestError, TypeError, ValueError (NaN), KeyError (a name).
        """
        given = self._integers(self._in_order(inputs), floats)
        results = self.module.results
        if out is None:
            arrays = self._native.call(given, gas_limit, memory_limit, check)
        else:
            arrays = [out[value.name] for value in results]
            self._native.run_into(given, arrays, gas_limit, memory_limit, check)
        if floats:
            arrays = [reals(array, value) for array, value in zip(arrays, results)]
        return {value.name: array for value, array in zip(results, arrays)}

    def run_signed(self, inputs: Mapping[str, Any], key: Key, nonce: Optional[bytes] = None,
                   trace: bool = False) -> tuple[dict[str, numpy.ndarray], Receipt]:
        """(results by name, tally.Receipt): `run`, and what says so, signed. nonce: 32 bytes that the requester drew."""
        given = self._integers(self._in_order(inputs), False)
        arrays = [numpy.empty(value.shape, value.dtype) for value in self.module.results]
        receipt = self._native.run_signed(given, arrays, key._native, nonce, trace)
        return {value.name: array for value, array in zip(self.module.results, arrays)}, Receipt(receipt)

    def _in_order(self, inputs: Mapping[str, Any]) -> list:
        if len(inputs) == len(self._names) and all(name in inputs for name in self._names):
            return [inputs[name] for name in self._names]
        unknown = sorted(set(inputs) - set(self._names))
        missing = [name for name in self._names if name not in inputs]
        raise KeyError(f"inputs are {self._names}" + (f", not {unknown}" if unknown else f": {missing} are missing"))

    def _integers(self, inputs: Sequence, floats: bool) -> Sequence:
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
        return Module(_native.Module.load_file(os.fspath(source), gas_limit, memory_limit))
    return Module(_native.Module.load_bytes(source, gas_limit, memory_limit))
