"""Tasks that survive the loss of workers and of the scheduler."""
# mypy: disallow-untyped-calls=False

from __future__ import annotations

import asyncio
import functools
import math
import time
from typing import Any, Iterator, Optional, Sequence, Union

import distributed

AHEAD = 3  # tasks for each thread of a worker, so that none waits for the next one
RECONNECT = 600.0  # seconds in which a lost scheduler may come back

Cluster = Union[str, distributed.Client]  # the address of a scheduler, or a client of it


class Tasks:
    """Batches for one function on the workers of a cluster. Each is answered once."""

    def __init__(self, client: Cluster, function: Any, *arguments: Any) -> None:
        self._owned = isinstance(client, str)
        self._client = distributed.Client(client, timeout=RECONNECT) if isinstance(client, str) else client
        self._address = self._client.scheduler_info()["address"]
        self._function = functools.partial(function, *arguments)
        self._counted, self._capacity = -math.inf, AHEAD
        self._open: dict[Any, Sequence[Any]] = {}  # batches by their futures

    def __enter__(self) -> Tasks:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._owned:
            self._client.close()

    def capacity(self) -> int:
        """The batches that keep all workers busy, by a look at them each second."""
        if time.monotonic() > self._counted + 1.0:
            self._counted = time.monotonic()
            try:
                threads = sum(worker["nthreads"] for worker in self._client.scheduler_info()["workers"].values())
            except Exception:  # the connection is being made anew
                threads = 0
            self._capacity = AHEAD * max(threads, 1)
        return self._capacity

    def __len__(self) -> int:
        return len(self._open)

    def submit(self, batch: Sequence[Any]) -> None:
        self._open[self._client.submit(self._function, batch, pure=False)] = batch

    def finished(self, timeout: float) -> Iterator[tuple[Sequence[Any], Optional[list[Any]]]]:
        """Batches with their results, or with None where their workers have ended again and again."""
        if self._open:
            try:
                distributed.wait(list(self._open), timeout=timeout, return_when="FIRST_COMPLETED")
            except (asyncio.TimeoutError, distributed.TimeoutError):
                return
            except (OSError, distributed.CancelledError, RuntimeError):
                time.sleep(min(timeout, 1.0))  # the scheduler is away
        for future in [future for future in self._open if future.done()]:
            batch = self._open.pop(future)
            if future.status == "finished":
                try:
                    yield batch, future.result()
                    continue
                except (OSError, asyncio.TimeoutError, distributed.CancelledError):
                    pass  # its worker has gone with the result
            elif future.status == "error":
                error = future.exception()
                if not isinstance(error, distributed.KilledWorker):
                    raise error
                yield batch, None
                continue
            self._resubmit(batch)

    def _resubmit(self, batch: Sequence[Any]) -> None:
        """Once more, by a new connection where this one has ended."""
        if self._client.status not in ("running", "connecting"):
            self._owned = True
            self._client = distributed.Client(self._address, timeout=RECONNECT)
        self.submit(batch)
