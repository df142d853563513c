"""Claims from standard input, audited by a cluster, and findings to standard output: what `tally audit --dask` runs."""

from __future__ import annotations

import base64
import json
import queue
import sys
import threading
from typing import Iterator, Optional, Sequence

from tally.dask.audits import BATCH, Work, find


def _lines() -> Iterator[Optional[Work]]:
    """Claims from standard input as they come; None while there are none."""
    lines: queue.Queue[Optional[str]] = queue.Queue(maxsize=10 * BATCH)

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=0.05)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        work = json.loads(line)
        yield Work(work["claim_id"], work["module_id"], base64.b64decode(work["claim"]), work["traced"])


def main(arguments: Sequence[str]) -> None:
    """ADDRESS STORE ENGINE GAS_LIMIT MEMORY_LIMIT [--products]: claims from standard input, findings to standard output."""
    address, store, engine, gas_limit, memory_limit = arguments[:5]
    for one in find(address, _lines(), store, engine=engine, gas_limit=int(gas_limit), memory_limit=int(memory_limit),
                    products="--products" in arguments[5:]):
        line = {"claim_id": one.id, "run": {"verdict": one.run.word, "reason": one.run.label or None},
                "message": one.run.message, "traced": one.traced, "trace": one.trace, "micros": one.micros,
                "may_pass": one.run.may_pass}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
