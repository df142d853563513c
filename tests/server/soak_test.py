"""A server under everything at once: clients that compare each answer, models that change, kills, and a store that fails and
returns. Run by //tests/server:soak_test, for TALLY_SOAK_SECONDS (default 120).

One of two servers on one store is killed every few seconds; the memory of the other is watched. Every answer has to be that of
engine reference, of the module that the receipt names; every receipt that was acknowledged has to be in the store at the end.
"""

import base64
import http.client
import json
import os
import random
import signal
import sqlite3
import struct
import threading
import time
import unittest

import postgres
from serving import Server, Workplace, image_request, tally, until, write_npy

SECONDS = int(os.environ.get("TALLY_SOAK_SECONDS", "120"))
CLIENTS, IMAGES = 6, 24


class SqliteStore:
    """In place of PostgreSQL where that is missing. It fails by a lock that somebody holds."""

    def __init__(self, path):
        self.url, self.lock = str(path), None

    def stop(self):
        self.lock = sqlite3.connect(self.url, isolation_level=None)
        self.lock.execute("BEGIN EXCLUSIVE")

    def start(self):
        self.lock.rollback()
        self.lock.close()

    def close(self):
        pass


class SoakTest(unittest.TestCase):
    def setUp(self):
        self.place = Workplace()
        self.addCleanup(self.place.cleanup)
        if postgres.programs():
            self.store = postgres.Postgres()
        else:
            print("ran: the store of the soak: SQLite: postgresql is not installed: ./dev setup server", flush=True)
            self.store = SqliteStore(self.place.path("node.db"))
        self.addCleanup(self.store.close)
        self.random = random.Random(1)
        self.modules, self.expected = {}, {}
        for grid in ("1/16", "1/8"):
            self.add_module(grid)
        self.ends = time.monotonic() + SECONDS
        self.answered = self.refused = self.failed = self.kills = self.outages = 0
        self.acknowledged, self.wrong = {}, []
        self.mutex = threading.Lock()

    def add_module(self, grid):
        """One more module of the model, and what engine reference says of it for every image."""
        path = self.place.path(f"{grid.replace('/', '_')}.tally")
        tally("quantize", "examples/digits/digits.onnx", "-o", path, "--input-grid", f"image={grid},0,0,16", "--calibration",
              "examples/receipts/digits/calibration.json")
        module = json.loads(tally("validate", path, "--json"))["module_id"]
        self.modules[module] = path.read_bytes()
        draw = random.Random(7)
        self.images = [[draw.randrange(17) for _ in range(64)] for _ in range(IMAGES)]
        for number, image in enumerate(self.images):
            write_npy(self.place.path("x.npy"), image, [1, 1, 8, 8])
            tally("run", path, "--input", f"image={self.place.path('x.npy')}", "--engine", "reference", "-o", self.place.path("out"))
            content = self.place.path("out/probabilities.npy").read_bytes()
            self.expected[module, number] = list(struct.unpack("<10h", content[-20:]))

    def serve(self, port=0):
        """Again and again: a server does not start while its store is down."""
        while True:
            try:
                return Server(self.place, store=self.store.url, port=port)
            except AssertionError:
                assert time.monotonic() < self.ends + 60
                time.sleep(0.2)

    def ask(self, connection, number, kind, nonce):
        request = image_request(self.images[number]) | {"parameters": {"receipt": kind, "nonce": nonce}}
        connection.request("POST", "/v2/models/digits/infer", json.dumps(request))
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def check(self, number, kind, nonce, answer):
        data = answer["outputs"][0]["data"]
        allowed = {module: self.expected[module, number] for module in self.modules}
        if kind != "none":
            receipt = answer["parameters"]["receipt"]
            statement = json.loads(base64.b64decode(json.loads(receipt)["payload"]))["predicate"]
            allowed = {statement["module"]: self.expected[statement["module"], number]}
            self.acknowledged[answer["parameters"]["claim"], nonce] = receipt
        if data not in allowed.values():
            self.wrong.append((number, data, allowed))

    def client(self, ports, seed):
        draw = random.Random(seed)
        connection = None
        while time.monotonic() < self.ends:
            number, kind, nonce = draw.randrange(IMAGES), draw.choice(["none", "io", "trace"]), f"{draw.getrandbits(256):064x}"
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", draw.choice(ports), timeout=30)
                status, answer = self.ask(connection, number, kind, nonce)
            except (OSError, http.client.HTTPException):
                connection = None
                with self.mutex:
                    self.failed += 1
                time.sleep(0.05)
                continue
            with self.mutex:
                if status == 200:
                    self.answered += 1
                    self.check(number, kind, nonce, answer)
                else:
                    self.refused += 1
                    if answer["label"] not in ("server_store", "server_ends", "request_deadline", "queue_full",
                                               "model_unready", "model_unknown"):
                        self.wrong.append((status, answer))
            if draw.random() < 0.05:
                connection.close()
                connection = None
            time.sleep(0.005)  # so that all receipts can be asked for at the end

    def change_models(self):
        draw = random.Random(3)
        while time.monotonic() < self.ends:
            content = draw.choice(list(self.modules.values()))
            if draw.random() < 0.3:
                content = content[:draw.randrange(len(content))]  # a bad file
            self.place.add_model(module=content)
            time.sleep(draw.uniform(0.2, 1.5))

    def fail_store(self):
        while time.monotonic() < self.ends - 8:
            time.sleep(12)
            self.store.stop()
            self.outages += 1
            time.sleep(2)
            self.store.start()

    def test_soak(self):
        self.place.add_model(module=next(iter(self.modules.values())))
        steady, victim = self.serve(), self.serve()
        ports = [steady.http, victim.http]
        work = [threading.Thread(target=self.client, args=(ports, seed)) for seed in range(CLIENTS)]
        work += [threading.Thread(target=self.change_models), threading.Thread(target=self.fail_store)]
        for thread in work:
            thread.start()
        warm = None
        while time.monotonic() < self.ends:
            time.sleep(self.random.uniform(2, 6))
            if warm is None and time.monotonic() > self.ends - SECONDS * 0.7:
                warm = steady.memory()
            victim.stop(signal.SIGKILL)
            self.kills += 1
            victim = self.serve(ports[1])
        for thread in work:
            thread.join(60)
        grown = steady.memory() - warm
        self.place.add_model(module=next(iter(self.modules.values())))
        until(lambda: steady.infer()[0] == 200)
        connection = steady.connect()

        def stored(claim, nonce):
            connection.request("GET", f"/v2/receipts/{claim}?nonce={nonce}")
            return connection.getresponse().read().decode()
        missing = [key for key, receipt in self.acknowledged.items() if stored(*key) != receipt]
        connection.close()
        print(f"soak of {SECONDS} s: {self.answered} answers compared, {len(self.acknowledged)} receipts, {self.refused} refused, "
              f"{self.failed} connections lost, {self.kills} kills, {self.outages} outages of the store, memory grew by "
              f"{grown >> 10} KiB", flush=True)
        self.assertEqual(self.wrong[:3], [])
        self.assertEqual(missing[:3], [])
        self.assertGreater(self.answered, 5 * SECONDS)
        self.assertGreater(len(self.acknowledged), SECONDS)
        self.assertLess(grown, 32 << 20)
        self.assertEqual([server.stop() for server in (steady, victim)], [0, 0])


if __name__ == "__main__":
    unittest.main()
