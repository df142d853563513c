"""Core ML models as users have them: a classifier of images with its labels, and a package.

Run by //cli/tests:coreml_test.
"""

import json
import os
import random
import struct
import sys
import tempfile
import unittest
import zlib

from tally_tool import tally, write_npy

sys.path.insert(0, "tests/formats")
from coreml_model import array_type, floats, message, model, Net  # noqa: E402

IMAGE = message({4: message({1: 4, 2: 4, 3: 20})})
SCORES = message({6: b""})
LABELS = ["red", "green", "blue"]


def classifier(labels=None):
    """Whose scores are the means of the channels: the colour that there is most of."""
    net = Net()
    net.layer(120, ["image"], ["means"], message({1: 1, 60: 1}))
    net.layer(175, ["means"], ["colors"])
    scaler = message({1: "image", 10: message({10: 1 / 32})})
    file = model(net, {"image": IMAGE}, {"colors": SCORES, "label": message({3: b""})}, kind=403, version=1,
                 _2=scaler, _100=message({1: labels or LABELS}))
    return file + message({2: message({11: "label", 12: "colors"})})


def colored(seed):
    """Pixels of 4 by 4, and the place of the brightest channel."""
    source = random.Random(seed)
    best = source.randrange(3)
    return bytes(source.randrange(200, 256) if c == best else source.randrange(0, 160) for c in range(3) for _ in range(16)), best


class CoremlTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.model, self.module = self.path("colors.mlmodel"), self.path("colors.tally")
        with open(self.model, "wb") as file:
            file.write(classifier())
        drawn = [colored(seed) for seed in range(16)]
        self.pixels, self.best = self.path("pixels.npy"), [best for _, best in drawn]
        write_npy(self.pixels, "|u1", (16, 3, 4, 4), b"".join(image for image, _ in drawn))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def ok(self, *args):
        run = tally(*args)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def refused(self, label, *args):
        run = tally(*args)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertTrue(run.stderr.startswith(f"error[{label}]"), run.stderr)
        return run.stderr

    def quantize(self, model, *more):
        return json.loads(self.ok("quantize", model, "--calibrate", self.pixels, "-o", self.module, "--json", *more))

    def largest(self, *more):
        run = ["run", self.module, "--input", f"image={self.pixels}", "--output", self.path("out"), "--top", "1", "--json", *more]
        found = json.loads(self.ok(*run))["results"][0]["largest"]
        return [row[0]["name"] for row in found]

    def test_labels_of_the_file_name_what_is_largest(self):
        report = self.quantize(self.model)
        self.assertEqual(report["labels"], 3)
        self.assertEqual(self.largest(), [LABELS[best] for best in self.best])
        with open(self.path("others.txt"), "w") as file:
            file.write("0\nI\nII\n")
        self.assertEqual(self.largest("--labels", self.path("others.txt")), [["0", "I", "II"][best] for best in self.best])

    def test_labels_of_another_module_are_not_read(self):
        self.quantize(self.model)
        labels = self.module + ".notes"
        with open(labels) as file:
            text = file.read()
        with open(labels, "w") as file:
            file.write(text.replace('"module": "', '"module": "00'))
        self.assertEqual(self.largest(), [str(best) for best in self.best])
        for damaged in ("", "{", "[]", '{"module": 1}', text.replace('"red"', "7"), text.replace('"red"', '"\\u0000"')):
            with open(labels, "w") as file:
                file.write(damaged)
            self.refused("notes_form", "run", self.module, "--input", f"image={self.pixels}", "--output", self.path("out"), "--top", "1")

    def test_labels_may_be_anything(self):
        with open(self.model, "wb") as file:
            file.write(classifier(["", "long " * 1000, b"two\nlines \xff"]))
        self.quantize(self.model)
        names = self.largest()
        self.assertEqual([name[:9] for name in names], [["", "long long", "two\\u{a}l"][best] for best in self.best])
        self.assertLess(max(map(len, names)), 200)

    def test_scale_and_bias_are_those_of_the_file_or_of_options(self):
        module = self.quantize(self.model)["module_id"]
        same = self.quantize(self.model, "--input-grid", "image=1/32,0,0,255")["module_id"]
        other = self.quantize(self.model, "--input-grid", "image=1/64,0,0,255")["module_id"]
        self.assertEqual(module, same)
        self.assertNotEqual(module, other)

    def picture(self):
        """A PNG of 4 by 4 whose red is 200, green 100 and blue 50."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        rows = (b"\0" + bytes((200, 100, 50)) * 4) * 4
        path = self.path("red.png")
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) +
                       chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
        return path

    def test_pictures_have_the_order_of_channels_that_the_file_states(self):
        net = Net()
        net.layer(120, ["image"], ["means"], message({1: 1, 60: 1}))
        order = {}
        for color_space, channels in ((20, []), (30, []), (30, ["--channels", "rgb"]), (20, ["--channels", "bgr"])):
            image = message({4: message({1: 4, 2: 4, 3: color_space})})
            with open(self.model, "wb") as file:
                file.write(model(net, {"image": image}, {"means": SCORES}))
            self.ok("quantize", self.model, "--calibrate", self.picture(), "-o", self.module, *channels)
            given = [*channels, "--float", "--output", self.path("out"), "--top", "1", "--json"]
            told = json.loads(self.ok("run", self.module, "--input", f"image={self.path('red.png')}", *given))
            order[color_space, *channels] = told["results"][0]["largest"][0][0]["place"]
        self.assertEqual(list(order.values()), [0, 2, 0, 2])  # where the red is, which is the largest

    def test_check_and_info_tell_what_the_file_holds(self):
        for command in ("check", "info"):
            told = self.ok(command, self.model)
            self.assertIn("Core ML, specification 1, neuralNetworkClassifier", told)
            self.assertIn("image float32[1, 3, 4, 4]", told)

    def package(self, path="com.apple.CoreML/model.mlmodel", text=None):
        """A package whose manifest names a model at `path`."""
        folder = self.path("colors.mlpackage")
        os.makedirs(os.path.join(folder, "Data", "com.apple.CoreML"), exist_ok=True)
        with open(os.path.join(folder, "Data", "com.apple.CoreML", "model.mlmodel"), "wb") as file:
            file.write(classifier())
        entries = {"A": {"author": "com.apple.CoreML", "name": "model.mlmodel", "path": path}}
        manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": entries, "rootModelIdentifier": "A"}
        with open(os.path.join(folder, "Manifest.json"), "w") as file:
            file.write(json.dumps(manifest) if text is None else text)
        return folder

    def test_a_package_is_its_model(self):
        module = self.quantize(self.model)["module_id"]
        self.assertEqual(self.quantize(self.package())["module_id"], module)

    def test_packages_name_files_of_their_own(self):
        for path in ("../../colors.mlmodel", self.model, "com.apple.CoreML/../../../colors.mlmodel", "nothing.mlmodel", ""):
            self.refused("model_malformed", "check", self.package(path))
        os.symlink(self.model, os.path.join(self.path("colors.mlpackage"), "Data", "link.mlmodel"))
        self.refused("model_malformed", "check", self.package("link.mlmodel"))
        self.refused("file_open", "check", self.package("com.apple.CoreML"))
        for text in ("", "[]", "{}", '{"rootModelIdentifier": "A"}', '{"rootModelIdentifier": "B", "itemInfoEntries": {"A": {}}}',
                     '{"rootModelIdentifier": "A", "itemInfoEntries": {"A": 1}}', "[" * 100000):
            self.refused("model_malformed", "check", self.package(text=text))

    def test_programs_say_what_to_do(self):
        path = self.path("program.mlmodel")
        with open(path, "wb") as file:
            file.write(message({1: 7, 2: b"", 502: b""}))
        self.assertIn('convert_to="neuralnetwork"', self.refused("model_unsupported_type", "quantize", path, "-o", self.module))
        self.refused("model_format", "check", self.model, "--dialect", "nhwc")
        self.refused("model_unsupported_type", "import", self.model, "-o", self.module)


if __name__ == "__main__":
    unittest.main()
