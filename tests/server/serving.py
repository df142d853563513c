"""A server of a test's own, and requests to it. Tests run as TEST.py TALLY, in the runfiles of the test; tally-net is beside the tool."""

import http.client
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, "cli/tests")
from tally_tool import TALLY, write_npy as write_array  # pylint: disable=wrong-import-position

DIGITS = pathlib.Path("examples/digits").absolute()
RECEIPTS = pathlib.Path("examples/receipts").absolute()
PIXELS = [0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0, 0, 3, 15, 2, 0, 11, 8, 0, 0, 4, 12, 0, 0, 8, 8, 0,
          0, 5, 8, 0, 0, 9, 8, 0, 0, 4, 11, 0, 1, 12, 7, 0, 0, 2, 14, 5, 10, 12, 0, 0, 0, 0, 6, 13, 10, 0, 0, 0]


def tally(*args):
    run = subprocess.run([TALLY, *map(str, args)], capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert run.returncode == 0, (args, run)
    return run.stdout


def write_npy(path, values, shape, dtype="|i1"):
    write_array(path, dtype, shape, struct.pack(f"<{len(values)}{ {'|i1': 'b', '<f4': 'f'}[dtype] }", *values))


class Workplace:
    """A folder with the digits model, a key and an image."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self.temporary.name)
        self.models = self.folder / "models"
        self.models.mkdir()
        self.module = self.folder / "digits.tally"
        tally("quantize", DIGITS / "digits.onnx", "-o", self.module, "--input-grid", "image=1/16,0,0,16", "--calibration",
              RECEIPTS / "digits/calibration.json")
        tally("keygen", "-o", self.folder / "node.key")
        write_npy(self.folder / "image.npy", PIXELS, [1, 1, 8, 8])

    def path(self, name):
        return self.folder / name

    def add_model(self, name="digits", module=None, version=None, config=None):
        """Each file appears in one step, as a node's operator would do it."""
        place = self.models / f"{name}.tally" if version is None else self.models / name / str(version) / "model.tally"
        place.parent.mkdir(parents=True, exist_ok=True)
        if config is not None:
            beside = self.models / f"{name}.json" if version is None else self.models / name / "config.json"
            self.replace(beside, json.dumps(config).encode())
        self.replace(place, module if module is not None else self.module.read_bytes())

    def replace(self, path, content):
        (self.folder / "new").write_bytes(content)
        os.replace(self.folder / "new", path)

    def cleanup(self):
        self.temporary.cleanup()


class Program:
    """A program that serves: it listens when this returns."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, encoding="utf-8")
        self.events, self.grown = [], threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.listening = self.wait_for("listening")
        self.http = self.listening["http"]

    def _read(self):
        for line in self.process.stderr:
            with self.grown:
                self.events.append(json.loads(line) if line.startswith("{") else {"event": line.strip()})
                self.grown.notify_all()
        with self.grown:
            self.events.append({"event": "end of the log"})
            self.grown.notify_all()

    def wait_for(self, event, seconds=60, **members):
        def found():
            return next((e for e in self.events if e["event"] == event and all(e.get(k) == v for k, v in members.items())), None)
        with self.grown:
            assert self.grown.wait_for(lambda: found() or self.events[-1:] == [{"event": "end of the log"}], seconds), self.events
            assert found(), self.events
            return found()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.reader.join(10)
        self.process.stderr.close()
        return code


class Server(Program):
    """`tally serve`."""

    def __init__(self, workplace, *options, key=True, store="node.db", port=0):
        command = [TALLY, "serve", "--models", workplace.models, "--http-port", port, "--grpc-port", "0", "--scan", "1", *options]
        if key:
            command += ["--key", workplace.path("node.key")]
        if store:
            command += ["--store", store if "://" in store else workplace.path(store)]
        super().__init__(*command)
        self.grpc = self.listening["grpc"]

    def memory(self):
        """Bytes that are in memory: tally-net replaces `tally`, so that it is one process."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.http, timeout=60)

    def call(self, method, path, body=None, headers=None):
        """Status, headers and the body, of JSON where it is that."""
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            content = response.read()
            is_json = response.headers["Content-Type"] == "application/json"
            return response.status, response.headers, json.loads(content) if is_json else content
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.call("GET", path)
        return status, body

    def infer(self, request=None, model="digits", **parameters):
        status, _, body = self.call("POST", f"/v2/models/{model}/infer", json.dumps((request or image_request()) | (
            {"parameters": parameters} if parameters else {})))
        return status, body


def image_request(pixels=None, datatype="INT8"):
    return {"inputs": [{"name": "image", "shape": [1, 1, 8, 8], "datatype": datatype, "data": pixels or PIXELS}]}


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.02)
