"""The tool as its users meet it: files in, files out, labels and exit codes. Run by //cli/tests:cli_test."""

import json
import math
import os
import random
import struct
import tempfile
import unittest

from tally_tool import CVM_GRAPH, DIGITS, GRID, read_npy, tally, write_cvm_params, write_npy


ODD = """tally 1
    profile core
    param %0 "x" [2] in [0, 9]
    %1 = sqrt %0 {rounding = floor}
    %2 = sqrt %1 {rounding = nearest}
    %3 = random_uniform {shape = [2], seed = 1, layer = 1, lo = 0, hi = 9}
    %4 = broadcast_add %2, %3
    result %4 "y"
"""


class CliTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.module = cls.path("digits.tally")
        made = tally("quantize", f"{DIGITS}/digits.onnx", "--calibrate", f"{DIGITS}/data/calibration.npy",
                     "--input-grid", GRID, "--save-calibration", cls.path("calibration.json"), "-o", cls.module)
        assert made.returncode == 0, made.stderr
        cls.image = cls.path("image.npy")
        write_npy(cls.image, "|i1", [1, 1, 8, 8], bytes(i % 17 for i in range(64)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def refused(self, label, *args):
        run = tally(*args)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertTrue(run.stderr.startswith(f"error[{label}]: "), run.stderr)

    def test_ops_lists_every_operator_for_people_and_machines(self):
        operators = json.loads(tally("ops", "--json").stdout)["operators"]
        self.assertEqual(sum(op["profile"] == "cvm" for op in operators), 38)  # 37 of CVM, and constant
        self.assertEqual(len(tally("ops").stdout.splitlines()), len(operators))

    def test_import_shows_the_graph(self):
        graph = json.loads(tally("import", f"{DIGITS}/digits.onnx", "--json").stdout)
        self.assertEqual(graph["inputs"][0]["name"], "image")
        self.assertIn("Softmax", [node["op"] for node in graph["nodes"]])
        self.assertIn("Softmax", tally("import", f"{DIGITS}/digits.onnx").stdout)

    def test_a_run_says_what_its_steps_take(self):
        trace = self.path("trace.json")
        run = ["run", self.module, "--input", self.image, "-o", self.path("profiled"), "--repeat", "2", "--profile-trace", trace]
        report = json.loads(tally(*run, "--profile", "--json").stdout)
        steps = report["profile"]["steps"]
        self.assertEqual([step["kernel"] for step in steps], report["kernels"])
        self.assertEqual(round(sum(step["share"] for step in steps), 6), 1)
        self.assertTrue(any(step["multiply_adds"] > 0 and step["gops"] > 0 for step in steps))
        with open(trace) as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual([event["name"] for event in events[1:]], report["kernels"])
        table = tally(*run, "--profile").stdout
        self.assertIn("  step      time  share    GOPS  loop    GB/s  read  kernel\n", table)
        self.assertIsNone(json.loads(tally(*run, "--json").stdout)["profile"])
        self.refused("option_syntax", *run, "--engine", "reference")
        self.refused("option_syntax", *run, "--check")

    def write_cvm_model(self, name, graph, values=(0, 1, 3, -3)):
        """The paths of the graph and of the params, which hold `w`."""
        with open(self.path(name + ".json"), "w") as file:
            json.dump(graph, file)
        write_cvm_params(self.path(name + ".params"), values)
        return self.path(name + ".json"), self.path(name + ".params")

    def test_cvm_models_become_modules_that_run(self):
        graph, params = self.write_cvm_model("sum", CVM_GRAPH)
        module, x = self.path("sum.tally"), self.path("rows.npy")
        made = tally("import", graph, params, "-o", module)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("input   data [2,2], precision 8", made.stdout)
        self.assertIn("output  [2], precision 32, after argmax", made.stdout)
        made = json.loads(tally("import", graph, params, "-o", module, "--json").stdout)
        self.assertEqual(made["input"], {"name": "data", "shape": "[2,2]", "precision": 8})
        self.assertEqual(made["files"], [{"file": file, "bytes": os.path.getsize(file)} for file in (module, module + ".origin")])
        self.assertIn("profile cvm", tally("dump", module).stdout)
        write_npy(x, "|i1", [2, 2], bytes([1, 0, 0, 9]))  # [[1, 0], [0, 9]] + [[0, 1], [3, -3]]
        run = tally("run", module, "--input", f"data={x}", "--output", self.path("sum_out"), "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(json.loads(run.stdout)["results"][0]["file"], "rb") as file:
            self.assertEqual(file.read()[-2:], bytes([0, 1]))

    def test_exported_modules_import_as_they_were(self):
        module, again = self.path("out.tally"), self.path("out_again.tally")
        self.assertEqual(tally("import", *self.write_cvm_model("out", CVM_GRAPH), "-o", module).returncode, 0)
        graph, params = self.path("exported.json"), self.path("exported.params")
        written = tally("export", "cvm", module, "--graph", graph, "--params", params)
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(tally("import", graph, params, "-o", again).returncode, 0)
        with open(module, "rb") as a, open(again, "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.refused("cvm_export", "export", "cvm", self.module, "--graph", graph, "--params", params)

    def test_a_quantized_network_computes_the_same_as_onnx(self):
        onnx, again = self.path("digits.onnx"), self.path("digits_again.tally")
        written = tally("export", "onnx", self.module, "-o", onnx)
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertIn("100.00 % of the instructions", written.stdout)
        report = json.loads(tally("export", "onnx", self.module, "-o", onnx, "--json").stdout)
        self.assertEqual(report["exact_share"], 1)
        self.assertEqual(report["files"], [{"file": onnx, "bytes": os.path.getsize(onnx)}])
        made = tally("import", onnx, "--range", "image=0,16", "-o", again)
        self.assertEqual(made.returncode, 0, made.stderr)
        for module in (self.module, again):
            run = tally("run", module, "--input", f"image={self.image}", "--output", module + ".out")
            self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.module + ".out/probabilities.npy", "rb") as a, open(again + ".out/probabilities.npy", "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_all_that_has_no_form_in_onnx_is_refused_at_once(self):
        text, module, onnx = self.path("odd.tallytxt"), self.path("odd.tally"), self.path("odd.onnx")
        with open(text, "w") as file:
            file.write(ODD)
        self.assertEqual(tally("asm", text, "--output", module).returncode, 0)
        self.refused("onnx_export", "export", "onnx", module, "-o", onnx)
        told = json.loads(tally("export", "onnx", module, "-o", onnx, "--json").stdout)["error"]["message"]
        self.assertIn("3 of 4 instructions", told)
        self.assertIn("sqrt (2)", told)
        self.assertIn("random_uniform (1)", told)
        self.assertFalse(os.path.exists(onnx))

    def test_cvm_refusals_say_where_to_look(self):
        none = self.path("none.tally")
        graph, params = self.write_cvm_model("refused", CVM_GRAPH, (0, 0, 0, -128))
        self.refused("cvm_param_value", "import", graph, params, "-o", none)
        self.refused("cvm_json", "import", params, graph, "-o", none)
        self.refused("cvm_params", "import", graph, graph, "-o", none)
        self.refused("file_open", "import", self.path("missing"), params, "-o", none)
        self.assertIn("docs/formats/cvm.md", tally("import", params, graph, "-o", none).stderr)
        self.assertFalse(os.path.exists(none))

    def test_quantize_is_reproducible_from_its_calibration_file(self):
        again = self.path("again.tally")
        made = tally("quantize", f"{DIGITS}/digits.onnx", "--calibration", self.path("calibration.json"),
                     "--input-grid", GRID, "-o", again)
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.module, "rb") as a, open(again, "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_methods_are_chosen_where_a_calibration_is_used(self):
        def made(method, name):
            run = tally("quantize", f"{DIGITS}/digits.onnx", "--calibration", self.path("calibration.json"), "--method", method,
                        "--input-grid", GRID, "-o", self.path(name))
            self.assertEqual(run.returncode, 0, run.stderr)
            with open(self.path(name), "rb") as file:
                return file.read()

        modules = {method: made(method, f"{method}.tally") for method in ("mse", "percentile", "kl", "absmax")}
        self.assertEqual(len(set(modules.values())), 4)
        self.assertEqual(made("kl", "again.tally"), modules["kl"])
        report = ["report", f"{DIGITS}/digits.onnx", self.path("absmax.tally"), "--calibration", self.path("calibration.json"),
                  "--samples", f"{DIGITS}/data/calibration.npy", "--input-grid", GRID]
        self.assertEqual(tally(*report, "--method", "absmax").returncode, 0)
        self.refused("report_module", *report)
        wrong = tally("quantize", f"{DIGITS}/digits.onnx", "--calibration", self.path("calibration.json"), "--method", "guess",
                      "-o", self.path("none.tally"))
        self.assertEqual(wrong.returncode, 2)

    def test_precision_is_chosen_once_and_kept_in_the_calibration(self):
        module, again, kept = self.path("wide.tally"), self.path("wide_again.tally"), self.path("wide.json")
        quantize = ["quantize", f"{DIGITS}/digits.onnx", "--input-grid", GRID]
        made = tally(*quantize, "--calibrate", f"{DIGITS}/data/calibration.npy", "--target-sqnr", "91", "--save-calibration",
                     kept, "-o", module, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        report = json.loads(made.stdout)
        chosen = report["precision"]
        self.assertLess(chosen["sqnr_before"], 91)
        self.assertGreaterEqual(chosen["sqnr_after"], 91)
        self.assertEqual(report["accuracy"]["outputs"][0]["sqnr_db"], report["sqnr"]["db"])
        self.assertLessEqual(chosen["gas_after"], 1.25 * chosen["gas_before"])
        with open(kept) as file:
            saved = json.load(file)
        for key, names in (("wide", "values"), ("wide_products", "products"), ("wide_weights", "weights")):
            self.assertEqual(saved.get(key, []), chosen[names])
        self.assertTrue(chosen["values"] + chosen["weights"])
        self.assertEqual(tally(*quantize, "--calibration", kept, "-o", again).returncode, 0)
        with open(module, "rb") as a, open(again, "rb") as b:
            self.assertEqual(a.read(), b.read())
        for option in (("--budget", "20"), ("--target-sqnr", "40"), ("--equalize",), ("--fast",), ("--accurate",),
                       ("--labels", f"{DIGITS}/data/held_out_labels.npy")):
            self.refused("option_syntax", *quantize, "--calibration", kept, *option, "-o", again)

    def test_channels_are_equalized_once_and_kept_in_the_calibration(self):
        model, samples = self.path("spread.param"), self.path("spread.npy")
        drawn = random.Random(1)
        first = [drawn.gauss(0, 1) * (60 if i < 3 else 1) for i in range(24)]  # [8, 3]: one channel of 60 times the size
        second = [drawn.gauss(0, 1) / (60 if i % 8 == 0 else 1) for i in range(32)]  # [4, 8]
        with open(model, "w") as file:
            file.write("7767517\n4 4\nInput x 0 1 x 0=6 1=6 2=3\nConvolution hidden 1 1 x hidden 0=8 1=1 6=24\n"
                       "ReLU relu 1 1 hidden relu\nConvolution y 1 1 relu y 0=4 1=1 6=32\n")
        with open(self.path("spread.bin"), "wb") as file:
            for weights in (first, second):
                file.write(struct.pack(f"<i{len(weights)}f", 0, *weights))
        write_npy(samples, "<f4", [32, 3, 6, 6], struct.pack("<3456f", *(drawn.gauss(0, 1) for _ in range(3456))))
        quantize = ["quantize", model, "--target-sqnr", "0", "--json"]
        plain = json.loads(tally(*quantize, "--calibrate", samples, "-o", self.path("plain.tally")).stdout)
        module, again, kept = self.path("equal.tally"), self.path("equal_again.tally"), self.path("equal.json")
        made = tally(*quantize, "--calibrate", samples, "--equalize", "--save-calibration", kept, "-o", module)
        report = json.loads(made.stdout)
        self.assertEqual(report["equalized"], ["hidden"])
        self.assertGreater(report["precision"]["sqnr_before"], plain["precision"]["sqnr_before"] + 5)
        ends = ["quantize", model, "--calibrate", samples, "--json", "-o", again]
        fast, accurate = (json.loads(tally(*ends, end).stdout) for end in ("--fast", "--accurate"))
        self.assertEqual(fast["equalized"], ["hidden"])
        self.assertEqual(fast["precision"]["values"] + fast["precision"]["products"] + fast["precision"]["weights"], [])
        self.assertTrue(accurate["precision"]["values"] + accurate["precision"]["products"])
        self.assertGreater(accurate["precision"]["sqnr_after"], fast["precision"]["sqnr_after"] + 5)
        for both in (("--fast", "--accurate"), ("--fast", "--budget", "5"), ("--accurate", "--target-sqnr", "50")):
            self.assertEqual(tally(*ends, *both).returncode, 2)
        self.assertEqual(tally("quantize", model, "--calibration", kept, "-o", again).returncode, 0)
        with open(module, "rb") as a, open(again, "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertEqual(tally("report", model, module, "--calibration", kept, "--samples", samples).returncode, 0)
        compared = json.loads(tally("compare", model, module, "--samples", samples, "--json").stdout)
        self.assertGreater(compared["accuracy"]["outputs"][0]["sqnr_db"], plain["precision"]["sqnr_before"] + 5)
        with open(kept) as file:
            wrong = json.load(file)
        wrong["exponents"]["hidden"] = "1 2"
        with open(self.path("wrong.json"), "w") as file:
            json.dump(wrong, file)
        self.refused("calibration_exponents", "quantize", model, "--calibration", self.path("wrong.json"), "-o", again)

    def test_quantize_says_in_its_last_line_what_the_accuracy_means(self):
        quantize = ["quantize", f"{DIGITS}/digits.onnx", "--calibrate", f"{DIGITS}/data/calibration.npy", "-o", self.path("said.tally")]
        verdict = tally(*quantize, "--input-grid", GRID).stdout.splitlines()[-1]
        self.assertRegex(verdict, r"^verdict .* dB, the answers of the float network$")
        missed = tally(*quantize, "--input-grid", GRID, "--target-sqnr", "200", "--budget", "0").stdout.splitlines()[-1]
        self.assertRegex(missed, r"dB below the target of 200: the budget is spent: --budget 20 pays for more")
        poor = json.loads(tally(*quantize, "--input-grid", "2,0,0,8", "--target-sqnr", "0", "--json").stdout)
        self.assertNotIn("below the target", poor["verdict"])

    def test_quantize_reports_how_often_both_are_right(self):
        labels = self.path("right.npy")
        quantize = ["quantize", f"{DIGITS}/digits.onnx", "--calibrate", f"{DIGITS}/data/held_out_images.npy", "--input-grid", GRID,
                    "-o", self.path("right.tally"), "--json"]
        report = json.loads(tally(*quantize, "--labels", f"{DIGITS}/data/held_out_labels.npy").stdout)
        self.assertGreater(report["float_accuracy"], 0.95)
        self.assertGreater(report["module_accuracy"], 0.95)
        with open(labels, "wb") as file:
            file.write(b"no array")
        self.refused("npy_magic", *quantize, "--labels", labels)

    def test_dump_and_asm_round_trip(self):
        text, back = self.path("digits.tallytxt"), self.path("back.tally")
        whole, short = tally("dump", self.module).stdout, tally("dump", self.module, "--no-constants").stdout
        self.assertIn("{...}", short)
        self.assertLess(len(short), len(whole) / 4)
        self.assertEqual(tally("dump", self.module, "-o", text).returncode, 0)
        self.assertEqual(tally("asm", text, "-o", back).returncode, 0)
        with open(self.module, "rb") as a, open(back, "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_validate_proves_types_gas_and_memory(self):
        report = json.loads(tally("validate", self.module, "--json").stdout)
        self.assertEqual(report["values"][0], {"shape": [1, 1, 8, 8], "interval": [0, 16], "storage": "i8"})
        passed = 640 + (64 + 16 * 64) + (64 + 16 * 10)
        self.assertEqual(report["passing_gas"], passed)
        self.assertEqual(report["gas"], passed + sum(i["gas"] for i in report["instructions"]))
        self.assertGreaterEqual(report["arena_bytes"], report["largest_live_bytes"])
        self.assertIn(report["module_id"], tally("validate", self.module).stdout)

    def test_validate_prices_modules_as_cvm_runtime_does(self):
        text, module = self.path("conv.tallytxt"), self.path("conv.tally")
        with open(text, "w") as file:
            file.write("""tally 1
                profile cvm
                param %0 "x" [1,64,56,56] in [-127, 127]
                param %1 "w" [64,64,3,3] in [-127, 127]
                param %2 "b" [64] in [-127, 127]
                %3 = conv2d %0, %1, %2 {padding = [1, 1], stride = [1, 1], dilation = [1, 1], groups = 1}
                result %3 "y\"""")
        self.assertEqual(tally("asm", text, "-o", module).returncode, 0)
        cvm = ["validate", module, "--gas-schedule", "cvm"]
        self.assertIn("gas        349208896 (schedule cvm)", tally(*cvm).stdout)
        report = json.loads(tally(*cvm, "--json").stdout)
        self.assertEqual((report["gas_schedule"], report["gas"]), ("cvm", 349208896))
        self.assertEqual(report["gas"], sum(report["param_gas"]) + report["instructions"][0]["gas"])
        self.assertEqual(report["passing_gas"], 0)  # which cvm-runtime does not charge
        report = json.loads(tally("validate", module, "--json").stdout)
        pixels = 56 * 56
        passed = 640 + 4 * 64 + 16 * (64 * pixels + 64 * 64 * 9 + 64 + 64 * pixels)
        of_results = 640 + 4 * 64 * pixels + 8 * 64 * 56
        of_sums = 64 * pixels + 16 * 64 * 64 * 9 + 512 + 20 * pixels * 64 * (64 * 9 + 16) + 64 * 56 * 64 * 9
        self.assertEqual((report["gas_schedule"], report["gas"]), ("tally", passed + of_results + of_sums))
        self.refused("cvm_gas_profile", "validate", self.module, "--gas-schedule", "cvm")

    def test_modules_with_functions(self):
        text, module, x = self.path("call.tallytxt"), self.path("call.tally"), self.path("pair.npy")
        with open(text, "w") as file:
            file.write("""tally 1
                profile core
                param %0 "x" [2] in [-5, 5]
                %1 = call %0 {function = 1}
                result %1 "y"
                function 1
                param %0 [2] in [-5, 5]
                %1 = broadcast_add %0, %0
                result %1""")
        gas = 640 + 2 * (64 + 16 * 2) + 640 + (2 + 8) + 320 + 14 * 2
        self.assertEqual(tally("asm", text, "-o", module).returncode, 0)
        self.assertIn(f"function 1  ; gas {gas}, arena of 64 bytes", tally("dump", module).stdout)
        self.assertIn("functions: 2", tally("info", module).stdout)
        self.assertIn(f"function 1, gas {gas}", tally("validate", module).stdout)
        report = json.loads(tally("validate", module, "--json").stdout)
        self.assertEqual([f["gas"] for f in report["functions"]], [gas])
        write_npy(x, "|i1", [2], bytes([3, 251]))
        run = tally("run", module, "--input", f"x={x}", "--output", self.path("call_out"), "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(json.loads(run.stdout)["results"][0]["file"], "rb") as file:
            self.assertEqual(file.read()[-2:], bytes([6, 246]))

    def test_engines_tally_and_write_the_same_files(self):
        digests, files = set(), set()
        engines = [("formal",), ("reference",), ("cpu",), ("cpu", "--threads", "3"), ("cpu", "--arch", "portable")]
        for number, engine in enumerate(engines):
            folder = self.path(f"out_{number}")
            run = tally("run", self.module, "--input", f"image={self.image}", "--engine", *engine,
                        "--output", folder, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertEqual(report["kernels"] != [], engine[0] == "cpu")
            digests.add(report["results"][0]["digest"])
            with open(report["results"][0]["file"], "rb") as file:
                files.add(file.read())
        self.assertEqual((len(digests), len(files)), (1, 1))

    def test_runs_on_kernels_by_default_and_as_often_as_asked(self):
        run = ["run", self.module, "--input", f"image={self.image}", "--output", self.path("repeated")]
        once, often = (json.loads(tally(*run, *repeat, "--json").stdout) for repeat in ([], ["--repeat", "5"]))
        self.assertEqual((once["engine"], once["runs"], often["runs"]), ("cpu", 1, 5))
        self.assertEqual(once["milliseconds"], once["least_milliseconds"])
        self.assertLessEqual(often["least_milliseconds"], often["milliseconds"])
        self.assertEqual(once["results"], often["results"])
        self.assertIn(" ms, the median of 3 runs; at least ", tally(*run, "--repeat", "3").stdout)
        self.assertEqual(tally(*run, "--repeat", "0").returncode, 2)

    def test_refusals_have_labels_and_leave_nothing_behind(self):
        run = ["run", self.module, "--input", f"image={self.image}", "--output", self.path("none")]
        self.refused("engine_unavailable", *run, "--engine", "cuda")
        self.refused("arch_unknown", *run, "--engine", "cpu", "--level", "sse9")
        self.refused("arch_unknown", *run, "--engine", "cpu", "--arch", "sse9")  # its other name
        self.refused("gas_limit", *run, "--gas-limit", "1")
        self.refused("memory_limit", *run, "--memory-limit", "1")
        self.refused("input_name", "run", self.module, "--output", self.path("none"))
        self.refused("input_name", *run, "--input", f"other={self.image}")
        outside, floats = self.path("outside.npy"), self.path("floats.npy")
        write_npy(outside, "|i1", [1, 1, 8, 8], bytes([17] * 64))
        write_npy(floats, "<f4", [1, 1, 8, 8], struct.pack("<64f", *[math.nan] * 64))
        self.refused("input_interval", "run", self.module, "--input", f"image={outside}", "--output", self.path("none"))
        self.refused("input_type", "run", self.module, "--input", f"image={floats}", "--output", self.path("none"))
        write_npy(floats, "<f4", [8, 8], bytes(256))
        self.refused("input_shape", "run", self.module, "--input", f"image={floats}", "--output", self.path("none"))
        # Where several things are wrong, limits come first, as in every client.
        write_npy(floats, "|i1", [1, 1, 1, 8, 8], bytes(64))
        misfit = ["run", self.module, "--input", f"image={floats}", "--output", self.path("none")]
        self.refused("input_shape", *misfit)
        self.refused("gas_limit", *misfit, "--gas-limit", "1")
        self.refused("file_open", *run, "--top", "1", "--labels", self.path("missing"))
        self.refused("labels_text", *run, "--labels", self.image)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_floats_go_in_and_come_out_by_their_grids(self):
        floats, labels = self.path("pixels.npy"), self.path("labels.txt")
        write_npy(floats, "<f4", [1, 1, 8, 8], struct.pack("<64f", *[(i % 17) / 16 + 0.01 for i in range(64)]))
        with open(labels, "w") as file:
            file.write("zero\r\none\ntwo\nthree\nfour\n")  # the number of the rest is reported
        run = ["run", self.module, "--output", self.path("floats_out"), "--top", "2", "--labels", labels, "--json"]
        whole = json.loads(tally(*run, "--input", f"image={self.image}").stdout)["results"][0]
        real = json.loads(tally(*run, "--input", f"image={floats}", "--float").stdout)["results"][0]
        self.assertEqual(whole["digest"], real["digest"])
        self.assertEqual((whole["file_type"], real["file_type"]), ("i16", "f32"))
        with open(real["file"], "rb") as file:
            probabilities = struct.unpack("<10f", file.read()[-40:])
        self.assertAlmostEqual(sum(probabilities), 1, delta=0.01)
        names = ["zero", "one", "two", "three", "four", "5", "6", "7", "8", "9"]
        order = sorted(range(10), key=lambda i: -probabilities[i])[:2]
        self.assertEqual([choice["name"] for choice in real["largest"][0]], [names[i] for i in order])
        self.assertAlmostEqual(real["largest"][0][0]["value"], probabilities[order[0]], delta=1e-6)
        told = tally(*run[:-1], "--input", f"image={self.image}").stdout
        self.assertIn(f"largest {names[order[0]]} 0.", told)
        ungridded, x = self.path("ungridded.tally"), self.path("x32.npy")
        text = self.path("ungridded.tallytxt")
        with open(text, "w") as file:
            file.write('tally 1\nprofile core\nparam %0 "x" [2] in [0, 5]\n%1 = relu %0\nresult %1 "y"\n')
        self.assertEqual(tally("asm", text, "-o", ungridded).returncode, 0)
        write_npy(x, "<f4", [2], bytes(8))
        self.refused("input_type", "run", ungridded, "--input", f"x={x}", "--output", self.path("none"))

    def test_hostile_files_are_refused(self):
        with open(self.module, "rb") as file:
            whole = file.read()
        for name, data, label in (("cut", whole[:100], None), ("longer", whole + b"\0", "trailing_bytes"),
                                  ("text", b"not a module", "bad_magic")):
            path = self.path(name)
            with open(path, "wb") as file:
                file.write(data)
            checked = tally("validate", path)
            self.assertEqual(checked.returncode, 1)
            if label:
                self.assertIn(f"error[{label}]", checked.stderr)
        self.refused("file_open", "validate", self.path("missing"))
        self.refused("model_format", "import", self.path("text"))

    def test_a_folder_that_cannot_be_written_leaves_no_file(self):
        blocked = self.path("blocked")
        with open(blocked, "w") as file:
            file.write("a file where a folder should be")
        run = tally("run", self.module, "--input", f"image={self.image}", "--output", blocked)
        self.assertEqual(run.returncode, 1)
        self.assertIn("error[file_write]", run.stderr)

    def test_options_and_samples_are_refused_by_label(self):
        none = self.path("none")
        self.refused("option_syntax", "run", self.module, "--input", f"={self.image}", "--output", none)
        self.refused("option_syntax", "quantize", f"{DIGITS}/digits.onnx", "--calibrate",
                     f"{DIGITS}/data/calibration.npy", "--input-grid", "image=1/16,0,0", "-o", none)
        quantize = ["quantize", f"{DIGITS}/digits.onnx", "-o", none, "--calibrate"]
        self.refused("samples_type", *quantize, self.image)
        wrong = self.path("samples_of_another_shape.npy")
        write_npy(wrong, "<f4", [2, 63], bytes(2 * 63 * 4))
        self.refused("samples_shape", *quantize, wrong)
        self.assertFalse(os.path.exists(none))

    def test_wrong_usage_exits_with_2(self):
        for args in ([], ["nonsense"], ["run"], ["import"], ["import", "a", "b", "c"],
                     ["export"], ["export", "cvm", "x"], ["export", "onnx", "x"]):
            self.assertEqual(tally(*args).returncode, 2, args)

    def test_check_lists_all_that_is_in_the_way(self):
        report = json.loads(tally("check", f"{DIGITS}/digits.onnx", "--json").stdout)
        self.assertTrue(report["imports"])
        self.assertEqual(report["inputs"], ["image float32[1, 1, 8, 8]"])
        self.assertEqual({o["operator"]: o["imported"] for o in report["operators"]}["Softmax"], 1)
        told = tally("check", f"{DIGITS}/digits.onnx").stdout
        self.assertIn("it imports", told)
        self.assertRegex(told, r"\nConv +4 +4 +0 +0\n")
        with open(f"{DIGITS}/digits.onnx", "rb") as file:
            model = file.read()
        odd = self.path("odd.onnx")
        with open(odd, "wb") as file:
            file.write(model.replace(b"Softmax", b"Sofamax").replace(b"MaxPool", b"MinPool"))
        run = tally("check", odd, "--json")
        self.assertEqual(run.returncode, 1)
        report = json.loads(run.stdout)
        self.assertFalse(report["imports"])
        self.assertEqual(report["error"]["label"], "model_refused")
        self.assertEqual([r["label"] for r in report["refused"]], ["model_unsupported_operator"] * 2)
        run = tally("check", odd)
        self.assertEqual((run.returncode, run.stderr), (1, "error[model_refused]: the model does not import\n"))
        told = run.stdout
        self.assertIn("operator MinPool is not imported", told)
        self.assertIn("operator Sofamax is not imported", told)
        self.assertEqual(told.count("to do:"), 1)
        self.refused("model_format", "check", self.module)
        wants = json.loads(tally("check", f"{DIGITS}/digits.onnx", "--json").stdout)["calibration"]
        self.assertEqual(wants, [{"input": "image", "wants": "samples of floats (--calibrate)"}])

    def test_info_shows_what_a_model_file_has(self):
        about = json.loads(tally("info", f"{DIGITS}/digits.onnx", "--json").stdout)
        self.assertEqual((about["format"], about["imports"]), ("ONNX, opset 13", True))
        self.assertEqual(about["outputs"], ["probabilities float32[1, 10]"])
        self.assertGreater(about["weights"]["elements"], 1000)
        told = tally("info", f"{DIGITS}/digits.onnx").stdout
        self.assertRegex(told, r"\nweights  \d+ tensors of \d+ elements\n")
        self.assertIn("it imports", told)

    def test_onnx_of_integers_becomes_a_module_without_calibration(self):
        def tensor(name, kind, values):  # a small TensorProto of int32_data or int64_data
            data = b"".join(bytes([5 << 3, v]) if kind != 7 else bytes([7 << 3, v]) for v in values)
            body = bytes([1 << 3, len(values), 2 << 3, kind]) + data + bytes([8 << 3 | 2, len(name)]) + name.encode()
            return bytes([5 << 3 | 2, len(body)]) + body

        def part(number, body):
            return bytes([number << 3 | 2, len(body)]) + body

        def value(name, kind, dims):
            shape = b"".join(part(1, bytes([1 << 3, d]) if d else part(2, b"n")) for d in dims)
            return part(1, name.encode()) + part(2, part(1, bytes([1 << 3, kind]) + part(2, shape)))

        node = part(1, b"x") + part(1, b"w") + part(2, b"y") + part(4, b"Mul")
        graph = part(1, node) + part(2, b"g") + tensor("w", 3, [3, 4]) + part(11, value("x", 3, [0, 2])) + \
            part(12, value("y", 3, [0, 2]))
        path, module = self.path("integers.onnx"), self.path("integers.tally")
        with open(path, "wb") as file:
            file.write(bytes([1 << 3, 8]) + part(7, graph) + part(8, bytes([2 << 3, 13])))
        self.refused("model_may_wrap", "import", path, "-o", module)
        made = json.loads(tally("import", path, "-o", module, "--shape", "x=3,2", "--range", "x=-9,9",
                                "--json").stdout)
        self.assertEqual(made["files"][0]["file"], module)
        x = self.path("integers.npy")
        write_npy(x, "|i1", [3, 2], bytes([1, 2, 3, 4, 5, 247]))
        run = tally("run", module, "--input", f"x={x}", "--output", self.path("integers_out"), "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(json.loads(run.stdout)["results"][0]["file"], "rb") as file:
            self.assertEqual(file.read()[-6:], bytes([3, 8, 9, 16, 15, 220]))
        for bad in ("x", "x=1", "x=1,a", "x=1/3,0,9"):
            self.refused("option_syntax", "import", path, "-o", module, "--range", bad)
        self.refused("option_syntax", "check", path, "--shape", "x=2,-1")
        for bad in ("x", "x=", "x=a", "x=1,", "x=inf"):
            self.refused("option_syntax", "check", path, "--fix", bad)
        self.refused("model_shape", "check", path, "--fix", "none=1")
        fixed = tally("import", "--shape", "x=3,2", "--fix", "x=4", path, "-o", module)
        self.assertEqual(fixed.returncode, 0, fixed.stderr)
        self.refused("model_shape", "import", path, "-o", module, "--shape", "x=2,3")

    def test_compare_measures_a_module_beside_its_network(self):
        model, samples = f"{DIGITS}/digits.onnx", f"{DIGITS}/data/calibration.npy"
        made = tally("quantize", model, "--calibrate", samples, "--input-grid", GRID, "-o", self.path("seen.tally"), "--json")
        cost = json.loads(made.stdout)
        parts = cost["samples"]
        self.assertEqual(parts["verdict"], sum(parts.values()) // 4)
        self.assertEqual(parts["search"], sum(parts.values()) // 8)
        sqnr = cost["sqnr"]
        self.assertEqual(sqnr["samples"], parts["verdict"])
        self.assertLess(sqnr["low"], sqnr["db"])
        self.assertLess(sqnr["db"], sqnr["high"])
        self.assertGreater(cost["accuracy"]["outputs"][0]["sqnr_db"], 25)
        self.assertNotIn("warnings", cost)
        compare = ["compare", model, self.path("seen.tally"), "--samples", samples]
        told = tally(*compare)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn(" dB, largest error ", told.stdout)
        output = json.loads(tally(*compare, "--json").stdout)["accuracy"]["outputs"][0]
        self.assertEqual(output["name"], "probabilities")
        self.assertGreater(output["agreement"], 0.95)
        self.assertGreater(output["cosine"], 0.99)
        self.refused("accuracy_low", *compare, "--min-sqnr", "90", "-o", self.path("none"))
        self.assertFalse(os.path.exists(self.path("none")), "nothing is written below a threshold")
        black, bad = self.path("black.npy"), self.path("bad.tally")
        write_npy(black, "<f4", [1, 1, 8, 8], bytes(256))
        made = tally("quantize", model, "--calibrate", black, "--input-grid", GRID, "-o", bad)
        self.assertIn("of the sample that calibration saw, which says nothing of others", made.stdout)
        self.refused("accuracy_low", "compare", model, bad, "--samples", samples, "--min-agreement", "0.9")
        self.assertEqual(tally(*compare, "--min-sqnr", "20", "--min-agreement", "0.9").returncode, 0)
        labels = self.path("labels.npy")
        count = json.loads(tally(*compare, "--json").stdout)["accuracy"]["samples"]
        write_npy(labels, "|i1", [count], bytes(count))
        both = self.path("both")
        report = json.loads(tally(*compare, "--labels", labels, "--json", "-o", both).stdout)
        self.assertLess(report["module_accuracy"], 0.3)  # a tenth of them are zeros
        self.assertEqual(sorted(os.listdir(both)), ["probabilities.float.npy", "probabilities.module.npy"])
        shape, by_float = read_npy(os.path.join(both, "probabilities.float.npy"))
        self.assertEqual(shape, (count, 10))
        for whose, said in (("float", "float_accuracy"), ("module", "module_accuracy")):
            _, rows = read_npy(os.path.join(both, f"probabilities.{whose}.npy"))
            zeros = sum(max(range(10), key=rows[at : at + 10].__getitem__) == 0 for at in range(0, len(rows), 10))
            self.assertEqual(zeros / count, report[said])
        tally("run", self.path("seen.tally"), "--input", samples, "--float", "-o", both)
        self.assertEqual((shape, rows), read_npy(os.path.join(both, "probabilities.npy")))
        self.assertNotEqual(rows, by_float)
        self.assertNotIn("module_perplexity", report)
        surprise = [*compare, "--labels", labels, "--perplexity"]
        self.assertIn(" of the module", tally(*surprise).stdout)
        report = json.loads(tally(*surprise, "--json").stdout)
        self.assertGreater(report["float_perplexity"], 5)  # probabilities taken for logits: nearly as likely
        self.assertAlmostEqual(report["module_perplexity"], report["float_perplexity"], 2)
        self.refused("option_syntax", *compare, "--perplexity")
        write_npy(labels, "|i1", [count], bytes(count - 1) + bytes([10]))
        self.refused("samples_range", *compare, "--labels", labels)
        write_npy(labels, "|i1", [3], bytes(3))
        self.refused("samples_shape", *compare, "--labels", labels)
        self.refused("input_name", *compare[:-1], f"nobody={samples}")
        self.refused("input_name", *compare, f"nobody={samples}")

    def test_every_command_speaks_json(self):
        text, again = self.path("json.tallytxt"), self.path("json.tally")
        dumped = json.loads(tally("dump", self.module, "--json").stdout)
        self.assertTrue(dumped["valid"])
        self.assertEqual(dumped["text"], tally("dump", self.module).stdout)
        report = json.loads(tally("dump", self.module, "-o", text, "--json").stdout)
        self.assertEqual(report["files"], [{"file": text, "bytes": os.path.getsize(text)}])
        report = json.loads(tally("asm", text, "-o", again, "--json").stdout)
        self.assertEqual(report["files"], [{"file": again, "bytes": os.path.getsize(self.module)}])
        report = json.loads(tally("quantize", f"{DIGITS}/digits.onnx", "--calibration", self.path("calibration.json"),
                                  "--input-grid", GRID, "-o", again, "--json").stdout)
        info = json.loads(tally("info", again, "--json").stdout)
        proven = json.loads(tally("validate", again, "--json").stdout)
        self.assertEqual((report["module_id"], report["gas"]), (info["module_id"], proven["gas"]))
        for command in (["import"], ["export", "cvm"], ["export", "onnx"], ["ops"], ["plan"], ["run"], ["compare"]):
            self.assertIn("--json", tally(*command, "--help").stdout)

    def test_info_describes_tool_and_module(self):
        engines = json.loads(tally("info", "--json").stdout)["engines"]
        self.assertEqual([e["name"] for e in engines], ["formal", "reference", "cpu", "cuda"])
        module = json.loads(tally("info", self.module, "--json").stdout)
        self.assertEqual(module["params"][0]["scale"], "1 * 2^-4")


if __name__ == "__main__":
    unittest.main()
