"""Audits: claims in batches of one module, each answered once."""

from __future__ import annotations

import collections
import functools
import heapq
import time
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from tally.audits import Auditor, Store, Verdict, as_receipt, key_for
from tally.dask.tasks import Cluster, Tasks
from tally.errors import Error
from tally.receipts import Finding, PublicKey, Receipt

BATCH = 1000  # the most claims of a task
FIRST = 8  # claims of a task before any of their module has been audited
SECONDS = 1.0  # as long should a task take: a thousand times what Dask needs for one
TRIES = 10  # for a claim, where a store or a machine fails
UNFINISHED = Finding("CANNOT_RECOMPUTE", "audit_unfinished", "its worker ended in each audit of the claim", False, ())


class Work(NamedTuple):
    """A claim to audit."""

    id: str
    module: str
    claim: bytes
    traced: bool


class Found(NamedTuple):
    """A claim's finding, the trace of its run, and how long the audit took."""

    id: str
    run: Finding
    traced: bool
    trace: Optional[str]
    micros: int


@functools.lru_cache(maxsize=4)
def _auditor(store: Any, options: tuple[tuple[str, Any], ...]) -> Auditor:
    """One for each process of a worker: it keeps modules and plans."""
    return Auditor(store, **dict(options))


def _audit_batch(store: Store, options: tuple[tuple[str, Any], ...], batch: Sequence[Work]) -> list[Found]:
    auditor: Auditor = _auditor(store, options)  # type: ignore[arg-type]
    found = []
    for work in batch:
        start = time.perf_counter()
        run, trace = auditor.audit_claim(work.claim, work.traced)
        found.append(Found(work.id, run, work.traced, trace, int((time.perf_counter() - start) * 1e6)))
    return found


def find(client: Cluster, works: Iterable[Optional[Work]], store: Store, *, batch: int = BATCH, tries: int = 1,
         **options: Any) -> Iterator[Found]:
    """The findings on claims, in the order in which they are found; each once.

    works: claims of one module follow each other. A None asks to begin with what has come so far.
    batch: the most claims of a task. tries: of a claim whose finding may pass. options: those of tally.Auditor.
    """
    with Tasks(client, _audit_batch, store, tuple(sorted(options.items()))) as tasks:
        yield from _Audit(tasks, works, batch, tries).run()


