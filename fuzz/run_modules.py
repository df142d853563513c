#!/usr/bin/env python3
"""//fuzz:modules in as many processes as there are processors: fuzz/run_modules.py BINARY COUNT [FIRST]

Modules FIRST .. FIRST + COUNT - 1 (FIRST: 0), in turns of some thousand each. Of each that breaks the law or ends its process,
module_NUMBER.tallytxt lies in $TALLY_FUZZ_DIR/modules; the exit status is then 1. When it is interrupted it says how to go on.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import threading
import time

TURN = 5000  # modules: some seconds
PROGRESS_SECONDS = 10
# A module takes more blocks than glibc's lists for a thread hold by default: a tenth of the time.
ENVIRONMENT = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=2000"}


def turns(count, first, size=TURN):
    return [(n, min(size, first + count - n)) for n in range(first, first + count, size)]


def undone(all_turns, done):
    """The first module of the first turn that is not done, or None."""
    return next((first for first, _ in all_turns if first not in done), None)


def time_text(seconds):
    minutes = int(seconds) // 60
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {int(seconds) % 60} s"


class Runner:
    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.abspath(binary), folder
        self.lock, self.done, self.modules, self.findings = threading.Lock(), set(), 0, []

    def call(self, *arguments):
        # In a session of its own: what interrupts this script lets the turn end.
        return subprocess.run(
            [self.binary, *map(str, arguments)], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, start_new_session=True
        )

    def run(self, turn):
        """A turn, from behind each module on that ends the process."""
        first, count = turn
        end, begin = first + count, first
        while begin < end:
            process = self.call(end - begin, begin)
            found = re.findall(r"^module (\d+): .*$", process.stdout, re.MULTILINE)
            ended_at = re.search(r"^module (\d+)$", process.stderr, re.MULTILINE)
            if process.returncode not in (0, 1) and ended_at is None:
                raise RuntimeError(f"{self.binary} ended with {process.returncode}: {process.stderr}")
            if ended_at:
                found.append(ended_at[1])
                self.call("text", ended_at[1])
            with self.lock:
                self.findings += found
            for number in found:
                print(f"module {number}: {os.path.join(self.folder, f'module_{number}.tallytxt')}", flush=True)
            begin = int(ended_at[1]) + 1 if ended_at else end
        with self.lock:
            self.done.add(first)
            self.modules += count


def main(binary, count, first):
    folder = os.path.join(os.environ["TALLY_FUZZ_DIR"], "modules")
    os.makedirs(folder, exist_ok=True)
    runner, all_turns, start = Runner(binary, folder), turns(count, first), time.monotonic()
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    waiting = {pool.submit(runner.run, turn) for turn in all_turns}
    try:
        while waiting:
            done, waiting = concurrent.futures.wait(waiting, PROGRESS_SECONDS)
            for future in done:
                future.result()
            rate = runner.modules / (time.monotonic() - start)
            left = time_text((count - runner.modules) / rate) if rate else "?"
            if waiting:
                print(f"{runner.modules} of {count} modules, {rate:.0f} a second, {left} left, {len(runner.findings)} found", flush=True)
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)  # waits for turns that have begun
        begin = undone(all_turns, runner.done)
        if begin is not None:
            print(f"\n{runner.modules} modules, {len(runner.findings)} found; to go on: ./dev fuzz modules {first + count - begin} {begin}")
            return 130
    finally:
        pool.shutdown(cancel_futures=True)
    seconds = time.monotonic() - start
    print(f"{count} modules from {first} on in {time_text(seconds)}, {count / seconds:.0f} a second: {len(runner.findings)} found")
    return 1 if runner.findings else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or not all(n.isdigit() for n in sys.argv[2:]) or int(sys.argv[2]) == 0:
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) == 4 else 0))
