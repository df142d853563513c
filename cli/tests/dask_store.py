"""A store for tests of clusters, in a module that workers can load."""

import os
import pathlib
import signal
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Store:
    """A folder that takes a while for each object, fails while the file `away` exists, and ends whoever asks for `poison`."""

    folder: pathlib.Path
    away: pathlib.Path
    delay: float = 0.0
    poison: str = ""

    def __call__(self, name):
        time.sleep(self.delay)
        if self.poison and self.poison in name:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.away.exists():
            raise OSError("503 Service Unavailable")
        file = self.folder / name
        return file.read_bytes() if file.exists() else None
