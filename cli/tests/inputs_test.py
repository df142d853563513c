"""Inputs as users have them, images and arrays, and the report of layers. Run by //cli/tests:inputs_test."""

import html.parser
import json
import os
import re
import shutil
import struct
import tempfile
import unittest
import zipfile
import zlib

from tally_tool import DIGITS, tally, write_npy

MODEL = f"{DIGITS}/digits.onnx"
SAMPLES = f"{DIGITS}/data/calibration.npy"  # 200 images of 8 x 8, p / 16
PIXELS = "image=1/240,0,0,240"  # 15 p


def write_png(path, rows):
    """Gray, 8 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))) + chunk(b"IEND", b""))


def read_samples():
    """Each a list of 64 pixels, 0 to 240."""
    with open(SAMPLES, "rb") as file:
        floats = struct.unpack("<12800f", file.read()[-12800 * 4:])
    return [[round(x * 240) for x in floats[i:i + 64]] for i in range(0, 12800, 64)]


class Page(html.parser.HTMLParser):
    """Whether the tags of a page match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags = [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class InputsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.samples = read_samples()
        cls.images = cls.path("images")
        os.mkdir(cls.images)
        for number, pixels in enumerate(cls.samples):
            write_png(f"{cls.images}/{number:03}.png", [pixels[y:y + 8] for y in range(0, 64, 8)])
        cls.module = cls.path("images.tally")
        cls.told = cls.done("quantize", MODEL, "--calibrate", cls.images, "--input-grid", PIXELS, "-o", cls.module,
                            "--save-calibration", cls.path("images.json"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.temporary.name, name)

    @classmethod
    def done(cls, *args):
        run = tally(*args)
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def refused(self, label, *args):
        run = tally(*args)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertTrue(run.stderr.startswith(f"error[{label}]: "), run.stderr)
        return run.stderr

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def quantize(self, samples, *options, grid=PIXELS):
        report = json.loads(self.done("quantize", MODEL, "--calibrate", samples, "--input-grid", grid, *options, "-o",
                                      self.path("q.tally"), "--json"))
        return report, self.read("q.tally")

    def test_modules_of_images_take_pixels(self):
        self.assertIn("image: integers as they are; scale, mean and std are in the weights", self.told)
        self.assertIn("\nworst   '", self.told)
        info = json.loads(self.done("info", self.module, "--json"))
        self.assertNotIn("scale", info["params"][0])
        values = json.loads(self.done("validate", self.module, "--json"))["values"]
        self.assertEqual(values[0], {"shape": [1, 1, 8, 8], "interval": [0, 240], "storage": "i16"})
        compared = json.loads(self.done("compare", MODEL, self.module, "--samples", self.images, "--input-grid", PIXELS,
                                        "--json"))
        self.assertGreater(compared["accuracy"]["outputs"][0]["sqnr_db"], 30)
        # The grid is that of the notes beside the module; without them another network is compared.
        kept = self.done("compare", MODEL, self.module, "--samples", self.images, "--json")
        self.assertEqual(json.loads(kept)["accuracy"], compared["accuracy"])
        self.assertIn("input-grid", json.loads(kept)["prepared"])
        alone = self.path("alone.tally")
        shutil.copy(self.module, alone)
        self.refused("accuracy_module", "compare", MODEL, alone, "--samples", SAMPLES)
        # The float samples of the network say the same.
        floats = json.loads(self.done("compare", MODEL, self.module, "--samples", SAMPLES, "--input-grid", PIXELS,
                                      "--json"))
        self.assertAlmostEqual(floats["accuracy"]["outputs"][0]["sqnr_db"],
                               compared["accuracy"]["outputs"][0]["sqnr_db"], delta=1e-3)

    def test_means_and_stds_are_folded(self):
        # The code of 0 is no pixel, and the first layer pads; so a constant channel carries it.
        report, _ = self.quantize(self.images, "--mean", "7/160", "--std", "0.5", grid="image=1/480,0,0,255")
        self.assertEqual(report["inputs"], [{"name": "image", "into": "layers", "why": ""}])
        self.assertGreater(report["accuracy"]["outputs"][0]["sqnr_db"], 25)
        self.assertEqual(len(report["worst_layers"]), 3)
        grid = ["quantize", MODEL, "--calibrate", self.images, "-o", self.path("none"), "--input-grid", PIXELS]
        self.refused("lower_input", *grid, "--mean", "1,2,3")
        self.refused("option_syntax", *grid, "--std", "a")
        self.refused("lower_input", *grid, "--std", "0")
        self.refused("input_name", *grid, "--std", "x=1")
        self.refused("option_syntax", *grid[:-2], "--mean", "1")
        self.assertIn("--input-grid", self.refused("samples_type", *grid[:-2]))
        self.assertFalse(os.path.exists(self.path("none")))

    def test_runs_take_images_and_several_samples(self):
        run = ["run", self.module, "--output", self.path("out"), "--json", "--input"]
        one = json.loads(self.done(*run, f"{self.images}/000.png"))["results"][0]
        write_npy(self.path("one.npy"), "|u1", [1, 1, 8, 8], bytes(self.samples[0]))
        self.assertEqual(json.loads(self.done(*run, self.path("one.npy")))["results"][0], one)
        report = json.loads(self.done(*run, f"image={self.images}", "--top", "1"))
        every = report["results"][0]
        self.assertEqual(report["samples"], 200)
        self.assertEqual(report["gas"], json.loads(self.done("validate", self.module, "--json"))["gas"])
        self.assertEqual(every["shape"], "[200,10]")
        self.assertEqual(len(every["digests"]), 200)
        self.assertEqual(every["digests"][0], one["digest"])
        self.assertEqual(len(every["largest"]), 200)
        several = json.loads(self.done(*run, self.path("one.npy"), "--repeat", "2"))
        self.assertEqual((several["samples"], several["runs"]), (1, 2))
        self.assertIn("it takes integers of 0 to 240", self.refused("input_type", *run, SAMPLES))

    def test_images_of_another_size_are_resized(self):
        folder = self.path("large")
        os.mkdir(folder)
        write_png(f"{folder}/a.png", [[x % 241 for x in range(y, y + 40)] for y in range(30)])
        run = ["run", self.module, "--output", self.path("resized"), "--input", folder]
        self.assertIn("--fit", self.refused("image_size", *run))
        self.done(*run, "--resize", "8")
        self.refused("image_size", *run, "--resize", "7")
        for fit in ("cover", "stretch", "pad"):
            self.done(*run, "--fit", fit, "--channels", "bgr")
        self.refused("option_syntax", *run, "--fit", "pad", "--resize", "8")
        with open(f"{folder}/b.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
        self.assertIn("b.png", self.refused("image_format", *run, "--resize", "8"))

    def test_arrays_lie_as_the_layout_says(self):
        data = b"".join(bytes(pixels) for pixels in self.samples)
        write_npy(self.path("nchw.npy"), "|u1", [200, 1, 8, 8], data)
        write_npy(self.path("nhwc.npy"), "|u1", [200, 8, 8, 1], data)  # one channel, so the same bytes
        of_images = self.read("images.tally")
        self.assertEqual(self.quantize(self.path("nchw.npy"))[1], of_images)
        self.assertEqual(self.quantize(self.path("nhwc.npy"), "--layout", "nhwc")[1], of_images)
        wrong = ["quantize", MODEL, "--input-grid", PIXELS, "-o", self.path("none"), "--calibrate"]
        self.assertIn("--layout nhwc reads it", self.refused("samples_shape", *wrong, self.path("nhwc.npy")))
        write_npy(self.path("flat.npy"), "|u1", [200, 64], data)
        self.refused("samples_shape", *wrong, self.path("flat.npy"))
        for name, kind in (("stored.npz", zipfile.ZIP_STORED), ("deflated.npz", zipfile.ZIP_DEFLATED)):
            with zipfile.ZipFile(self.path(name), "w", kind) as file:
                file.write(self.path("nchw.npy"), "image.npy")
                file.writestr("labels.npy", b"none")
            self.assertEqual(self.quantize(self.path(name))[1], of_images)
        with zipfile.ZipFile(self.path("other.npz"), "w") as file:
            file.writestr("a.npy", b"")
            file.writestr("b.npy", b"")
        self.refused("npz_format", *wrong, self.path("other.npz"))
        write_npy(self.path("wide.npy"), "|u1", [1, 1, 8, 8], bytes([241] * 64))
        self.refused("samples_range", *wrong, self.path("wide.npy"))

    def test_samples_that_look_wrong_are_told_of(self):
        def warnings(elements, *options):
            write_npy(self.path("w.npy"), "<f4", [1, 1, 8, 8], struct.pack("<64f", *elements))
            report = json.loads(self.done("quantize", MODEL, "--calibrate", self.path("w.npy"), *options, "-o",
                                          self.path("w.tally"), "--json"))
            return report.get("warnings", [])
        self.assertIn("samples_zero", warnings([0] * 64))
        self.assertIn("samples_like_pixels", warnings(range(64)))
        self.assertIn("samples_beyond", warnings([200] * 64, "--input-grid", PIXELS))
        self.assertEqual(set(warnings([i / 64 for i in range(64)], "--input-grid", PIXELS)) - {"low_sqnr"}, set())

    def test_reports_show_each_layer(self):
        report = ["report", MODEL, self.module, "--input-grid", PIXELS, "--samples", self.images, "--calibration",
                  self.path("images.json")]
        told = self.done(*report, "--html", self.path("layers.html"), "--csv", self.path("layers.csv"))
        self.assertRegex(told, r"\nworst   '[^\n]* dB")
        shown = json.loads(self.done(*report, "--json"))
        self.assertEqual(shown["samples"], 200)
        names = [layer["name"] for layer in shown["layers"]]
        self.assertEqual(names[0], "image")
        self.assertIsNone(shown["layers"][0]["sqnr_db"])  # pixels are exact
        self.assertIn("probabilities", names)
        self.assertTrue(set(shown["worst_layers"]) <= set(names))
        for layer in shown["layers"]:
            self.assertTrue(layer["sqnr_db"] is None or layer["sqnr_db"] > 20, layer)
            self.assertTrue(0 <= layer["saturated"] < 0.05 and 0 < layer["used"] <= 1, layer)
            size = 200 * eval("*".join(map(str, layer["shape"])))
            self.assertEqual(sum(layer["histogram"]["counts"]), size)
            self.assertTrue(0 < layer["headroom_bits"] < 63 and layer["alone_db"] is None, layer)
        self.assertEqual(self.read("layers.csv").count(b"\r\n"), len(names) + 1)
        text = self.read("layers.html").decode()
        page = Page(text)
        self.assertNotRegex(text, r"<script|<link|src=|url\(|@import")
        ids = {attrs.get("id") for _, attrs in page.tags}
        targets = {attrs["href"] for _, attrs in page.tags if "href" in attrs}
        self.assertEqual(targets, {f"#layer-{i}" for i in range(len(names))})
        self.assertTrue({target[1:] for target in targets} <= ids)
        each = json.loads(self.done(*report, "--sensitivity", "--json"))["layers"]
        alone = {layer["name"]: layer["alone_db"] for layer in each}
        self.assertIsNone(alone["image"])  # exact, alone too
        self.assertGreater(min(db for db in alone.values() if db is not None), 20)
        self.assertGreater(len([db for db in alone.values() if db is not None]), 3)
        # The calibration beside the module is its own; without it, that of the same samples is.
        self.assertEqual(json.loads(self.done(*report[:-2], "--json"))["layers"], shown["layers"])
        alone = self.path("uncalibrated.tally")
        shutil.copy(self.module, alone)
        self.assertEqual(json.loads(self.done("report", MODEL, alone, *report[3:-2], "--json"))["layers"], shown["layers"])
        self.refused("report_module", *report[:3], "--input-grid", "image=1/100,0,0,240", "--samples", SAMPLES)
        shutil.copy(self.module + ".origin", alone + ".origin")
        with open(alone + ".calibration", "w") as file:  # which the origin does not name
            file.write("{}")
        self.assertEqual(json.loads(self.done("report", MODEL, alone, *report[3:-2], "--json"))["layers"], shown["layers"])

    def test_modules_of_many_bits_are_reported_as_they_are(self):
        module = self.path("wide.tally")
        told = json.loads(self.done("quantize", MODEL, "--calibrate", SAMPLES, "--target-sqnr", "95", "-o", module, "--json"))
        self.assertTrue(told["precision"]["values"])
        write_npy(self.path("few.npy"), "<f4", [2, 1, 8, 8], struct.pack("<128f", *(x / 16 for row in self.samples[:2] for x in row)))
        self.assertEqual(json.loads(self.done("report", MODEL, module, "--samples", self.path("few.npy"), "--json"))["samples"], 2)

    def test_preparation_is_kept_with_the_module(self):
        folder, module = self.path("double"), self.path("double.tally")
        os.mkdir(folder)
        for number, pixels in enumerate(self.samples[:16]):
            rows = [pixels[y:y + 8] for y in range(0, 64, 8)]
            write_png(f"{folder}/{number:03}.png", [[x for x in row for _ in range(2)] for row in rows for _ in range(2)])
        self.done("quantize", MODEL, "--calibrate", folder, "--fit", "stretch", "--input-grid", PIXELS, "-o", module)
        image = f"image={folder}/003.png"
        run = ["run", module, "--output", self.path("double_out"), "--json", "--input", image]
        kept = tally(*run)
        self.assertEqual(kept.stderr, "prepare fit stretch, as the module was quantized\n")
        digest = json.loads(kept.stdout)["results"][0]["digest"]
        given = tally(*run, "--fit", "stretch")
        self.assertEqual((given.stderr, json.loads(given.stdout)["results"][0]["digest"]), ("", digest))
        other = tally(*run, "--resize", "8")
        self.assertEqual(other.stderr, "prepare not fit stretch, with which it was quantized\n")
        self.done("compare", MODEL, module, "--samples", folder, "--min-sqnr", "20")
        # Notes that are changed are not those of the module.
        with open(module + ".notes") as file:
            notes = file.read()
        with open(module + ".notes", "w") as file:
            file.write(notes.replace("stretch", "cover"))
        self.refused("notes_form", *run)
        os.remove(module + ".notes")
        self.refused("image_size", *run)

    def test_notes_of_the_last_time_are_left_alone(self):
        module, last, first = self.path("anew.tally"), self.path("last.npy"), self.path("first.npy")
        floats = struct.pack("<1024f", *(x / 240 for pixels in self.samples[:16] for x in pixels))
        write_npy(last, "<f4", [16, 8, 8, 1], floats)
        write_npy(first, "<f4", [16, 1, 8, 8], floats)
        self.done("quantize", MODEL, "--calibrate", last, "--layout", "nhwc", "-o", module)
        run = ["run", module, "--output", self.path("anew_out"), "--input", f"image={last}"]
        self.assertIn("layout nhwc", tally(*run).stderr)
        self.done("quantize", MODEL, "--calibrate", first, "-o", module)  # the same module, without notes
        self.assertTrue(os.path.exists(module + ".notes"))
        anew = tally(*run[:-1], f"image={first}")
        self.assertEqual((anew.returncode, anew.stderr), (0, ""))

    def test_labels_are_folders_or_lines_of_csv(self):
        with open(f"{DIGITS}/data/held_out_images.npy", "rb") as file:
            bytes_of_all = file.read()[-360 * 64:]
        samples = [[15 * x for x in bytes_of_all[at:at + 64]] for at in range(0, 360 * 64, 64)]
        with open(f"{DIGITS}/data/held_out_labels.npy", "rb") as file:
            labels = file.read()[-360:]
        folder, csv, module = self.path("classes"), self.path("labels.csv"), self.path("classes.tally")
        names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        with open(csv, "w") as lines:
            lines.write("file,label\n")
            for number, (pixels, label) in enumerate(zip(samples, labels)):
                os.makedirs(f"{folder}/{names[label]}", exist_ok=True)
                write_png(f"{folder}/{names[label]}/{number:03}.png", [pixels[y:y + 8] for y in range(0, 64, 8)])
                lines.write(f"{number:03}.png,{label}\n")
        with open(self.path("names.txt"), "w") as file:
            file.write("\n".join(names))
        told = json.loads(self.done("quantize", MODEL, "--calibrate", folder, "--input-grid", PIXELS, "--labels", csv, "-o", module,
                                    "--json"))
        self.assertGreater(told["float_accuracy"], 0.9)
        compare = ["compare", MODEL, module, "--samples", folder, "--json", "--labels"]
        by_csv = json.loads(self.done(*compare, csv))
        self.assertGreater(by_csv["float_accuracy"], 0.95)
        self.assertGreaterEqual(by_csv["float_top5"], by_csv["float_accuracy"])
        low, high = by_csv["right"]["module_accuracy"]
        self.assertTrue(low < by_csv["module_accuracy"] <= high)
        by_folder = json.loads(self.done(*compare, folder, "--names", self.path("names.txt")))
        self.assertEqual(by_folder["right"], by_csv["right"])
        self.assertNotIn("warnings", by_folder)
        # Without names, folders are in the order of their names, which is not that of the network.
        self.assertEqual(json.loads(self.done(*compare, folder))["warnings"], ["right_by_chance"])
        self.refused("labels_text", "compare", MODEL, module, "--samples", folder, "--labels", folder, "--names", csv)

    def test_bisect_finds_the_first_layer_below(self):
        bisect = ["bisect", MODEL, self.module, "--input-grid", PIXELS, "--samples", self.images]
        self.assertIsNone(json.loads(self.done(*bisect, "--json"))["first"])
        layers = json.loads(self.done("report", *bisect[1:], "--json"))["layers"]
        least = min(layer["sqnr_db"] for layer in layers[1:])
        first = next(layer["name"] for layer in layers[1:] if layer["sqnr_db"] < least + 3)
        self.assertEqual(json.loads(self.done(*bisect, "--below", str(least + 3), "--json"))["first"], first)
        self.assertIn("\nreads   '", self.done(*bisect, "--below", "60"))

    def test_diff_shows_what_changed(self):
        other = self.path("other.tally")
        self.done("quantize", MODEL, "--calibrate", SAMPLES, "--input-grid", "image=1/16,0,0,16", "-o", other)
        same = json.loads(self.done("diff", other, other, "--json"))
        self.assertEqual((same["equal"], same["lines"]), (True, []))
        report = json.loads(self.done("diff", other, self.module, "--json"))
        self.assertFalse(report["equal"])
        self.assertNotEqual(*report["module_id"])
        self.assertTrue(any(line.startswith('-param % "image"') for line in report["lines"]), report)
        self.assertTrue(any(line.startswith('+param % "image"') for line in report["lines"]), report)
        self.assertIn("\n+ param % ", self.done("diff", other, self.module))


if __name__ == "__main__":
    unittest.main()
