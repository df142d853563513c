"""What Tally refuses, as exceptions: one class, and one below it for each stage (docs/spec/errors.md)."""


class Error(Exception):
    """A refusal.

    Attributes: `label` identifies it and never changes; `stage` says whose fault it is; `status` is a status code of gRPC,
    0 where the tool does not say it.
    """

    stage: str = ""

    def __init__(self, message: str, label: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.label = label
        self.status = status

    def __str__(self) -> str:
        return f"{self.label}: {self.args[0]}" if self.label else str(self.args[0])


class MalformedError(Error):
    """No module, and no object of a proof, has these bytes."""

    stage = "malformed"


class InvalidError(Error):
    """The bytes are a module, but no run of it is allowed."""

    stage = "invalid"


class RefusedError(Error):
    """The module is valid, but this run does not take place."""

    stage = "refused"


class TextError(Error):
    """The text form of a module has a fault."""

    stage = "text"


class ModelError(Error):
    """A model of another framework is not imported, or not quantized."""

    stage = "model"


class ProofError(Error):
    """What a receipt says does not hold, or cannot be told."""

    stage = "proof"


class JudgedError(Error):
    """An element cannot be judged from what is at hand."""

    stage = "judged"


class FileError(Error):
    """A file cannot be read or written."""

    stage = "file"


class RequestError(Error):
    """The arguments of a call are wrong."""

    stage = "request"


class FaultError(Error):
    """This implementation cannot go on."""

    stage = "fault"


_BY_STAGE = {kind.stage: kind for kind in Error.__subclasses__()}


def make(status: int, stage: str, label: str, message: str) -> Error:
    """The exception of a refusal; the native part calls it."""
    return _BY_STAGE.get(stage, Error)(message, label, status)
