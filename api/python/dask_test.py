"""The package tally.dask: clusters on this machine whose workers and scheduler end at random (python_test.sh)."""

import json
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy
import tally

try:
    import distributed
    import tally.dask
except ImportError:
    print("ran: clusters: Dask: not run: python3-distributed not installed: ./dev setup cluster")
    sys.exit()

print("ran: clusters: Dask: on this machine", flush=True)
sys.argv.insert(1, os.environ["TALLY_TOOL"])
from audit_case import AuditCase  # noqa: E402
from dask_store import Store  # noqa: E402
from tally_tool import DIGITS, GRID, TALLY, sign_lie  # noqa: E402

FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class Cluster:
    """A scheduler and workers as processes, which may be ended and started again."""

    def __init__(self, folder, workers, nanny=False):
        """workers: how many, or the environment of each. nanny: one that ends is started again."""
        self.folder, self.nanny = folder, nanny
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = None
        self.workers = []
        self.start_scheduler()
        for environment in [{}] * workers if isinstance(workers, int) else workers:
            self.start_worker(environment)

    def start(self, *command, environment=None):
        log = open(self.folder / "cluster.log", "a")
        with log:
            return subprocess.Popen(["/usr/bin/python3", "-m", *command], stdout=log, stderr=log, start_new_session=True, cwd=self.folder,
                                    env=os.environ | (environment or {}))

    def start_scheduler(self):
        self.scheduler = self.start("distributed.cli.dask_scheduler", "--port", str(self.port), "--host", "127.0.0.1", "--no-dashboard")

    def start_worker(self, environment=None):
        options = ["--nthreads", "1", "--nworkers", "1", "--no-dashboard", "--death-timeout", "60", "--local-directory", str(self.folder)]
        nanny = "--nanny" if self.nanny else "--no-nanny"
        self.workers.append(self.start("distributed.cli.dask_worker", self.address, *options, nanny, environment=environment))

    def kill_worker(self, which):
        end(self.workers.pop(which))
        self.start_worker()

    def restart_scheduler(self):
        """Workers end with their scheduler, and those who run a cluster start both again."""
        for process in [self.scheduler, *self.workers]:
            end(process)
        count = len(self.workers)
        self.workers = []
        self.start_scheduler()
        for _ in range(count):
            self.start_worker()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [self.scheduler, *self.workers]:
            end(process)


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class DaskTest(AuditCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.key = tally.PublicKey.from_pem((cls.folder / "node.key.pub").read_text())

    def signed_claims(self, count):
        """Receipts of two modules, a third of them with a trace; wrong claims; and what an audit finds of each, by file."""
        expected = {}
        for number in range(count):
            self.signed(number, *(["--trace"] if number % 3 == 0 else []), module=("m", "other")[number % 2])
            expected[f"{number:03}.receipt"] = ("VERIFIED", "REPRODUCED", None)
        for number in range(1, count, 20):
            sign_lie(self.folder, f"receipts/{number:03}.receipt", "node.key", f"receipts/lie{number}.receipt")
            expected[f"lie{number}.receipt"] = ("VERIFIED", "DIVERGED", "claim_diverged")
        return expected

    def texts(self, names):
        return [(self.folder / "receipts" / name).read_text() for name in names]

    def said(self, verdicts, names):
        return {name: (one.standing.word, one.run.word, one.run.label or one.standing.label or None)
                for name, one in zip(names, verdicts)}

    def command(self, cluster, *options):
        return [TALLY, "audit", "receipts", "--store", "store", "--key", "node.key.pub", "--work", "work.db", "--dask", cluster.address,
                "--json", *options]

    def test_verdicts_are_those_of_one_machine(self):
        expected = self.signed_claims(40)
        names = [*expected, *expected, "bad"]
        (self.folder / "receipts/bad").write_text("no receipt")
        with Cluster(self.folder, 2) as cluster, distributed.Client(cluster.address) as client:
            found = tally.dask.audit(client, self.texts(names), self.folder / "store", [self.key], batch=7)
            self.assertEqual(self.said(found, names), expected | {"bad": ("", "", "receipt_form")})
            alone = [tally.audit(text, self.folder / "store", [self.key]) for text in self.texts(expected)]
            self.assertEqual(self.said(alone, expected), expected)
            gone = tally.dask.audit(client, self.texts(["000.receipt"]), self.folder / "gone")
            self.assertEqual(self.said(gone, ["x"]), {"x": ("UNVERIFIABLE", "CANNOT_RECOMPUTE", "store_missing")})
            run = subprocess.run(self.command(cluster), cwd=self.folder, stdout=subprocess.PIPE, timeout=100)
            self.assertEqual((run.returncode, json.loads(run.stdout)["runs"]), (1, {"DIVERGED": 2, "REPRODUCED": 40}))
        self.assertEqual(self.lines("--work", "work.db", label="audit_diverged"), expected)

    def test_lost_workers_schedulers_and_stores_lose_no_claim(self):
        """Workers end at random, the scheduler is started again, one clock is wrong, and the store fails for a while."""
        expected = self.signed_claims(60)
        names = list(expected)
        away = self.folder / "away"
        store = Store(self.folder / "store", away, delay=0.02)
        late = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "+40d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if FAKETIME.exists() else {}
        print("ran: clusters: Dask: a worker with a wrong clock" +
              ("" if late else ": not run: faketime not installed: ./dev setup cluster"), flush=True)
        with Cluster(self.folder, [{}, {}, late]) as cluster:
            away.touch()
            found = []
            audit = threading.Thread(target=lambda: found.extend(
                tally.dask.audit(cluster.address, self.texts(names), store, [self.key], batch=2)))
            audit.start()
            time.sleep(4)
            away.unlink()
            chance = random.Random(7)
            for which in range(4):
                time.sleep(1.5)
                if which == 2:
                    cluster.restart_scheduler()
                else:
                    cluster.kill_worker(chance.randrange(2))
            audit.join(timeout=150)
            self.assertFalse(audit.is_alive())
        self.assertEqual(len(found), len(names))
        self.assertEqual(self.said(found, names), expected)

    def test_killed_commands_and_workers_leave_one_verdict_for_each_claim(self):
        self.signed_slow(30)
        expected = {f"{number:03}.receipt": ("VERIFIED", "REPRODUCED", None) for number in range(30)}
        command = ["--engine", "reference"]
        done = []
        with Cluster(self.folder, 2) as cluster:
            for _ in range(3):
                process = subprocess.Popen(self.command(cluster, *command), cwd=self.folder, stdout=subprocess.PIPE,
                                           start_new_session=True)
                time.sleep(2.5)
                cluster.kill_worker(0)
                end(process)
                process.stdout.close()
                done.append(self.verdicts())
            run = subprocess.run(self.command(cluster, *command), cwd=self.folder, stdout=subprocess.PIPE, timeout=150)
            self.assertEqual(run.returncode, 0, run)
        self.assertLess(done[0], len(expected))  # the first was killed in its work
        self.assertEqual(done, sorted(done))
        self.assertEqual(self.verdicts(), len(expected))
        self.assertEqual(self.lines("--work", "work.db"), expected)

    def verdicts(self):
        """The claims of the list that have one."""
        database = sqlite3.connect(self.folder / "work.db")
        with database:
            count = database.execute("SELECT count(run) FROM claims").fetchone()[0]
        database.close()
        return count

    def test_a_claim_that_ends_its_workers_has_a_verdict(self):
        for number in range(6):
            self.signed(number)
        names = [f"{number:03}.receipt" for number in range(6)]
        poison = tally.Receipt.parse(self.texts(["003.receipt"])[0]).inputs
        store = Store(self.folder / "store", self.folder / "never", poison=poison)
        with Cluster(self.folder, 2, nanny=True) as cluster:
            found = tally.dask.audit(cluster.address, self.texts(names), store, [self.key])
        expected = {name: ("VERIFIED", "REPRODUCED", None) for name in names}
        self.assertEqual(self.said(found, names), expected | {"003.receipt": ("VERIFIED", "CANNOT_RECOMPUTE", "audit_unfinished")})

    def test_a_data_set_is_compared_as_on_one_machine(self):
        model, module = pathlib.Path(DIGITS) / "digits.onnx", self.folder / "digits.tally"
        samples = numpy.load(pathlib.Path(DIGITS) / "data/held_out_images.npy")[:100]
        labels = numpy.load(pathlib.Path(DIGITS) / "data/held_out_labels.npy")[:100]
        tally.quantize(model, pathlib.Path(DIGITS) / "data/calibration.npy", output=module, input_grid=GRID)
        whole = tally.compare(model, module, samples, labels=labels)
        with Cluster(self.folder, 2) as cluster:
            parts = tally.dask.compare(cluster.address, model, module, samples, labels, batch=32)
        self.assertEqual(parts["samples"], 100)
        for got, wanted in zip(parts["outputs"], whole["accuracy"]["outputs"]):
            self.assertEqual(got["name"], wanted["name"])
            for key in ("sqnr_db", "cosine", "largest_steps", "agreement"):
                self.assertAlmostEqual(got[key], wanted[key], places=5)
        for key in ("float_accuracy", "module_accuracy"):
            self.assertAlmostEqual(parts[key], whole[key])
        with self.assertRaises(ValueError):
            tally.dask.compare("tcp://nowhere:1", model, module, samples, labels[1:])


if __name__ == "__main__":
    unittest.main()