class _Audit:
    """The claims of one call of `find`: on their way to tasks, in tasks, and on their way back."""

    def __init__(self, tasks: Tasks, works: Iterable[Optional[Work]], batch: int, tries: int) -> None:
        self.tasks, self.source, self.batch, self.tries = tasks, iter(works), batch, tries
        self.ended = False  # nothing more comes from the source
        self.gathered: list[Work] = []  # claims of one module, for the next batch
        self.ready: collections.deque[list[Work]] = collections.deque()
        self.suspects: list[list[Work]] = []  # batches whose workers have ended
        self.alone = False  # one of them is in work
        self.later: list[tuple[float, Work]] = []  # a heap, by the time of the next try
        self.tried: collections.Counter[str] = collections.Counter()
        self.sizes: dict[str, int] = {}  # the batches of a module

    def run(self) -> Iterator[Found]:
        while not self.ended or self.ready or self.suspects or self.later or len(self.tasks):
            while self.later and self.later[0][0] <= time.monotonic():
                self.ready.append([heapq.heappop(self.later)[1]])
            self.gather()
            self.submit()
            if not len(self.tasks):
                time.sleep(0.02)  # for more claims, or for the next try
            for done, results in self.tasks.finished(timeout=0.05 if not self.ended or self.later else 1.0):
                self.alone = False
                yield from self.lost(done) if results is None else self.found(done, results)

    def gather(self) -> None:
        """Makes batches of what the source gives, until there is enough work for the cluster."""
        while not self.ended and not self.ready and len(self.tasks) < self.tasks.capacity():
            try:
                work = next(self.source)
            except StopIteration:
                self.ended, work = True, None
            size = self.sizes.get(self.gathered[0].module, min(FIRST, self.batch)) if self.gathered else 0
            if self.gathered and (work is None or work.module != self.gathered[0].module or len(self.gathered) >= size):
                self.ready.append(self.gathered)
                self.gathered = []
            if work is None:
                return
            self.gathered.append(work)

    def submit(self) -> None:
        while self.ready and not self.alone and len(self.tasks) < self.tasks.capacity():
            self.tasks.submit(self.ready.popleft())
        # A worker that ends takes all its batches with it: a suspect is in work alone, and is to blame then.
        if self.suspects and not len(self.tasks):
            self.tasks.submit(self.suspects.pop())
            self.alone = True

    def lost(self, batch: Sequence[Work]) -> Iterator[Found]:
        """Workers have ended again and again with this batch: halves of it are suspects, down to a claim."""
        if len(batch) > 1:
            middle = len(batch) // 2
            self.suspects += [list(batch[:middle]), list(batch[middle:])]
        elif batch[0].id in self.tried:
            yield Found(batch[0].id, UNFINISHED, batch[0].traced, None, 0)
        else:
            self.tried[batch[0].id] += 1  # it may have been lost with others
            self.suspects.append(list(batch))

    def found(self, batch: Sequence[Work], results: Sequence[Found]) -> Iterator[Found]:
        micros = sum(found.micros for found in results) / len(results)
        self.sizes[batch[0].module] = max(1, min(self.batch, int(SECONDS * 1e6 / max(micros, 1.0))))
        for work, found in zip(batch, results):
            self.tried[work.id] += 1
            if found.run.may_pass and self.tried[work.id] < self.tries:
                delay = min(2.0 ** (self.tried[work.id] - 1), 60.0)
                heapq.heappush(self.later, (time.monotonic() + delay, work))
                continue
            del self.tried[work.id]
            yield found


def audit(client: Cluster, receipts: Iterable[Union[Receipt, str, bytes]], store: Store,
          keys: Sequence[PublicKey] = (), *, batch: int = BATCH, **options: Any) -> list[Verdict]:
    """The verdicts on receipts, in their order. Each claim is run once, however many receipts it has.

    A text that is no receipt has a verdict without words, whose standing has the label and the message. keys, and the
    signatures, stay on this machine. options: those of tally.Auditor.
    """
    given: list[Union[Receipt, Error]] = []
    works: dict[str, Work] = {}
    for receipt in receipts:
        try:
            read = as_receipt(receipt)
        except Error as error:
            given.append(error)
            continue
        given.append(read)
        earlier = works.get(read.claim)
        traced = read.trace is not None or (earlier is not None and earlier.traced)
        works[read.claim] = Work(read.claim, read.module, read.claim_bytes(), traced)
    in_order = sorted(works.values(), key=lambda work: work.module)
    found = {one.id: one for one in find(client, in_order, store, batch=batch, tries=TRIES, **options)}
    return [_verdict(receipt, keys, found) for receipt in given]


def _verdict(receipt: Union[Receipt, Error], keys: Sequence[PublicKey], found: dict[str, Found]) -> Verdict:
    if isinstance(receipt, Error):
        refused = Finding("", receipt.label, str(receipt.args[0]), False, ())
        return Verdict("", "", refused, Finding("", "", "", False, ()))
    key = key_for(receipt, keys)
    standing = Finding("UNVERIFIABLE", "receipt_unchecked", "no key was given", False, ()) if key is None else receipt.verify(key)
    one = found[receipt.claim]
    run = one.run
    if run.holds and receipt.trace is not None and receipt.trace != one.trace:
        run = Finding("DIVERGED", "trace_diverged", f"the run has the trace {one.trace}", False, ())
    return Verdict(receipt.claim, receipt.module, standing, run)
