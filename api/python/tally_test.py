"""The package tally: tally_test.py, with the package on PYTHONPATH and TALLY_TOOL set (python_test.sh)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock

import numpy
import tally

ROOT = pathlib.Path.cwd()
MODEL = ROOT / "examples/digits/digits.onnx"
SAMPLES = ROOT / "examples/digits/data/calibration.npy"
RECEIPTS = ROOT / "examples/receipts/digits"
GRID = "image=1/16,0,0,16"
NEGATIVE = """tally 1
profile core
param %0 "x" [2,3] in [-100, 100] scale 3*2^-4 zero -2
%1 = negative %0
result %1 "y" scale 1*2^-1 zero 0
"""
LONG = """tally 1
profile core
param %0 "x" [] in [-100, 100]
%1 = loop %0 {body = 1, trips = 3000000, states = 1, scanned = 0, condition = false}
result %1 "y"
function 1
param %0 [] in [0, 2999999]
param %1 [] in [-100, 100]
%2 = negative %1
result %2
"""


def module(text):
    with tempfile.TemporaryDirectory() as folder:
        source, file = pathlib.Path(folder) / "m.tallytxt", pathlib.Path(folder) / "m.tally"
        source.write_text(text)
        subprocess.run([os.environ["TALLY_TOOL"], "asm", source, "-o", file], check=True, stdout=subprocess.PIPE)
        return tally.load(file.read_bytes())


class DigitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.temporary.name) / "digits.tally"
        cls.module = tally.quantize(MODEL, output=cls.path, input_grid=GRID, calibration=RECEIPTS / "calibration.json")
        cls.image = numpy.load(RECEIPTS / "0.npy")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_has_the_digest_of_the_command_line(self):
        line = [os.environ["TALLY_TOOL"], "run", self.path, "--input", f"image={RECEIPTS / '0.npy'}", "-o", self.temporary.name]
        said = subprocess.run(line, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        for engine in ("cpu", "reference"):
            scores = self.module.plan(engine=engine)(self.image)
            self.assertEqual(tally.digest(scores), re.search("digest ([0-9a-f]{64})", said)[1])

    def test_module_says_what_it_is(self):
        self.assertEqual([str(value) for value in self.module.params], ["image int8[1, 1, 8, 8] in [0, 16]"])
        self.assertEqual(self.module.id, self.module.quantization["module_id"])
        self.assertEqual(self.module.gas, self.module.quantization["gas"])
        self.assertIn("takes image", repr(self.module))
        self.assertIn(self.module.id, self.module._repr_html_())
        self.assertEqual(tally.load(self.path).id, self.module.id)

    def test_samples_may_be_arrays(self):
        samples = numpy.load(SAMPLES)
        for given in (samples, {"image": samples}, SAMPLES):
            made = tally.quantize(MODEL, given, input_grid=GRID)
            self.assertEqual(made.id, tally.quantize(MODEL, SAMPLES, input_grid=GRID).id)

    def test_modules_are_taken_where_paths_are(self):
        samples = numpy.load(SAMPLES)
        made = tally.quantize(MODEL, samples, input_grid=GRID)  # in no file of the caller's
        by_path = tally.compare(MODEL, self.path, samples, input_grid=GRID)
        by_module = tally.compare(MODEL, made, samples)  # what prepares the input is beside the module
        self.assertEqual(by_module["accuracy"]["outputs"][0]["name"], by_path["accuracy"]["outputs"][0]["name"])
        self.assertTrue(tally.report(MODEL, made, samples).rows)
        self.assertIsInstance(tally.bisect(MODEL, made, samples), dict)
        kept = pathlib.Path(self.temporary.name) / "kept.tally"
        made.save(kept)
        self.assertEqual(tally.load(kept).id, made.id)
        self.assertTrue(kept.with_name("kept.tally.calibration").exists())
        in_memory = tally.load(kept.read_bytes())
        self.assertEqual(tally.compare(MODEL, in_memory, samples, input_grid=GRID)["accuracy"], by_module["accuracy"])
        for wrong in (5, None, b"bytes", [MODEL]):
            with self.assertRaises(TypeError):
                tally.compare(MODEL, wrong, samples)
            with self.assertRaises(TypeError):
                tally.quantize(wrong, samples)

    def test_models_may_be_objects_of_onnx(self):
        class Proto:  # as an onnx.ModelProto
            def SerializeToString(self):
                return MODEL.read_bytes()

        made = tally.quantize(Proto(), calibration=RECEIPTS / "calibration.json", input_grid=GRID)
        self.assertEqual(made.id, self.module.id)
        self.assertTrue(tally.check(Proto())["imports"])

    def test_progress_is_called(self):
        seen = []
        tally.quantize(MODEL, SAMPLES, input_grid=GRID, progress=lambda *said: seen.append(said))
        self.assertTrue(seen and all(0 <= done <= total for _, done, total in seen), seen)
        self.assertTrue(any(done == total for _, done, total in seen))
        self.assertTrue(all(isinstance(title, str) and title for title, _, _ in seen))

        def fails(*said):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            tally.quantize(MODEL, SAMPLES, input_grid=GRID, progress=fails)

    def test_notebooks_show_figures(self):
        shown = tally.compare(MODEL, self.path, SAMPLES, input_grid=GRID)._repr_html_()
        self.assertIn("sqnr_db", shown)
        self.assertIn("module_id", self.module.quantization._repr_html_())
        self.assertIn("&lt;b&gt;", tally.Figures({"a": [{"name": "<b>"}], "b": {"c": ["<b>"]}, "d": "<b>"})._repr_html_())
        self.assertNotIn("<b>\"", tally.Figures({"d": "<b>"})._repr_html_())

        class Shell:
            kernel = None

        class Display:
            def __init__(self):
                self.shown = []

            def update(self, bar):
                self.shown.append(bar)

        displays = {}
        ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        ipython.get_ipython = Shell
        display.HTML = str
        display.display = lambda bar, display_id: displays.setdefault(len(displays), Display())
        with unittest.mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": display}):
            tally.quantize(MODEL, SAMPLES, input_grid=GRID)
        self.assertTrue(displays and all("<progress" in bar for one in displays.values() for bar in one.shown), displays)

    def test_batches(self):
        images = numpy.load(SAMPLES)[:5]
        plan = self.module.plan()
        codes = numpy.rint(images * 16).astype(numpy.int8)[:, None]
        together = plan.run({"image": codes}, batch=True)["probabilities"]
        numpy.testing.assert_array_equal(together, [plan(image) for image in codes])
        floats = plan.run({"image": images[:, None]}, batch=True, floats=True)["probabilities"]
        numpy.testing.assert_array_equal(floats, together * self.module.results[0].grid.scale)
        out = numpy.zeros_like(together)
        plan.run({"image": codes}, out={"probabilities": out}, batch=True)
        numpy.testing.assert_array_equal(out, together)
        self.assertEqual(len(plan.run({"image": codes[:0]}, batch=True)["probabilities"]), 0)
        for wrong in (codes[0], codes[:, 0], codes[..., :3]):
            with self.assertRaisesRegex(ValueError, "of a batch has the shape"):
                plan.run({"image": wrong}, batch=True)
        with self.assertRaisesRegex(ValueError, "as many rows"):
            plan.run({"image": codes}, out={"probabilities": out[:2]}, batch=True)
        with self.assertRaisesRegex(tally.RefusedError, "gas_limit"):
            plan.run({"image": codes}, batch=True, gas_limit=1)

    def test_floats_are_quantized_as_the_tool_does(self):
        pixels = numpy.float32(self.image) / 16
        floats = self.module.plan().run({"image": pixels}, floats=True)["probabilities"]
        integers = self.module.plan()(self.image)
        numpy.testing.assert_array_equal(floats, integers * self.module.results[0].grid.scale)

    def test_compares_and_reports(self):
        figures = tally.compare(MODEL, self.path, SAMPLES, input_grid=GRID)["accuracy"]["outputs"][0]
        self.assertGreater(figures["sqnr_db"], 30)
        report = tally.report(MODEL, self.path, SAMPLES, input_grid=GRID, calibration=RECEIPTS / "calibration.json")
        self.assertIn("<html", report.html)
        self.assertEqual(len({tuple(row) for row in report.rows}), 1)
        self.assertIn("<table>", report._repr_html_())
        named = type(report)({"layers": [{"name": "<script>", "sqnr_db": None}]}, "")
        self.assertIn("<td>&lt;script&gt;</td>", named._repr_html_())  # a model chooses its names
        self.assertIsInstance(tally.bisect(MODEL, self.path, SAMPLES, input_grid=GRID), dict)
        self.assertTrue(tally.check(MODEL)["imports"])

    def test_check_says_what_is_in_the_way(self):
        def field(number, value):
            return bytes([number << 3 | 2, len(value)]) + value

        of_type = field(2, field(1, b"\x08\x01" + field(2, field(1, b"\x08\x02"))))  # float32[2]
        node = field(1, b"x") + field(2, b"y") + field(4, b"Nonsense")
        graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + of_type) + field(12, field(1, b"y") + of_type)
        path = pathlib.Path(self.temporary.name) / "nonsense.onnx"
        path.write_bytes(b"\x08\x08" + field(8, b"\x10\x0d") + field(7, graph))
        said = tally.check(path)
        self.assertFalse(said["imports"])
        self.assertEqual(said["operators"][0]["operator"], "Nonsense")
        with self.assertRaisesRegex(tally.ModelError, "Nonsense"):
            tally.quantize(path)
        with self.assertRaisesRegex(tally.FileError, "file_open"):
            tally.check("/nowhere")

    def test_receipts(self):
        key, plan, nonce = tally.Key.generate(), self.module.plan(), bytes(range(32))
        results, receipt = plan.run_signed({"image": self.image}, key, nonce=nonce, trace=True)
        numpy.testing.assert_array_equal(results["probabilities"], plan(self.image))
        read = tally.Receipt.parse(receipt.text())
        self.assertEqual((read.module, read.status, read.nonce), (self.module.id, "ok", nonce.hex()))
        self.assertTrue(read.verify(tally.PublicKey.from_pem(key.public.pem()), nonce))
        self.assertEqual(read.verify(key.public, bytes(32)).label, "receipt_nonce")
        self.assertEqual(read.verify(tally.Key.generate().public).word, "UNVERIFIABLE")
        self.assertEqual(read.verify(key.public, results=self.module.results_digest(results)).compared, ("results",))
        self.assertEqual(read.verify(key.public, results="00" * 32).label, "receipt_results")
        accused = read.verify(key.public, certificate=b"none")
        self.assertTrue(accused.holds and accused.message, accused)
        self.assertEqual(accused.compared, ("certificate",))
        again = read.recompute(plan, {"image": self.image})
        self.assertEqual((again.word, again.compared), ("REPRODUCED", ("module", "inputs", "results", "trace")))
        self.assertFalse(read.recompute(plan, {"image": self.image * 0}))
        committed = tally.Receipt.parse((RECEIPTS / "0.receipt").read_text())
        self.assertTrue(committed.recompute(plan, {"image": self.image}))


class AuditsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = cls.folder = pathlib.Path(cls.temporary.name)
        (folder / "m.tallytxt").write_text(NEGATIVE)
        numpy.save(folder / "x.npy", numpy.arange(6, dtype=numpy.int8).reshape(2, 3))
        for line in ("asm m.tallytxt -o m.tally", "keygen -o node.key",
                     "run m.tally --input x.npy --output out --key node.key --receipt r --trace --store store"):
            subprocess.run([os.environ["TALLY_TOOL"], *line.split()], cwd=folder, check=True, stdout=subprocess.PIPE)
        cls.text = (folder / "r").read_text()
        cls.receipt = tally.Receipt.parse(cls.text)
        cls.key = tally.PublicKey.from_pem((folder / "node.key.pub").read_text())
        cls.objects = {str(path.relative_to(folder / "store")): path.read_bytes() for path in (folder / "store").glob("*/*/*")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_store_is_a_folder_or_a_function(self):
        asked = []

        def get(name):
            asked.append(name)
            return self.objects.get(name)

        for store in (self.folder / "store", str(self.folder / "store"), get):
            verdict = tally.audit(self.text, store, [self.key])
            self.assertTrue(verdict)
            self.assertEqual((verdict.claim, verdict.module, verdict.standing.word, verdict.run.word),
                             (self.receipt.claim, self.receipt.module, "VERIFIED", "REPRODUCED"))
        self.assertEqual(sorted(asked), sorted(self.objects))
        self.assertEqual(tally.audit(self.text.encode(), get).standing.label, "receipt_unchecked")
        other = tally.Key.generate().public
        self.assertEqual(tally.audit(self.receipt, get, [other, self.key]).standing.word, "VERIFIED")
        self.assertEqual(tally.audit(self.receipt, get, [other]).standing.label, "receipt_key")

    def test_what_a_store_does_not_give_decides_nothing(self):
        def fails(name):
            raise OSError("503")

        for store, label, may_pass in ((lambda name: None, "store_missing", False), (fails, "store_failed", True),
                                       (lambda name: 7, "store_failed", True), (lambda name: b"none", "store_content", False),
                                       (self.folder / "gone", "store_missing", False)):
            run = tally.audit(self.text, store).run
            self.assertEqual((run.word, run.label, run.may_pass), ("CANNOT_RECOMPUTE", label, may_pass), run)
        self.assertIn("OSError('503')", tally.audit(self.text, fails).run.message)
        self.assertEqual(tally.audit(self.text, self.objects.get, gas_limit=1).run.label, "gas_limit")
        with self.assertRaises(tally.MalformedError):
            tally.audit("no receipt", self.objects.get)
        with self.assertRaises(tally.RefusedError):
            tally.Auditor(self.objects.get, engine="abacus")
        with self.assertRaises(tally.RequestError):
            tally.Auditor(self.objects.get, threads=-1)

    def test_a_claim_has_one_finding_for_all_its_receipts(self):
        auditor = tally.Auditor(self.objects.get)
        found, trace = auditor.audit_claim(self.receipt.claim_bytes(), traced=True)
        self.assertEqual((found.word, trace), ("REPRODUCED", self.receipt.trace))
        self.assertIsNone(auditor.audit_claim(self.receipt.claim_bytes())[1])
        with self.assertRaises(tally.MalformedError):
            auditor.audit_claim(b"none")

    def test_many_threads_use_one_auditor(self):
        auditor = tally.Auditor(self.objects.get)
        found = []
        threads = [threading.Thread(target=lambda: found.extend(bool(auditor.audit(self.receipt, [self.key])) for _ in range(50)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 200)


class ArraysTest(unittest.TestCase):
    def setUp(self):
        self.module = module(NEGATIVE)
        self.plan = self.module.plan()
        self.x = numpy.arange(6, dtype=numpy.int8).reshape(2, 3)

    def test_any_memory(self):
        wide = numpy.zeros((4, 9), numpy.int32)
        wide[::2, ::3] = self.x
        turned = numpy.ascontiguousarray(self.x.T).T
        frozen = self.x.copy()
        frozen.flags.writeable = False
        backwards = numpy.ascontiguousarray(self.x[::-1, ::-1])[::-1, ::-1]
        swapped = self.x.astype(">i4")
        for x in (self.x, wide[::2, ::3], turned, frozen, backwards, swapped, self.x.astype(numpy.uint8), self.x.tolist(),
                  memoryview(self.x), self.x.astype(numpy.int64)):
            numpy.testing.assert_array_equal(self.plan(x), -self.x)
        numpy.testing.assert_array_equal(self.plan(self.x > 2), -(self.x > 2).astype(int))

    def test_writes_where_it_is_told(self):
        out = numpy.zeros((3, 2), numpy.int32)
        self.plan.run({"x": self.x}, out={"y": out.T})
        numpy.testing.assert_array_equal(out.T, -self.x)
        frozen = numpy.zeros((2, 3), numpy.int8)
        frozen.flags.writeable = False
        with self.assertRaises((ValueError, BufferError)):
            self.plan.run({"x": self.x}, out={"y": frozen})
        with self.assertRaisesRegex(tally.RequestError, "api_overlap"):
            self.plan.run({"x": self.x}, out={"y": self.x})

    def test_results_leave_by_dlpack(self):
        numpy.testing.assert_array_equal(numpy.from_dlpack(self.plan(self.x)), -self.x)

    def test_enters_by_dlpack(self):
        class Foreign:  # as a tensor of another framework
            def __init__(self, array):
                self.array = array

            def __dlpack__(self):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        numpy.testing.assert_array_equal(self.plan(Foreign(self.x)), -self.x)

    def test_floats(self):
        real = numpy.array([[0.0, 0.1, -3.0], [1e9, -1e9, 0.28125]])
        codes = numpy.clip(numpy.rint(real / (3 / 16)) - 2, -100, 100)
        result = self.plan.run({"x": real}, floats=True)["y"]
        numpy.testing.assert_array_equal(result, -codes * 0.5)

    def test_refuses_with_words(self):
        cases = [
            (TypeError, "floats=True", lambda: self.plan(self.x.astype(float))),
            (TypeError, "takes integers", lambda: self.plan(self.x.astype(complex))),
            (ValueError, "NaN", lambda: self.plan.run({"x": self.x * numpy.nan}, floats=True)),
            (ValueError, "2\\^63", lambda: self.plan(numpy.full((2, 3), 2**63, numpy.uint64))),
            (tally.RefusedError, "input_shape", lambda: self.plan(self.x.T)),
            (tally.RefusedError, "input_interval", lambda: self.plan(self.x + 100)),
            (tally.RefusedError, "input_count", lambda: self.plan()),
            (tally.RefusedError, "input_count", lambda: self.plan(self.x, self.x)),
            (tally.RequestError, "api_tensor", lambda: self.plan(numpy.zeros((0, 3), numpy.int8))),
            (tally.RefusedError, "gas_limit", lambda: self.plan.run({"x": self.x}, gas_limit=1)),
            (tally.RefusedError, "engine_unavailable", lambda: self.module.plan(engine="abacus")),
            (tally.RequestError, "api_plan_memory", lambda: self.module.plan(memory_limit=1)),
            (KeyError, "inputs are", lambda: self.plan.run({"z": self.x})),
            (tally.MalformedError, "bad_magic", lambda: tally.load(b"nonsense")),
            (tally.FileError, "file_open", lambda: tally.load("/nowhere")),
            (tally.FileError, "file_open", lambda: tally.quantize("/nowhere", self.x)),
            (tally.Error, "key_format", lambda: tally.Key.from_pem("none")),
            (tally.MalformedError, "receipt_form", lambda: tally.Receipt.parse("{}")),
        ]
        for kind, words, call in cases:
            with self.subTest(words), self.assertRaisesRegex(kind, words) as caught:
                call()
            if issubclass(kind, tally.Error):
                self.assertRegex(str(caught.exception), f"^{caught.exception.label}: ")

    def test_objects_go_in_any_order(self):
        plan = module(NEGATIVE).plan()  # whose module is gone
        numpy.testing.assert_array_equal(plan(self.x), -self.x)

    def test_the_lock_is_free_while_it_runs(self):
        plan = module(LONG).plan(engine="reference")
        ran = threading.Thread(target=lambda: plan(numpy.int8(1)))
        ran.start()
        counted = 0
        while ran.is_alive():
            counted += 1
        self.assertGreater(counted, 1000)

    def test_threads_share_a_plan(self):
        def run(n):
            for _ in range(200):
                numpy.testing.assert_array_equal(self.plan(self.x + n), -(self.x + n))

        threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_names_are_whole(self):
        with self.assertRaisesRegex(ValueError, "null"):
            module(NEGATIVE).plan(engine="cpu\0x")
        with self.assertRaises(TypeError):
            self.plan.run_signed({"x": self.x}, tally.Key.generate(), nonce="0" * 32)
        with self.assertRaises(TypeError):
            tally._native.Handle()
        with self.assertRaisesRegex(tally.FileError, "file_open"):
            tally.quantize("-o", self.x)  # a path, and no option

    def test_no_object_ends_the_interpreter(self):
        """Every function of the native part, with arguments of every kind, and handles of every other kind."""
        key = tally.Key.generate()
        _, receipt = self.plan.run_signed({"x": self.x}, key)
        handles = [of._handle for of in (self.module, self.plan, key, key.public, receipt)]

        class Liar:  # a sequence that does not keep what it says
            def __len__(self):
                return 3

            def __getitem__(self, index):
                raise OSError

        objects = [None, 0, -1, 2**70, 1.5, "text", "\ud800", b"bytes", (), [None], {}, object(), Liar(), self.x, memoryview(b""), *handles]
        functions = {name: of for name, of in vars(tally._native).items() if callable(of) and name != "Handle"}
        self.assertGreater(len(functions), 25)
        refused = 0
        for function in functions.values():
            for count in range(7):
                for shift in range(len(objects)):
                    arguments = [objects[(shift * (n + 1) + n) % len(objects)] for n in range(count)]
                    try:
                        function(*arguments)
                    except (TypeError, ValueError, OverflowError, BufferError, OSError, KeyError, tally.Error):
                        refused += 1
        self.assertGreater(refused, 1000)
        numpy.testing.assert_array_equal(self.plan(self.x), -self.x)

    def test_objects_are_freed(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def use():
            for _ in range(2000):
                with self.assertRaises(tally.Error):
                    tally.Receipt.parse("{" + " " * 20000)
                tally._native.module_info(self.module._handle)
                self.plan(self.x)
            for _ in range(50):
                tally.Key.generate().public.pem()

        use()
        before = resident()
        use()
        self.assertLess(resident() - before, 8 << 20, "2,000 texts of 20 kB are 40 MB")

    def test_certificates(self):
        self.assertFalse(tally.check_certificate(b"none")["convicted"])

    def test_engines(self):
        self.assertEqual([name for name, _, _ in tally.engines()], ["formal", "reference", "cpu", "cuda"])


if __name__ == "__main__":
    unittest.main()
