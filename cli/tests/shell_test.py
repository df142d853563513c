"""What the tool does for those who type: suggestions, help, pages, completions, standard input and output, quiet, Ctrl-C.
Run by //cli/tests:shell_test."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import unittest

from tally_tool import DIGITS, NEGATIVE, TALLY, NegativeTest, read_npy, tally


def needs(tool, path=None):
    """For a test by a program that may be missing; says to tools/what_ran.py whether it runs."""
    found = shutil.which(tool, path="/usr/bin:/bin")
    print(f"ran: the command line: {tool}: {'by Debian’s' if found else 'not run: not installed: ./dev setup bindings'}", flush=True)
    return unittest.skipIf(found is None, f"{tool} is not installed")


class ShellTest(NegativeTest):
    def wrong_usage(self, *args):
        run = self.call(*args)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run)
        self.assertRegex(run.stderr, r"\Aerror\[usage\]: [^\n]+\n\Z")
        return run.stderr

    def commands(self):
        page = self.done("--help")
        names = re.findall(r"^  (\w[-\w]*)", page[page.index("Subcommands:"):], re.MULTILINE)
        below = {name: re.findall(r"^  (\w[-\w]*)", text[text.index("Subcommands:"):], re.MULTILINE)
                 for name in names if "Subcommands:" in (text := self.done("help", name))}
        return [[name, sub] for name in names for sub in below.get(name, [])] + [[name] for name in names if name not in below]

    def test_misspelt_names_get_a_suggestion(self):
        self.assertIn("`tally` has no command quantise; did you mean `tally quantize`?", self.wrong_usage("quantise", "m.onnx"))
        self.assertIn("`tally run` has no option --inptu; did you mean `--input`?", self.wrong_usage("run", "m.tally", "--inptu", "x"))
        self.assertIn("did you mean `--gas-limit`?", self.wrong_usage("run", "m.tally", "--gas_limit=5", "-o", "out"))
        self.assertIn("did you mean `tally export onnx`?", self.wrong_usage("export", "onx", "m.tally"))
        far = self.wrong_usage("frobnicate")
        self.assertNotIn("did you mean", far)
        self.assertIn("`tally --help` lists the commands", far)
        error = json.loads(self.call("rnu", "--json").stdout)["error"]
        self.assertIn("did you mean `tally run`?", error["message"])

    def test_help_is_a_command_too(self):
        for command in self.commands():
            self.assertEqual(self.done("help", *command), self.done(*command, "--help"))
        self.assertEqual(self.done("help"), self.done("--help"))
        self.assertIn("did you mean `tally trace`?", self.wrong_usage("help", "trase"))

    def test_help_lists_the_formats(self):
        for command in ("check", "import", "quantize", "compare", "report", "bisect"):
            words = " ".join(self.done("help", command).split())
            for format in ("Core ML (.mlmodel or .mlpackage)", "ONNX (.onnx)", "ncnn (.param or .param.bin)", "OpenVINO (.xml)"):
                self.assertIn(format, words, command)

    def test_a_model_is_not_a_module(self):
        said = self.call("run", os.path.join(DIGITS, "digits.onnx"), "-o", "out").stderr
        self.assertRegex(said, r"\Aerror\[bad_magic\]: .*digits.onnx is a model of ONNX and not a module: `tally quantize` makes one")
        self.assertNotIn("quantize", self.call("validate", "x.npy").stderr)

    def test_a_dash_is_standard_input_or_output(self):
        def piped(line, stdin):
            run = subprocess.run([TALLY, *line], cwd=self.folder, input=stdin, capture_output=True, timeout=60)
            self.assertEqual(run.returncode, 0, run.stderr)
            return run
        made = piped(["asm", "-", "-o", "-"], NEGATIVE.encode())
        self.assertEqual(made.stdout, (self.folder / "m.tally").read_bytes())
        self.assertIn(b"wrote", made.stderr, "the report is apart from the bytes")
        self.assertEqual(piped(["dump", "-"], made.stdout).stdout.decode(), self.done("dump", "m.tally"))
        x = (self.folder / "x.npy").read_bytes()
        piped(["run", "m.tally", "--input", "x=-", "-o", "piped"], x)
        self.assertEqual(read_npy(self.folder / "piped/y.npy"), ((2,), [-1, -2]))
        piped(["run", "m.tally", "--input", "-", "-o", "piped"], x)
        with open(self.folder / "m.tally") as file:  # a file in the place of a pipe
            self.assertEqual(tally("dump", "-", stdin=file).stdout, self.done("dump", "m.tally"))
        self.assertIn("is read once", self.wrong_usage("diff", "-", "-"))
        self.assertIn("needs a name", self.wrong_usage("keygen", "-o", "-"))
        self.assertIn("needs a name", self.wrong_usage("run", "m.tally", "--input", "x.npy", "-o", "-"))
        self.assertFalse((self.folder / "-").exists())

    def test_a_pipe_that_is_closed_is_silent(self):
        script = f"{TALLY} ops | head -1; echo ${{PIPESTATUS[0]}}"
        run = subprocess.run(["bash", "-c", script], capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual(run.stderr, "")
        self.assertIn(run.stdout.splitlines()[-1], ("0", "141"))
        reading, writing = os.pipe()
        os.close(reading)
        run = tally("asm", self.folder / "m.tallytxt", "-o", "-", stdout=writing)
        os.close(writing)
        self.assertEqual(run.returncode, -signal.SIGPIPE)
        self.assertNotIn("error", run.stderr)

    def test_quiet_is_quiet_but_for_errors(self):
        self.assertEqual(self.done("validate", "m.tally", "--quiet"), "")
        self.assertEqual(self.done("run", "m.tally", "--input", "x.npy", "-o", "out", "--quiet"), "")
        self.assertIn("module_id", json.loads(self.done("validate", "m.tally", "--quiet", "--json")))
        self.assertRegex(self.call("validate", "x.npy", "--quiet").stderr, r"\Aerror\[bad_magic\]")
        line = ["quantize", os.path.join(DIGITS, "digits.onnx"), "--calibrate", os.path.join(DIGITS, "data/calibration.npy"),
                "--input-grid", "image=1/16,0,0,16", "-o", "d.tally"]
        for more, is_silent in ([], False), (["--quiet"], True):
            self.assertEqual(self.on_a_terminal(line + more) == "", is_silent)

    def on_a_terminal(self, line):
        """What arrives on standard error, where that is a terminal."""
        reading, writing = pty.openpty()
        run = subprocess.Popen([TALLY, *line], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=writing)
        os.close(writing)
        said = b""
        try:
            while piece := os.read(reading, 4096):
                said += piece
        except OSError:  # the other end is closed
            pass
        os.close(reading)
        self.assertEqual(run.wait(), 0)
        self.assertNotIn(b"\x1b", said, "no colour, whether NO_COLOR is set or not")
        return said.decode()

    def test_ctrl_c_leaves_whole_files_or_none(self):
        """Whenever it comes: while the program reads, works or writes."""
        elements = 1 << 23
        (self.folder / "large.tallytxt").write_text("tally 1\nprofile core\n%0 = constant i8 [" + str(elements) + "] hex {" +
                                                    "01" * (elements - 1) + "02}\nresult %0 \"y\"\n")
        self.done("asm", "large.tallytxt", "-o", "large.tally")
        folder = self.folder / "interrupted"
        folder.mkdir()
        target = folder / "dumped"
        whole, ended = self.done("dump", "large.tally"), set()
        for _ in range(60):
            writer = subprocess.Popen([TALLY, "dump", self.folder / "large.tally", "-o", target], stdout=subprocess.DEVNULL)
            while writer.poll() is None and not os.listdir(folder):
                pass
            writer.send_signal(signal.SIGINT)
            ended.add(writer.wait())
            self.assertIn(os.listdir(folder), ([], ["dumped"]))
            if target.exists():
                self.assertEqual(target.stat().st_size, len(whole))
                target.unlink()
        self.assertIn(-signal.SIGINT, ended)
        self.assertLessEqual(ended, {0, -signal.SIGINT})

    def test_pages_name_every_option(self):
        for command in [[], *self.commands()]:
            page = self.done("man", *command)
            self.assertTrue(page.startswith(f".TH tally{''.join('-' + word for word in command)} 1 "))
            plain = page.replace("\\-", "-")
            for flag in re.findall(r"(--[-\w]+)", self.done("help", *command)):
                self.assertIn(flag, plain, command)
        self.wrong_usage("man", "frobnicate")

    @needs("groff")
    def test_pages_are_good_roff(self):
        for command in [[], *self.commands()]:
            run = subprocess.run(["/usr/bin/groff", "-man", "-Tutf8", "-ww", "-z"], input=self.done("man", *command), encoding="utf-8",
                                 capture_output=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""), command)

    def completed(self, *words):
        """What bash offers for the last of the words."""
        script = f'source <({TALLY} completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tally; printf "%s\\n" "${{COMPREPLY[@]}}"'
        run = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, encoding="utf-8", check=True)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.completed("tally", "qua"), ["quantize"])
        self.assertEqual(self.completed("tally", "run", "m.tally", "--gas"), ["--gas-limit"])
        self.assertEqual(self.completed("tally", "export", ""), ["cvm", "onnx", "--help", "-h"])
        self.assertEqual(self.completed("tally", "export", "onnx", "--outp"), ["--output"])
        self.assertEqual(self.completed("tally", "quantize", "m.onnx", "--method", "p"), ["percentile"])
        self.assertEqual(self.completed("tally", "completion", ""), [])
        self.assertEqual(self.completed("tally", "run", "m"), [], "files are completed by default")

    @needs("zsh")
    def test_zsh_takes_its_script(self):
        (self.folder / "_tally").write_text(self.done("completion", "zsh"))
        run = subprocess.run(["zsh", "-fn", self.folder / "_tally"], capture_output=True, encoding="utf-8")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    @needs("fish")
    def test_fish_completes(self):
        (self.folder / "tally.fish").write_text(self.done("completion", "fish"))
        script = f"source {self.folder}/tally.fish; complete -C 'tally qua'; complete -C 'tally quantize m.onnx --method p'"
        run = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, encoding="utf-8", check=True,
                             env=os.environ | {"HOME": str(self.folder)})
        self.assertEqual([line.split("\t")[0] for line in run.stdout.splitlines()], ["quantize", "percentile"])


if __name__ == "__main__":
    unittest.main()
