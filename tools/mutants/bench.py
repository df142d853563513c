"""Runs tests that a workshop has built, with a mutant alive or with none."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass

import schemata

KILLED, SURVIVED, EQUIVALENT, NOT_RUN = "killed", "survived", "equivalent", "not run"

SHORTEST_LIMIT_S = 30  # for a test
SLOWEST = 10  # times what it takes without a fault: whoever takes longer hangs


@dataclass
class Outcome:
    """What became of a mutant."""

    id: str
    area: str
    outcome: str
    by: str = ""  # the test that killed it; or why it is equivalent or was not run
    how: str = ""
    seconds: float = 0.0


class Unfit(Exception):
    """A test that cannot judge: it fails without a fault, or runs nothing."""


class Bench:
    def __init__(self, workshop, platform=""):
        self.workshop, self.platform = workshop, platform
        self.limits = {}

    def calibrate(self, test):
        """Runs a test without a fault, and learns how long it takes."""
        problem, seconds, output = self.run(test, 0, None)
        if problem:
            raise Unfit(f"{test}: {problem} without a fault\n{output[-2000:]}")
        if re.search(r"^\[=+\] Running 0 tests", output, re.MULTILINE):
            raise Unfit(f"{test}: its filter names no test")
        self.limits[test] = max(SHORTEST_LIMIT_S, SLOWEST * seconds)

    def verdict(self, mutant, tests):
        """Runs tests on a mutant until one fails."""
        spent = 0.0
        for test in tests:
            problem, seconds, _ = self.run(test, schemata.number(mutant.id), self.limits[test])
            spent += seconds
            if problem:
                return Outcome(mutant.id, mutant.area, KILLED, test, problem, spent)
        return Outcome(mutant.id, mutant.area, SURVIVED, seconds=spent)

    def run(self, test, number, limit_s):
        """How the test went wrong, or nothing; seconds; output."""
        command, folder, environment = self.workshop.command(test, self.platform)
        environment = dict(environment, **{schemata.VARIABLE: str(number)})
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"no end in {limit_s:.0f} s", limit_s, ""
        seconds = time.monotonic() - begin
        if process.returncode < 0:
            return f"crash by {signal.Signals(-process.returncode).name}", seconds, output
        return "failure" if process.returncode else "", seconds, output
