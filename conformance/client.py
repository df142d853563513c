"""A client as processes that nothing is expected of: they may hang, die, or print anything and as much as they like."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

MOST_BYTES = 64 << 20  # that a call may print; the answers to 100 questions take less than one MiB
MOST_SILENT = 5  # questions without an answer, one after the other, before the rest is left out
TAIL = 200  # characters of a line or of standard error that are shown


@dataclass
class NoAnswer:
    kind: str  # "hang", "died", "flood", "lines" or "rubbish"
    detail: str


class Client:
    """`words` are its command; a call for up to `batch` questions may take `timeout` seconds."""

    def __init__(self, words, timeout, batch):
        self.words, self.timeout, self.batch = words, timeout, batch

    def answers(self, questions):
        """Yields (question, answer or NoAnswer), all of one command. Ends early after MOST_SILENT questions without answer."""
        silent = 0
        for start in range(0, len(questions), self.batch):
            batch = questions[start:start + self.batch]
            together = self._ask(batch)
            # Who has not answered, and which line is whose, shows only when each is asked alone.
            alone = len(batch) > 1 and any(isinstance(answer, NoAnswer) for answer in together)
            for question, answer in zip(batch, together):
                if alone:
                    answer, = self._ask([question])
                yield question, answer
                silent = silent + 1 if isinstance(answer, NoAnswer) else 0
                if silent == MOST_SILENT:
                    return

    def _ask(self, questions):
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            files = []
            for question in questions:
                for suffix, content in zip((".tally", ".json"), question.contents):
                    files.append(str(pathlib.Path(folder, f"{len(files)}{suffix}")))
                    pathlib.Path(files[-1]).write_bytes(content)
            lines, failure = self._call([*self.words, questions[0].command, *files], len(questions))
        return [failure] * len(questions) if failure else [parsed(line) for line in lines]

    def _call(self, words, count):
        """(`count` lines, None), or else (whatever lines there are, NoAnswer). No process is left."""
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        deadline = time.monotonic() + self.timeout
        out, err = Output(process.stdout), Output(process.stderr)
        try:
            in_time = out.ends(deadline) and err.ends(deadline) and exits(process, deadline)
        finally:
            if process.returncode is None:
                end(process)
                process.wait()
        lines = out.data.decode(errors="replace").removesuffix("\n").split("\n") if out.data else []
        said = f"standard error: {ascii(err.data[-TAIL:].decode(errors='replace'))}"
        if out.flooded or err.flooded:
            return lines, NoAnswer("flood", f"more than {MOST_BYTES} bytes")
        if not in_time:
            return lines, NoAnswer("hang", f"no end within {self.timeout:g} s; {said}")
        if len(lines) == count:
            return lines, None
        if process.returncode:
            return lines, NoAnswer("died", f"exit status {process.returncode}; {said}")
        return lines, NoAnswer("lines", f"{len(lines)} lines instead of {count}; {said}")


class Output(threading.Thread):
    """Reads what a process prints; where that is too much, closes the pipe, on which the process cannot print on."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.data, self.flooded = stream, bytearray(), False
        self.start()

    def run(self):
        with self.stream:
            while not self.flooded and (chunk := self.stream.read1(1 << 16)):
                self.data += chunk
                self.flooded = len(self.data) > MOST_BYTES

    def ends(self, deadline):
        self.join(max(0, deadline - time.monotonic()))
        return not self.is_alive()


def exits(process, deadline):
    try:
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process):
    """Ends the client and what it has started. Nobody has waited for it, so the number of its group is still its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def parsed(line):
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    return answer if isinstance(answer, dict) else NoAnswer("rubbish", f"no object of JSON: {ascii(line[:TAIL])}")
