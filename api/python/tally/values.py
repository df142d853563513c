"""The parameters and results of modules, and the grids of their integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Grid:
    """Integers as reals: (integer - zero_point) * multiplier * 2^-shift, exactly."""

    multiplier: int
    shift: int
    zero_point: int

    @property
    def scale(self) -> float:
        return float(self.multiplier * 2.0**-self.shift)


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


def value_of(about: dict[str, Any]) -> Value:
    grid, (lowest, highest) = about["grid"], about["interval"]
    return Value(about["name"], about["shape"], about["dtype"], lowest, highest, Grid(*grid) if grid else None)
