"""Keys, receipts and certificates of fraud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional

from tally import _native

if TYPE_CHECKING:
    from tally.module import Plan


@dataclass(frozen=True)
class Finding:
    """A word and its reason (docs/spec/receipt.md). It is true where the word is VERIFIED or REPRODUCED."""

    word: str
    label: str
    message: str
    holds: bool
    compared: tuple[str, ...]  # those of module, inputs, results, trace, certificate that are as the receipt says
    may_pass: bool = False  # another try may end otherwise, as a store or the machine has failed

    def __bool__(self) -> bool:
        return self.holds


class PublicKey:
    """Whose receipts are trusted."""

    def __init__(self, handle: _native.Handle) -> None:
        self._handle = handle

    @staticmethod
    def from_pem(pem: str) -> PublicKey:
        """Errors: RequestError or MalformedError with label key_format."""
        return PublicKey(_native.public_key_from_pem(pem))

    def pem(self) -> str:
        return _native.public_key_pem(self._handle)

    @property
    def id(self) -> str:
        """What receipts name the key by."""
        return _native.key_id(self._handle).hex()

    def __repr__(self) -> str:
        return f"<tally.PublicKey {self.id[:16]}>"


class Key:
    """An Ed25519 key that signs."""

    def __init__(self, handle: _native.Handle) -> None:
        self._handle = handle

    @staticmethod
    def generate() -> Key:
        """From the random numbers of the system."""
        return Key(_native.generate_key())

    @staticmethod
    def from_pem(pem: str) -> Key:
        """From PKCS #8 in PEM, without a password."""
        return Key(_native.key_from_pem(pem))

    def pem(self) -> str:
        """It is secret."""
        return _native.key_pem(self._handle)

    @property
    def public(self) -> PublicKey:
        return PublicKey(_native.public_of(self._handle))

    def __repr__(self) -> str:
        return f"<tally.Key of {self.public.id[:16]}>"


class Receipt:
    """A claim that a run gave what it gave, signed by who ran it."""

    def __init__(self, handle: _native.Handle) -> None:
        self._handle = handle
        info = {name: value.hex() if isinstance(value, bytes) else value for name, value in _native.receipt_info(handle).items()}
        self.claim: str = info["claim"]
        self.module: str = info["module"]
        self.inputs: str = info["inputs"]
        self.results: Optional[str] = info["results"]
        self.key: str = info["key"]
        self.nonce: Optional[str] = info["nonce"]
        self.trace: Optional[str] = info["trace"]
        self.origin: Optional[str] = info["origin"]
        self.gas: int = info["gas"]
        self.issued_at: int = info["issued_at"]
        self.status: str = info["status"]

    @staticmethod
    def parse(text: str) -> Receipt:
        """Reads the text of a receipt. Its signature is not looked at. Errors: MalformedError."""
        return Receipt(_native.parse_receipt(text))

    def text(self) -> str:
        """What `parse` and `tally verify` read."""
        return _native.receipt_text(self._handle)

    def claim_bytes(self) -> bytes:
        """The claim (docs/spec/claim.md), which is the same in all receipts of it."""
        return _native.receipt_claim(self._handle)

    def verify(self, key: PublicKey, nonce: Optional[bytes] = None, results: Optional[str] = None,
               certificate: Optional[bytes] = None, expansion: Optional[str] = None) -> Finding:
        """Whether the receipt is what it says: signature, digests, and all that is given.

        nonce: the request's, 32 bytes. results: Module.results_digest of those at hand. certificate: a file that is said to
        convict the receipt: REFUTED with receipt_convicted where it does, and otherwise among `compared`, with the reason as
        message. expansion: the digest of the one that the executor has sent in a dispute.
        """
        given = [bytes.fromhex(digest) if digest is not None else None for digest in (results, expansion)]
        return Finding(*_native.verify(self._handle, key._handle, nonce, given[0], certificate, given[1]))

    def recompute(self, plan: Plan, inputs: Mapping[str, Any]) -> Finding:
        """Runs the claim again with inputs by name, and says whether it gives the same."""
        given = plan._integers(plan._in_order(inputs), False)
        return Finding(*_native.recompute(plan._handle, self._handle, given))

    def __repr__(self) -> str:
        return f"<tally.Receipt of claim {self.claim[:16]}, status {self.status}>"


def check_certificate(certificate: bytes) -> dict[str, Any]:
    """Judges a certificate of fraud: a dict of convicted, claim, trace, expansion, label and text.

    Where expansion is not None, convicted is False: the certificate convicts whoever has answered with that expansion in a
    dispute. Anybody can invent one: compare it with the one that was sent.
    """
    verdict = _native.check_certificate(certificate)
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in verdict.items()}
