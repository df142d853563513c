"""Audits: receipts checked with modules and inputs from a store (docs/spec/audit.md)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

from tally import _native
from tally.receipts import Finding, PublicKey, Receipt

# A folder, or a function that gives the bytes of an object such as "modules/3f/3f0c...tally": None where it
# has no such object, and an exception where it fails. Many threads may call it at once.
Store = Union[str, "os.PathLike[str]", Callable[[str], Optional[bytes]]]


@dataclass(frozen=True)
class Verdict:
    """The findings on a receipt: on its signature, and on the run that it claims. It is true where both hold."""

    claim: str
    module: str
    standing: Finding
    run: Finding

    def __bool__(self) -> bool:
        return self.standing.holds and self.run.holds


class Auditor:
    """Audits receipts with objects of a store, and keeps the modules and plans that it used last.

    engine: formal, reference, cpu or cuda. level: the most instructions that the cpu engine may use; "": all there are.
    threads: of each run. gas_limit, memory_limit: what a claim may cost; 0: no limit. kept_bytes: of modules and plans. products:
    check claims by the products that the store has of their runs, where it has them.
    Any number of threads may use one auditor. Errors: RefusedError (the engine), RequestError.
    """

    def __init__(self, store: Store, *, engine: str = "cpu", level: str = "", threads: int = 1, gas_limit: int = 0,
                 memory_limit: int = 0, kept_bytes: int = 0, products: bool = False) -> None:
        source = store if callable(store) else os.fsencode(store)
        self._handle = _native.make_auditor(source, engine, level, threads, gas_limit, memory_limit, kept_bytes,
                                             products)

    def audit(self, receipt: Union[Receipt, str, bytes], keys: Sequence[PublicKey] = ()) -> Verdict:
        """Runs the claim of a receipt again. keys: whose receipts are trusted; without, no signature is checked.

        The verdict depends on the receipt, the keys and the objects with the right digests, and on nothing else.
        Errors: MalformedError, where a text is no receipt.
        """
        given = as_receipt(receipt)
        key = key_for(given, keys)
        standing, run = _native.audit(self._handle, given._handle, None if key is None else key._handle)
        return Verdict(given.claim, given.module, Finding(*standing), Finding(*run))

    def audit_claim(self, claim: bytes, traced: bool = False) -> tuple[Finding, Optional[str]]:
        """The finding on Receipt.claim_bytes, which is that of all receipts of it, and with `traced` the trace of the run.

        A receipt that names another trace than that DIVERGED. Errors: MalformedError.
        """
        found, trace = _native.audit_claim(self._handle, claim, traced)
        return Finding(*found), None if trace is None else trace.hex()


def audit(receipt: Union[Receipt, str, bytes], store: Store, keys: Sequence[PublicKey] = (), **options: Any) -> Verdict:
    """Audits one receipt: Auditor(store, **options).audit(receipt, keys)."""
    return Auditor(store, **options).audit(receipt, keys)


def as_receipt(receipt: Union[Receipt, str, bytes]) -> Receipt:
    if isinstance(receipt, bytes):
        receipt = receipt.decode("utf-8", "replace")
    return Receipt.parse(receipt) if isinstance(receipt, str) else receipt


def key_for(receipt: Receipt, keys: Sequence[PublicKey]) -> Optional[PublicKey]:
    """The key that the receipt names where it is one of them, another one otherwise."""
    return next((key for key in keys if key.id == receipt.key), keys[0] if keys else None)
