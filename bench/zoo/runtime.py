"""ONNX Runtime in a child process: the npm package onnxruntime-node, by bench/peers/onnx_runtime.js.

    with Runtime(folder) as runtime:
        model = runtime.open("model.onnx")
        outputs, ms = runtime.run({"x": array})
"""

import json
import pathlib
import subprocess
import tempfile

import numpy

SERVER = pathlib.Path(__file__).resolve().parents[1] / "peers/onnx_runtime.js"
TYPES = {"float32": numpy.float32, "int64": numpy.int64, "int32": numpy.int32, "uint8": numpy.uint8, "int8": numpy.int8,
         "bool": numpy.bool_}


class Runtime:
    def __init__(self, package):
        self.process = subprocess.Popen(["node", str(SERVER), package], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()
        self.outputs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)
        self.folder.cleanup()

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def open(self, model, optimization="all", threads=1):
        """Opens a model; the names of its outputs."""
        self.outputs = self.ask(command="open", model=str(model), threads=threads, optimization=optimization)["outputs"]
        return self.outputs

    def run(self, inputs):
        """The outputs by name, and the milliseconds of this run."""
        folder = pathlib.Path(self.folder.name)
        given = {}
        for i, (name, array) in enumerate(inputs.items()):
            path = folder / f"i{i}"
            path.write_bytes(numpy.ascontiguousarray(array).tobytes())
            given[name] = {"file": str(path), "type": str(array.dtype), "dims": list(array.shape)}
        files = {name: str(folder / f"o{i}") for i, name in enumerate(self.outputs)}
        answer = self.ask(command="compute", inputs=given, outputs=files)
        results = {}
        for name, path in files.items():
            array = numpy.frombuffer(pathlib.Path(path).read_bytes(), TYPES[answer["types"][name]])
            results[name] = array.reshape(answer["dims"][name])
        return results, answer["ms"]
