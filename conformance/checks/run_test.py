#!/usr/bin/env python3
"""run.py finds what a client does wrong, and what is wrong with a suite: run_test.py. The clients here are a few lines each."""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[1]
PROOF = {"id": "ab", "functions": [{"arena_bytes": 64, "values": [{"shape": [2], "interval": [0, 1]}],
                                    "instructions": [{"accumulator": [0, 0]}]}]}
RESULT = {"shape": [2], "storage": "i8", "digest": "cd"}
CASES = [
    {"name": "accepted", "module": base64.b64encode(b"A").decode(), "proof": PROOF,
     "runs": [{"inputs": [{"shape": [], "values": [1]}], "results": [RESULT | {"values": [0, 1]}]},
              {"inputs": [], "gas_limit": 1, "error": "gas_limit"}]},
    {"name": "refused", "module": base64.b64encode(b"B").decode(), "error": "bad_magic"},
]
GAS = {"few.json: accepted": [[70, [6]]]}
# Answers what the suite says, and what `change` makes of it.
CLIENT = """
import json, os, sys, time
command, files = sys.argv[1], sys.argv[2:]
function = {"gas": 70, "arena_bytes": 64, "values": [{"shape": [2], "interval": [0, 1]}],
            "instructions": [{"gas": 6, "accumulator": [0, 0]}]}
def answer(module, request=None):
    if request is None:
        return {"error": "bad_magic"} if open(module, "rb").read() == b"B" else {"id": "ab", "functions": [function]}
    asks = json.load(open(request))
    assert "error" not in asks and "results" not in asks
    return {"error": "gas_limit"} if "gas_limit" in asks else {"results": [{"shape": [2], "storage": "i8", "digest": "cd"}]}
for question in zip(files) if command == "validate" else zip(files[::2], files[1::2]):
    said = answer(*question)
    CHANGE
    print(json.dumps(said))
"""


