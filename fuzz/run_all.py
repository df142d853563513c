#!/usr/bin/env python3
"""Every fuzz target in turn, each for its share of the time: fuzz/run_all.py SECONDS

Builds come first and take none of the time. Ends with a table, and with 1 if anything was found: a target stops at its first
finding, and the next one begins. The logs lie beside what targets learn, in $TALLY_FUZZ_DIR (fuzz/run).
"""
import os
import re
import subprocess
import sys
import time

TARGETS = ["c_api", "calibration", "certificate", "decode", "execute", "import_coreml", "import_cvm", "import_ncnn", "import_onnx",
           "import_openvino", "proof", "quantize", "samples", "server", "text_roundtrip", "validate"]
ARTIFACT = re.compile(r"^(crash|leak|timeout|oom)-")
PROGRESS_SECONDS = 10


def numbers_of(line):
    """{executions, coverage, rate} of one of libFuzzer's lines of progress; else {}."""
    start = re.match(r"#(\d+)\s", line)
    found = re.findall(r"(cov|exec/s): (\d+)", line)
    return {"executions": int(start[1])} | {key: int(n) for key, n in found} if start and found else {}


def rows_beyond(line):
    """Of bench/gas: how many rows are dearer than they may be; else None."""
    found = re.match(r"\d+ rows, (\d+) beyond", line)
    return int(found[1]) if found else None


class Outcome:
    """What the lines of one target's run say."""

    def __init__(self, target):
        self.target, self.executions, self.rate, self.findings = target, 0, 0, 0
        self.first = self.last = None  # covered edges: by the corpus, and in the end

    def read(self, line):
        numbers = numbers_of(line)
        self.executions = numbers.get("executions", self.executions)
        self.rate = numbers.get("exec/s", self.rate)
        self.last = numbers.get("cov", self.last)
        if "INITED" in line:
            self.first = self.last
        self.findings += rows_beyond(line) or 0

    def row(self):
        new = "" if self.first is None else self.last - self.first
        figures = (self.executions, self.rate, new) if self.executions else ("", "", "")
        return tuple(map(str, (self.target, *figures, self.findings)))


def table_of(outcomes):
    rows = [("target", "executions", "exec/s", "new coverage", "findings")] + [o.row() for o in outcomes]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return "\n".join("  ".join(cell.rjust(w) for cell, w in zip(row, widths)) for row in rows)


def artifacts_in(folder):
    return {name for name in os.listdir(folder) if ARTIFACT.match(name)}


def run(target, seconds, learned):
    """One target, as fuzz/run runs it, with a line of progress now and then."""
    outcome, before = Outcome(target), artifacts_in(learned)
    start = shown = time.monotonic()
    with open(os.path.join(learned, "..", f"{target}.log"), "w") as log:
        command = ["fuzz/run", target, str(seconds)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        for line in process.stdout:
            log.write(line)
            outcome.read(line)
            if time.monotonic() - shown > PROGRESS_SECONDS:
                shown = time.monotonic()
                print(f"{target}: {shown - start:.0f} of {seconds} s, {outcome.executions} executions", flush=True)
        status = process.wait()
    outcome.findings += len(artifacts_in(learned) - before)
    if status != 0 and outcome.findings == 0:
        outcome.findings = 1  # it ended without saying why: the log tells
    print(f"{target}: done, {outcome.findings} found; log {log.name}", flush=True)
    return outcome


def main(seconds):
    root = os.environ["TALLY_FUZZ_DIR"]
    targets = TARGETS + ["gas"]
    share = max(1, seconds // len(targets))
    subprocess.run(["bazel", "build", "--config=fuzz", *(f"//fuzz/targets:{t}" for t in TARGETS), "//fuzz:dictionary"], check=True)
    outcomes = []
    for target in targets:
        learned = os.path.join(root, target)
        os.makedirs(learned, exist_ok=True)
        outcomes.append(run(target, share, learned))
    print(table_of(outcomes))
    return 1 if any(outcome.findings for outcome in outcomes) else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(int(sys.argv[1])))
