"""What the tool says of its progress, as calls of a function: a bar in a terminal or a notebook, or the caller's own."""

from __future__ import annotations

import html
import json
import sys
from typing import Any, Callable, Iterable, Optional, Union

# (title, done, total): "calibrate", 3, 100.
Callback = Callable[[str, int, int], None]
Progress = Union[Callback, bool, None]


class NotebookBar:
    """One line under the cell, for each title."""

    def __init__(self) -> None:
        self._shown: dict[str, Any] = {}

    def __call__(self, title: str, done: int, total: int) -> None:
        from IPython.display import HTML, display  # type: ignore[import]

        bar = HTML(f"<div>{html.escape(title)} <progress value='{done}' max='{max(total, 1)}'></progress> {done}/{total}</div>")
        if title in self._shown:
            self._shown[title].update(bar)
        else:
            self._shown[title] = display(bar, display_id=True)


def terminal_bar(title: str, done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{title:12} [{'#' * (40 * done // max(total, 1)):40}] {done}/{total} ", end=end, file=sys.stderr, flush=True)


def chosen(progress: Progress) -> Optional[Callback]:
    """The function to call: `progress` itself; where it is None or True, a bar of the notebook or terminal that there is."""
    if progress is False:
        return None
    if callable(progress):
        return progress
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return NotebookBar()
    return terminal_bar if progress is True or sys.stderr.isatty() else None


def follow(lines: Iterable[str], callback: Optional[Callback]) -> str:
    """Calls `callback` for each line of progress (TALLY_PROGRESS=json), and returns the other lines."""
    rest = []
    for line in lines:
        try:
            said = json.loads(line)["progress"]
        except (ValueError, TypeError, KeyError):
            rest.append(line)
            continue
        if callback is not None:
            callback(said["title"], said["done"], said["total"])
    return "".join(rest)