class RunTest(unittest.TestCase):
    def run_it(self, change="pass", options=(), cases=CASES, gas=GAS, client=CLIENT, few=None):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "few.json").write_text(few or json.dumps({"about": "", "cases": cases}))
            pathlib.Path(folder, "gas.json").write_text(json.dumps({"about": "", "gas": gas}))
            words = [sys.executable, str(FOLDER / "run.py"), "--suite", folder, *options, sys.executable, "-c",
                     client.replace("CHANGE", change)]
            return subprocess.run(words, capture_output=True, text=True, timeout=120)

    def expect(self, change, *texts, differ=1, options=()):
        run = self.run_it(change, options)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(f"4 questions, {4 - differ} agree, {differ} differ", run.stdout)
        for text in texts:
            self.assertIn(text, run.stdout)

    def test_a_client_that_agrees(self):
        run = self.run_it()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"\A4 questions, 4 agree, 0 differ, \d+ s\n\Z")

    def test_further_keys_are_not_looked_at(self):
        self.assertEqual(self.run_it('said["more"] = 1').returncode, 0)

    def test_another_figure(self):
        self.expect('if "id" in said: function["gas"] = 71', "few.json: accepted\n",
                    "functions[0].gas: expected 70, got 71", "gas: 1 differ; next: docs/spec/gas.md")
        self.expect('if "id" in said: function["instructions"][0]["gas"] = 7', "instructions[0].gas: expected 6, got 7")
        self.expect('if "id" in said: function["values"][0]["interval"][1] = True', "interval[1]: expected 1, got true")
        self.expect('if "id" in said: function["values"][0]["interval"][1] = 1.0', "interval[1]: expected 1, got 1.0")
        self.expect('if "id" in said: said["functions"].append({})', "functions: 1 differ; next: conformance/README.md")
        self.expect('if "id" in said: said.pop("id"); said["more"] = 1', "id: expected ab, got nothing")

    def test_another_label_and_another_verdict(self):
        self.expect('if said.get("error") == "bad_magic": said = {"error": "bad_flag"}', "few.json: refused\n",
                    "error: expected bad_magic, got bad_flag", "next: docs/spec/validation.md")
        self.expect('if "id" in said: said = {"error": "bad_magic"}', "error: expected none, got bad_magic")
        self.expect('if said.get("error") == "bad_magic": said = {"id": "ab"}', "error: expected bad_magic, got none")

    def test_another_result(self):
        self.expect('if "results" in said: said["results"][0]["digest"] = "00"', "accepted, run 0\n",
                    "results[0].digest: expected cd, got 00")
        self.expect('if "results" in said: said["results"] = []', "results: expected [{")
        self.expect('if said.get("error") == "gas_limit": said = {"results": []}', "accepted, run 1\n", "got none")

    def test_a_client_that_fails_for_one_question_is_asked_for_the_others(self):
        self.expect('assert "id" not in said, "no idea"', "died: 1 differ", "exit status 1", "no idea")
        self.expect('if "id" in said: os.abort()', "died: 1 differ", "exit status -6")
        self.expect('if "id" in said: print("loading")', "lines: 1 differ", "2 lines instead of 1")
        self.expect('if "id" in said: continue', "lines: 1 differ", "0 lines instead of 1")

    def test_rubbish(self):
        for rubbish in ('"loading \\x1b[2J"', "'[' * 100000", "'NaN'", "'null'", "'{\"id\": 1e'", "'9' * 9999"):
            self.expect(f'if "id" in said: print({rubbish}); continue', "rubbish: 1 differ", "no object of JSON")
        self.assertNotIn("\x1b", self.run_it('print("\\x1b[2J\\u202e"); continue').stdout)
        self.expect('if "id" in said: sys.stdout.buffer.write(bytes([255, 10])); continue', "rubbish: 1 differ")

    # A rubbish line in place of a missing one: which answer is whose shows only alone.
    def test_answers_are_not_taken_for_those_of_other_questions(self):
        self.expect('if "id" in said: print("a"); print("b"); continue\n    if command == "validate": continue', "lines: 2 differ",
                    differ=2)

    def test_a_client_that_hangs(self):
        start = time.monotonic()
        with tempfile.NamedTemporaryFile() as file:
            self.expect(f'if "id" in said: open("{file.name}", "w").write(str(os.getpid())); time.sleep(600)', "hang: 1 differ",
                        "no end within 1 s", options=("--timeout", "1"))
            self.assertRaises(ProcessLookupError, os.kill, int(file.read()), 0)
        # Its child, which keeps the pipe open, is ended too.
        self.expect('if "id" in said and os.fork() == 0: time.sleep(600)', "hang: 1 differ", options=("--timeout", "1"))
        self.assertLess(time.monotonic() - start, 300)

    def test_a_client_that_prints_too_much(self):
        for stream in ("stdout", "stderr"):
            self.expect(f'while "id" in said: sys.{stream}.write("x" * 65536)', "flood: 1 differ", "more than")

    def test_a_client_that_never_answers_is_left_alone(self):
        cases = [CASES[1] | {"name": str(i)} for i in range(30)]
        run = self.run_it(client="pass", cases=cases)
        self.assertIn("25 questions were not asked", run.stdout)
        self.assertIn("30 questions, 0 agree, 5 differ", run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_a_client_that_answers_now_and_then_is_asked_everything(self):
        cases = [CASES[1] | {"name": str(i), "module": "QQ==" if i % 5 else "Qg=="} for i in range(30)]
        run = self.run_it('assert "id" not in said', cases=cases)
        self.assertIn("30 questions, 6 agree, 24 differ", run.stdout)

    def test_a_client_that_does_not_exist(self):
        run = subprocess.run([sys.executable, str(FOLDER / "run.py"), "--only", "refused_runs", "/no/such/client"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("the client cannot be started", run.stderr)

    def test_json(self):
        run = self.run_it('if said.get("error") == "bad_magic": said = {"error": "bad_flag"}', ("--json",))
        report = json.loads(run.stdout)
        fault, = report.pop("faults")
        self.assertEqual(report, {"questions": 4, "asked": 4, "agree": 3, "differ": 1})
        self.assertRegex(fault.pop("next"), "docs/spec")
        self.assertEqual(fault, {"file": "few.json", "case": "refused", "part": "module", "kind": "error", "where": "error",
                                 "expected": "bad_magic", "got": "bad_flag"})

    def test_keep(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_it('if "results" in said: said["results"] = []', ("--keep", folder + "/kept"))
            self.assertEqual(pathlib.Path(folder, "kept/0.tally").read_bytes(), b"A")
            self.assertEqual(json.loads(pathlib.Path(folder, "kept/0.json").read_text()), {"inputs": CASES[0]["runs"][0]["inputs"]})

    def test_only(self):
        self.assertIn("1 questions, 1 agree", self.run_it(options=("--only", "few.json: refused")).stdout)
        self.assertEqual(self.run_it(options=("--only", "many")).returncode, 2)

    def test_a_damaged_suite_is_told_and_no_fault_of_the_client(self):
        def damaged(text, **suite):
            run = self.run_it(**suite)
            self.assertEqual(run.returncode, 2, run.stdout)
            self.assertIn("the suite is damaged: ", run.stderr)
            self.assertIn(text, run.stderr)

        damaged("few.json cannot be read", few="{")
        damaged("few.json has no cases of type list", few="[]")
        for key, value, text in (("name", 1, "case 0 has no name of type str"), ("module", None, "'accepted', has no module"),
                                 ("module", "A", "no base64"), ("module", "!QQ==", "no base64"), ("proof", [], "no proof"), ("proof", {}, "no functions"),
                                 ("runs", [{}], "run 0 has no inputs"), ("runs", [{"inputs": []}], "run 0 has no results"),
                                 ("runs", 1, "no runs of type list"), ("error", 1, "no error of type str"),
                                 ("runs", [{"inputs": [], "results": [{}]}], "run 0 has no shape")):
            damaged(text, cases=[CASES[0] | {key: value}])
        damaged("gas.json has no few.json: accepted", gas={})
        for gas in ([], [[70, []]], [[70]], [70], [[70, [6]], [70, [6]]]):
            damaged("has gas for other functions", gas={"few.json: accepted": gas})
        damaged("twice", cases=[CASES[1], CASES[1]])
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, str(FOLDER / "run.py"), "--suite", folder, "true"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("has no files of the suite", run.stderr)

    def test_the_client_to_begin_with_answers(self):
        text = re.search(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)[1]
        run = self.run_it(client=text)
        self.assertIn("4 questions, 0 agree, 4 differ", run.stdout, run.stderr)
        self.assertRegex(run.stdout, r"\Aerror: 4 differ;")


unittest.main()
