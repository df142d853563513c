"""What a stranger, a full disk or a kill may put in the tool's way. Run by //cli/tests:front_door_test.

Every command meets every kind of thing that is no file, at each of its paths; every standard output that takes nothing;
and names that would turn or break the text around them.
"""

import ctypes
import itertools
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import unittest

from tally_tool import CVM_GRAPH, SCHEMAS, TALLY, claim_another_element, field, tally, write_cvm_params, write_npy

MODULE = """tally 1
    profile cvm
    param %0 "x" [2] in [-5, 5]
    %1 = broadcast_add %0, %0
    result %1 "y"
"""

# A command line for each way to use a command, which succeeds. <name> is a file that it reads, <> one that
# it writes; {name} and {} are folders.
COMMANDS = [
    ["ops"],
    ["check", "<m.onnx>"],
    ["check", "<net.param>", "--weights", "<net.weights>"],
    ["import", "<m.onnx>"],
    ["import", "<m.onnx>", "--range", "x=1/2^4,-9,9", "--output", "<>"],
    ["import", "<net.param>", "--weights", "<net.weights>"],
    ["import", "<graph.json>", "<graph.params>", "--output", "<>"],
    ["export", "cvm", "<cvm.tally>", "--graph", "<>", "--params", "<>"],
    ["export", "onnx", "<quantized.tally>", "--output", "<>"],
    ["quantize", "<m.onnx>", "--calibrate", "<samples.npy>", "--save-calibration", "<>", "--output", "<>"],
    ["quantize", "<m.onnx>", "--calibrate", "x=<samples.npy>", "--labels", "<labels.npy>", "--output", "<>"],
    ["quantize", "<m.onnx>", "--calibrate", "<samples.npy>", "--labels", "<labels.csv>", "--names", "<names.txt>", "--output", "<>"],
    ["quantize", "<m.onnx>", "--dialect", "nhwc", "--calibrate", "<samples.npy>", "--output", "<>"],
    ["quantize", "<m.onnx>", "--calibration", "<m.calibration>", "--output", "<>"],
    ["compare", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>", "--labels", "<labels.npy>"],
    ["compare", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>", "--labels", "<labels.csv>", "--names", "<names.txt>"],
    ["compare", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>", "--output", "{}"],
    ["report", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>"],
    ["report", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>", "--calibration", "<m.calibration>",
     "--html", "<>", "--csv", "<>"],
    ["bisect", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>"],
    ["bisect", "<m.onnx>", "<quantized.tally>", "--samples", "<samples.npy>", "--calibration", "<m.calibration>"],
    ["quantize", "<net.param>", "--weights", "<net.weights>", "--calibrate", "<samples.npy>", "--output", "<>"],
    ["compare", "<net.param>", "<ncnn.tally>", "--weights", "<net.weights>", "--samples", "<samples.npy>"],
    ["report", "<net.param>", "<ncnn.tally>", "--weights", "<net.weights>", "--samples", "<samples.npy>"],
    ["bisect", "<net.param>", "<ncnn.tally>", "--weights", "<net.weights>", "--samples", "<samples.npy>"],
    ["diff", "<m.tally>", "<quantized.tally>"],
    ["asm", "<m.tallytxt>", "--output", "<>"],
    ["dump", "<m.tally>"],
    ["dump", "<m.tally>", "--output", "<>"],
    ["validate", "<m.tally>"],
    ["run", "<m.tally>", "--input", "x=<x.npy>", "--labels", "<m.tallytxt>", "--output", "<>"],
    ["run", "<m.tally>", "--input", "x=<x.npy>", "--receipt", "<>", "--key", "<node.key>", "--store", "{}",
     "--output", "<>"],
    ["run", "<m.tally>", "--input", "x=<x.npy>", "--profile-trace", "<>", "--output", "<>"],
    ["trace", "<m.tally>", "--input", "x=<x.npy>", "--output", "<>"],
    ["judge", "<m.tally>", "--input", "x=<x.npy>", "--value", "1", "--element", "0"],
    ["trace", "<m.tally>", "--input", "x=<x.npy>", "--record", "{}"],
    ["certify", "--honest", "{honest}", "--claimed", "{claimed}", "--output", "<>"],
    ["check-certificate", "<m.certificate>"],
    ["dispute", "--honest", "{honest}", "--claimed", "{claimed}", "--output", "<>"],
    ["keygen", "--output", "<>", "--public", "<>"],
    ["verify", "<m.receipt>", "--key", "<node.key.pub>", "--module", "<m.tally>", "--input", "x=<x.npy>",
     "--result", "y=<y.npy>", "--origin", "<m.tally.origin>", "--certificate", "<m.certificate>"],
    ["audit", "{receipts}", "--key", "<node.key.pub>", "--store", "{honest}", "--work", "<>", "--lines", "<>",
     "--html", "<>"],
    ["audit", "{receipts}", "--work", "<>", "--shards", "{}"],
    ["audit", "{receipts}", "--work", "<>", "--merge", "{honest}"],
    ["audit-shard", "<0.claims>", "--store", "{honest}", "--output", "<>"],
    ["audit-run", "{honest}", "--receipt", "<traced.receipt>"],
    ["log", "append", "{}", "{receipts}", "--origin", "o", "--key", "<node.key>"],
    ["log", "prove", "{log}", "--receipt", "<m.receipt>", "--output", "<>"],
    ["log", "prove", "{log}", "--from", "<log.checkpoint>", "--checkpoint", "<log.checkpoint>", "--output", "<>"],
    ["log", "verify", "<m.receipt.proof>", "--receipt", "<m.receipt>", "--origin", "o", "--key", "<node.key.pub>"],
    ["log", "verify", "<growth.proof>", "--from", "<log.checkpoint>", "--origin", "o", "--key", "<node.key.pub>"],
    ["log", "monitor", "{log}", "--origin", "o", "--key", "<node.key.pub>", "--state", "<>", "--receipts", "{}"],
    ["log", "monitor", "{log}", "--origin", "o", "--key", "<node.key.pub>", "--state", "<>", "--witness", "w", "--witness-key",
     "<node.key>", "--cosigned", "<>"],
    ["plan", "<m.tally>"],
    ["info", "<m.tally>"],
    ["info", "<m.onnx>"],
    ["completion", "bash"],
    ["man"],
]
# All that COMMANDS leaves out: these options take no path.
WITHOUT_PATHS = {"--help", "--json", "--quiet", "--level", "--expansion", "--batch", "--dialect", "--input-grid", "--mean", "--std", "--layout", "--resize", "--below",
                 "--gas-schedule", "--engine", "--arch", "--threads",
                 "--repeat", "--no-constants", "--retry", "--gas-limit", "--memory-limit", "--check", "--dump-after",
                 "--min-sqnr", "--min-agreement", "--perplexity", "--float", "--profile", "--top",
                 "--trace", "--shape", "--fix", "--range", "--nonce", "--without-pass", "--method", "--budget", "--target-sqnr",
                 "--sensitivity", "--equalize", "--fast", "--accurate", "--dim", "--loop", "--loop-length",
                 "--fit", "--channels", "--rate", "--hop", "--full-scale",
                 "--dask", "--shard-claims", "--origin", "--proofs", "--witness", "--products", "--sample", "--certificate"}

# These serve until a signal ends them, and these options speak to servers: //tests/server has their tests.
SERVERS = ["serve", "referee"]
OF_NETWORK = {"dispute": {"--against", "--receipt", "--module", "--input", "--key", "--id", "--token", "--authority", "--timeout", "--serve",
                          "--state", "--host", "--port", "--chain", "--contract", "--account", "--claim", "--dispute", "--from-block"}}

PR_CAPBSET_DROP = 24

# Characters that disrupt the text around them; a line end ends a line of ours.
DISRUPTIVE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NASTY = "a\u202eb\u2066c\u200fd\u061ce\u2028f\u2029g"
NASTY_PATH = os.fsencode(NASTY) + b"\x1b[2J\n\xc2\x85\xff"


def onnx_model(initializer=b"", name="y"):
    """name = Relu(x), both of shape [2]."""
    def info(of):
        shape = field(2, field(1, field(1, 2)))
        return field(1, of) + field(2, field(1, field(1, 1) + shape))
    node = field(1, "x") + field(2, name) + field(3, name) + field(4, "Relu")
    graph = field(1, node) + field(2, name) + initializer + field(11, info("x")) + field(12, info(name))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


class FrontDoorTest(unittest.TestCase):
    fresh = itertools.count()  # keys are never replaced

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.write("m.tallytxt", MODULE)
        cls.write("graph.json", json.dumps(CVM_GRAPH))
        cls.write("m.onnx", onnx_model())
        cls.write("net.param", "7767517\n2 2\nInput in 0 1 x 0=2\nBias b 1 1 x y 0=2\n")
        cls.write("net.weights", struct.pack("<2f", 1, -1))
        write_cvm_params(cls.path("graph.params"))
        write_npy(cls.path("x.npy"), "|i1", [2], bytes([1, 2]))
        write_npy(cls.path("samples.npy"), "<f4", [2, 2], bytes(16))
        write_npy(cls.path("labels.npy"), "|i1", [2], bytes(2))
        cls.write("labels.csv", "first\nfirst\n")
        cls.write("names.txt", "first\nsecond\n")
        cls.write("large.tallytxt", "tally 1\nprofile core\n%0 = constant i8 [8388608] hex {" + "01" * 8388607 +
                  "02}\nresult %0 \"y\"\n")
        cls.done("asm", cls.path("m.tallytxt"), "-o", cls.path("m.tally"))
        cls.done("asm", cls.path("large.tallytxt"), "-o", cls.path("large.tally"))
        cls.done("import", cls.path("graph.json"), cls.path("graph.params"), "-o", cls.path("cvm.tally"))
        cls.done("keygen", "-o", cls.path("node.key"))
        for run in ("honest", "claimed"):
            cls.done("trace", cls.path("m.tally"), "--input", f"x={cls.path('x.npy')}", "--record", cls.path(run))
        claim_another_element(cls.path("claimed"), entry=0, byte=1)
        cls.done("certify", "--honest", cls.path("honest"), "--claimed", cls.path("claimed"), "-o",
                 cls.path("m.certificate"))
        origin = {"module": json.loads(cls.done("validate", cls.path("m.tally"), "--json"))["module_id"],
                  "producer": "a test", "version": "1", "sources": [], "calibration": None}
        cls.write("m.tally.origin", json.dumps(origin, indent=2) + "\n")
        cls.done("run", cls.path("m.tally"), "--input", f"x={cls.path('x.npy')}", "--output", cls.folder,
                 "--receipt", cls.path("m.receipt"), "--key", cls.path("node.key"))
        cls.done("run", cls.path("m.tally"), "--input", f"x={cls.path('x.npy')}", "--output", cls.folder, "--trace",
                 "--receipt", cls.path("traced.receipt"), "--key", cls.path("node.key"))
        os.mkdir(cls.path("receipts"))
        os.link(cls.path("m.receipt"), cls.path("receipts/m.receipt"))
        cls.done("log", "append", cls.path("log"), cls.path("m.receipt"), "--origin", "o", "--key", cls.path("node.key"), "--proofs")
        os.link(cls.path("log/checkpoint"), cls.path("log.checkpoint"))
        cls.done("log", "prove", cls.path("log"), "--from", cls.path("log.checkpoint"), "-o", cls.path("growth.proof"))
        cls.done("audit", cls.path("receipts"), "--work", cls.path("work.db"), "--shards", cls.path("shards"))
        os.link(cls.path("shards/0.claims"), cls.path("0.claims"))
        cls.done("quantize", cls.path("m.onnx"), "--calibrate", cls.path("samples.npy"), "--save-calibration",
                 cls.path("m.calibration"), "-o", cls.path("quantized.tally"))
        cls.done("quantize", cls.path("net.param"), "--weights", cls.path("net.weights"), "--calibrate",
                 cls.path("samples.npy"), "-o", cls.path("ncnn.tally"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, content):
        with open(cls.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    @classmethod
    def done(cls, *args):
        run = tally(*args)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def refused(self, label, *args, **kwargs):
        run = tally(*args, **kwargs)
        self.assertEqual(run.returncode, 1, (args, run))
        self.assert_one_line(label, run.stderr)
        return run

    def assert_one_line(self, label, stderr):
        self.assertRegex(stderr, rf"\Aerror\[{label}\]: [^\n]+\n\Z")
        self.assertNotRegex(stderr, DISRUPTIVE)

    def command_line(self, command, place=None, path=None):
        """`command` with good paths, but for the `place`-th one, which is `path`."""
        line, places = [], 0
        for word in command:
            if word in ("{honest}", "{claimed}", "{receipts}", "{log}", "{}"):  # a folder, with files of its own
                word = self.path(word[1:-1] or f"written_{next(self.fresh)}")
            if "<" in word:
                option, name = word[:-1].split("<")
                chosen = path if places == place else self.path(name or f"written_{next(self.fresh)}")
                word = os.fsencode(option) + os.fsencode(chosen)
                places += 1
            line.append(word)
        return line

    def places(self, reads):
        """Every path that is read, or written: the command and the path's number in it."""
        for command in COMMANDS:
            for place, word in enumerate(word for word in command if "<" in word):
                if word.endswith("<>") != reads:
                    yield command, place

    def make_bad_files(self):
        """Not a regular file: path and reason."""
        folder = tempfile.mkdtemp(dir=self.folder)
        path = lambda name: os.path.join(folder, name)
        os.mkdir(path("folder"))
        os.mkfifo(path("fifo"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        opened = os.open(folder, os.O_RDONLY)  # the name of a socket has at most 108 bytes
        listener.bind(f"/proc/self/fd/{opened}/socket")
        os.close(opened)
        # A device of the test's own: a fault must not replace one of the machine's.
        ends = pty.openpty()
        for end in ends:
            self.addCleanup(os.close, end)
        os.symlink("fifo", path("link"))
        os.symlink("missing", path("dangling"))
        return {path("folder"): "it is a folder", path("fifo"): "it is a FIFO", path("link"): "it is a FIFO",
                path("socket"): "it is not a regular file|No such device", os.ttyname(ends[1]): "it is a device",
                path("dangling"): "No such file or directory"}

    def test_the_commands_and_options_below_are_all_that_there_are(self):
        def names(kind, *command):
            block = re.search(rf"^{kind}:\n((?:  .*\n)+)", tally(*command, "--help").stdout, re.MULTILINE)
            return re.findall(r"^  (?:-\w,)?([-\w]+)", block[1], re.MULTILINE) if block else []
        commands = [[name] for name in names("Subcommands")]
        commands = [command + [sub] for command in commands for sub in names("Subcommands", *command)] + \
            [command for command in commands if not names("Subcommands", *command)]
        self.assertGreater(len(commands), 9)
        for command in commands:
            if command[0] in SERVERS:
                continue
            lines = [line[len(command):] for line in COMMANDS if line[:len(command)] == command]
            used = {word for line in lines for word in line if word.startswith("--")} - WITHOUT_PATHS
            self.assertEqual(set(names("Options", *command)) - WITHOUT_PATHS - OF_NETWORK.get(command[0], set()), used, command)
            if command[0] in ("completion", "man"):  # words, and no paths
                continue
            positionals = len(names("Positionals", *command))
            given = [next((i for i, word in enumerate(line) if word[0] not in "<{"), len(line)) for line in lines]
            self.assertEqual(max(given), positionals, command)  # the last of them may be optional

    def test_the_command_lines_succeed(self):
        for command in COMMANDS:
            self.done(*self.command_line(command))

    def test_what_is_said_to_machines_has_a_schema(self):
        """Which tally() holds all that tests ask for to."""
        said = set()
        for command in COMMANDS:
            if command[0] not in ("completion", "man"):
                self.done(*self.command_line(command), "--json")
                said.add("-".join(command[:2 if command[0] in ("export", "log") else 1]))
        self.assertEqual({path.stem for path in SCHEMAS.glob("*.json")}, said | {"error"})

    def test_what_is_no_file_is_not_read(self):
        bad = self.make_bad_files() | {"/dev/zero": "it is a device", self.path("missing"): "No such file"}
        for command, place in self.places(reads=True):
            for path, reason in bad.items():
                run = self.refused("file_open", *self.command_line(command, place, path))
                self.assertRegex(run.stderr, reason)

    # A hole takes no disk. Modules are mapped and samples read piece by piece, so a hole of that size costs
    # them nothing and is none.
    def test_files_that_are_too_large_are_not_read(self):
        self.write("hole", b"")
        os.truncate(self.path("hole"), 2**32 + 1)
        for command, place in self.places(reads=True):
            word = [word for word in command if "<" in word][place]
            is_module = word.endswith(".tally>") and command[0] != "info"  # which reads models too
            label = "bad_magic" if is_module else \
                "npy_magic" if word.endswith(("<x.npy>", "<samples.npy>")) else "file_size"
            self.refused(label, *self.command_line(command, place, self.path("hole")))

    def test_files_of_rubbish_are_refused(self):
        mixed = bytes(i * 167 % 256 for i in range(1000))
        start_of_npy = b"\x93NUMPY\x01\x00\xff\xff"
        for number, rubbish in enumerate((b"", b"[" * 1_000_000, b"\xff" * 1000, b"\0" * 1000, mixed, start_of_npy)):
            self.write(f"rubbish_{number}", rubbish)
            for command, place in self.places(reads=True):
                self.refused(r"\w+", *self.command_line(command, place, self.path(f"rubbish_{number}")))

    def test_files_that_models_name_are_of_their_folder(self):
        tensor = field(1, 2) + field(2, 1) + field(8, "w") + field(14, 1)
        for location, label in (("/dev/zero", "onnx_external_data"), ("fifo", "file_open"), ("../m.onnx", "onnx_external_data")):
            pair = field(13, field(1, "location") + field(2, location))
            self.write("external.onnx", onnx_model(field(5, tensor + pair)))
            self.refused(label, "check", self.path("external.onnx"))
            self.refused(label, "import", self.path("external.onnx"))
            self.refused(label, "quantize", self.path("external.onnx"), "--calibrate",
                         self.path("samples.npy"), "-o", self.path("none"))
        self.write("weights.bin", bytes(8))
        self.write("external.onnx", onnx_model(field(5, tensor + field(13, field(1, "location") + field(2, "weights.bin")))))
        self.done("check", self.path("external.onnx"))
        self.assertEqual(0, subprocess.run([TALLY, "check", "external.onnx"], cwd=self.folder, stdout=subprocess.DEVNULL).returncode)

    def test_what_is_no_file_is_not_replaced(self):
        for path, reason in self.make_bad_files().items():
            before = os.lstat(path)
            for command, place in self.places(reads=False):
                if command[0] == "run":  # it writes a folder
                    continue
                run = self.refused("file_write", *self.command_line(command, place, path))
                self.assertRegex(run.stderr, reason)
                after = os.lstat(path)
                self.assertEqual((before.st_mode, before.st_ino), (after.st_mode, after.st_ino), path)

    def test_what_is_no_file_is_not_replaced_by_a_result(self):
        run = ["run", self.path("m.tally"), "--input", f"x={self.path('x.npy')}", "--output"]
        for path in self.make_bad_files():
            before = os.lstat(path)
            if not stat.S_ISDIR(before.st_mode):
                self.refused("file_write", *run, path)
            if stat.S_ISCHR(before.st_mode):
                continue
            results = tempfile.mkdtemp(dir=self.folder)
            os.rename(path, os.path.join(results, "y.npy"))
            self.refused("file_write", *run, results)
            self.assertEqual(os.listdir(results), ["y.npy"])
            self.assertEqual(before.st_ino, os.lstat(os.path.join(results, "y.npy")).st_ino)

    def test_an_empty_value_is_wrong_usage(self):
        """Of every option that takes one, of every command, and of every positional."""
        tried = 0
        for command in COMMANDS:
            line = self.command_line(command)
            for i, word in enumerate(line[1:], 1):
                if isinstance(word, bytes):
                    run = tally(*line[:i], "", *line[i + 1:])
                    self.assertEqual((run.returncode, run.stderr[:13]), (2, "error[usage]:"), (command, i, run.stderr))
                    tried += 1
        for command in {tuple(word for word in line[:2] if re.fullmatch("[a-z]+", word)) for line in COMMANDS}:
            line = self.command_line(next(line for line in COMMANDS if tuple(line[:len(command)]) == command))
            options = re.findall(r"^  (?:-\w,)?(--[-\w]+) +\S", tally(*command, "--help").stdout, re.MULTILINE)
            for option in set(options) - {"--help", "--json", "--perplexity", "--sensitivity", "--no-constants", "--check",
                                          "--float", "--quiet"}:
                for form in ([option, ""], [option + "="]):
                    run = tally(*line, *form)
                    self.assertEqual((run.returncode, run.stderr[:13]), (2, "error[usage]:"), (command, form, run.stderr))
                    tried += 1
        self.assertGreater(tried, 200)

    def test_no_output_replaces_what_the_command_reads(self):
        """Every output at the place of every input of the same command, by its name and through a link."""
        for command in COMMANDS:
            places = [(command[i - 1], word) for i, word in enumerate(command) if "<" in word]
            words = [word for _, word in places]
            for place, (option, word) in enumerate(places):
                if not word.endswith("<>") or (command[0], option) == ("run", "--output"):  # a folder
                    continue
                for read in {other for other in words if not other.endswith("<>")}:
                    path = self.path(read[:-1].split("<")[1])
                    with open(path, "rb") as file:
                        before = file.read()
                    link = self.path(f"link_{next(self.fresh)}")
                    os.symlink(path, link)
                    for target in (path, link, os.path.join(self.folder, ".", os.path.basename(path))):
                        run = self.refused("file_write", *self.command_line(command, place, target))
                        self.assertIn("the same command reads it", run.stderr)
                    with open(path, "rb") as file:
                        self.assertEqual(file.read(), before)

    def test_results_do_not_replace_what_a_run_reads(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        shutil.copy(self.path("x.npy"), os.path.join(folder, "y.npy"))  # the result is called y
        run = self.refused("file_write", "run", self.path("m.tally"), "--input", "x=" + os.path.join(folder, "y.npy"),
                           "--output", folder)
        self.assertIn("the same command reads it", run.stderr)
        self.refused("file_write", "run", self.path("m.tally"), "--input", f"x={self.path('x.npy')}", "--output", folder,
                     "--key", self.path("node.key"), "--receipt", os.path.join(folder, "y.npy"))

    def test_outputs_do_not_share_a_file(self):
        self.refused("file_write", "quantize", self.path("m.onnx"), "--calibrate", self.path("samples.npy"),
                     "--save-calibration", self.path("same"), "-o", self.path("same"))

        self.refused("file_write", "export", "cvm", self.path("cvm.tally"), "--graph", self.path("same"), "--params",
                     os.path.join(self.folder, ".", "same"))
        self.assertFalse(os.path.exists(self.path("same")))

    def test_an_output_that_does_not_arrive_is_an_error(self):
        def closed_pipe():
            reading, writing = os.pipe()
            os.close(reading)
            return writing
        streams = {"full": lambda: os.open("/dev/full", os.O_WRONLY), "pipe": closed_pipe,
                   "not for writing": lambda: os.open("/dev/null", os.O_RDONLY)}
        silent = ["dump", "<m.tally>", "--output", "<>"]
        commands = [command for command in COMMANDS if command != silent]
        for command in commands + [["--help"], ["--version"], ["run", "--help"], ["ops", "--json"]]:
            for name, stream in streams.items():
                fd = stream()
                run = tally(*self.command_line(command), stdout=fd)
                os.close(fd)
                if name == "pipe":  # whoever read it has seen enough
                    self.assertEqual((run.returncode, run.stderr), (-signal.SIGPIPE, ""), command)
                    continue
                self.assertEqual(run.returncode, 1, (name, command))
                self.assert_one_line("stdout_write", run.stderr)
            run = tally(*self.command_line(command), stdout=None, preexec_fn=lambda: os.close(1))
            self.assertEqual(run.returncode, 1, command)
            self.assert_one_line("stdout_write", run.stderr)

    # The first file that a process opens gets the number of a closed stream.
    def test_closed_streams_do_not_spoil_files(self):
        text = self.done("dump", self.path("m.tally"))
        for closed in ((1,), (2,), (0, 1, 2)):
            run = tally("dump", self.path("m.tally"), "-o", self.path("dumped"), stdout=None, stderr=None,
                        preexec_fn=lambda: [os.close(fd) for fd in closed])
            self.assertEqual(run.returncode, 0, closed)
            made = tally("asm", self.path("dumped"), "-o", self.path("assembled"), stdout=None, stderr=None,
                         preexec_fn=lambda: [os.close(fd) for fd in closed])
            self.assertEqual(made.returncode, 1 if 1 in closed else 0, closed)  # what it says does not arrive
            self.assertEqual(self.done("dump", self.path("assembled")), text)

    def test_a_disk_that_is_full_leaves_what_was_there(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        target = os.path.join(folder, "m.tally")
        shutil.copy(self.path("m.tally"), target)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        self.refused("file_write", "dump", self.path("large.tally"), "-o", target, preexec_fn=limit)
        self.assertEqual(os.listdir(folder), ["m.tally"])
        self.assertEqual(self.done("dump", target), self.done("dump", self.path("m.tally")))

    def test_a_kill_leaves_the_old_file_and_the_next_start_cleans_up(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        target = os.path.join(folder, "dumped")
        self.done("dump", self.path("m.tally"), "-o", target)
        with open(target) as file:
            old = file.read()
        for _ in range(100):  # until one is killed while it writes
            writer = subprocess.Popen([TALLY, "dump", self.path("large.tally"), "-o", target])
            while writer.poll() is None and len(os.listdir(folder)) == 1:
                pass
            writer.kill()
            writer.wait()
            if len(os.listdir(folder)) == 2:
                break
            self.done("dump", self.path("m.tally"), "-o", target)  # it was done before the kill
        self.assertEqual(len(os.listdir(folder)), 2)
        with open(target) as file:
            self.assertEqual(file.read(), old)
        self.done("dump", self.path("m.tally"), "-o", os.path.join(folder, "other"))
        self.assertEqual(sorted(os.listdir(folder)), ["dumped", "other"])

    def test_processes_may_write_the_same_file(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        modules = [self.path("m.tally"), self.path("cvm.tally"), self.path("quantized.tally")]
        texts = {self.done("dump", module) for module in modules}
        writers = [subprocess.Popen([TALLY, "dump", module, "-o", os.path.join(folder, "dumped")])
                   for module in modules * 8]
        self.assertEqual([writer.wait() for writer in writers], [0] * len(writers))
        with open(os.path.join(folder, "dumped")) as file:
            self.assertIn(file.read(), texts)
        self.assertEqual(os.listdir(folder), ["dumped"])

    # A module has at most 1,024 results; //cli:output_files_test has 200,000 names.
    def test_results_whose_names_collide_have_files_of_their_own(self):
        names = ["n" + chr(0x4e00 + i) for i in range(1024)]
        self.write("many.tallytxt", MODULE.split("    result")[0] + "".join(f'result %1 "{n}"\n' for n in names))
        self.done("asm", self.path("many.tallytxt"), "-o", self.path("many.tally"))
        report = json.loads(self.done("run", self.path("many.tally"), "--input", f"x={self.path('x.npy')}", "--output",
                                      self.path("many"), "--json"))
        self.assertEqual([result["name"] for result in report["results"]], names)
        self.assertEqual(len({os.path.realpath(result["file"]) for result in report["results"]}), 1024)
        self.assertEqual(len(os.listdir(self.path("many"))), 1024)

    def test_names_of_modules_are_escaped(self):
        raw = MODULE.replace('"x"', f'"{NASTY}"').replace('"y"', f'"r{NASTY}"')
        self.write("nasty.tallytxt", raw)
        module = self.path("nasty.tally")
        self.done("asm", self.path("nasty.tallytxt"), "-o", module)
        run = ["run", module, "--input", f"{NASTY}={self.path('x.npy')}", "--output", self.path("nasty_out")]
        for line in (["dump", module], ["info", module], ["validate", module], run, ["info", module, "--json"],
                     run + ["--json"]):
            self.assertNotRegex(self.done(*line), DISRUPTIVE, line)
        self.assertIn('"a\\u{202e}b\\u{2066}c', self.done("dump", module))
        self.assertEqual(json.loads(self.done("info", module, "--json"))["params"][0]["name"], NASTY)
        self.assertEqual(json.loads(self.done(*run, "--json"))["results"][0]["name"], "r" + NASTY)
        for options in ([], ["--input", f"{NASTY}x={self.path('x.npy')}"], ["--input", NASTY]):
            run = self.refused(r"\w+", "run", module, *options, "--output", self.path("none"))
            self.assertIn("\\u{202e}", run.stderr)
        # The reason why a module is not valid stands in a comment.
        self.write("invalid.tallytxt", raw.replace(f'"r{NASTY}"', f'"r{NASTY}" scale 2*2^-4 zero 0'))
        self.done("asm", self.path("invalid.tallytxt"), "-o", self.path("invalid.tally"))
        self.assertRegex(self.done("dump", self.path("invalid.tally")), "; not valid: .*202e")
        self.assertNotRegex(self.done("dump", self.path("invalid.tally")), DISRUPTIVE)
        # The text comes back as the same module.
        self.write("escaped.tallytxt", self.done("dump", module))
        self.done("asm", self.path("escaped.tallytxt"), "-o", self.path("again.tally"))
        with open(module, "rb") as a, open(self.path("again.tally"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_names_of_models_are_escaped(self):
        name = NASTY + "\x1b[2J\n\x85"
        self.write("nasty.onnx", onnx_model(name=name))
        self.assertNotRegex(self.done("import", self.path("nasty.onnx")), DISRUPTIVE)
        json.loads(self.done("import", self.path("nasty.onnx"), "--json"))
        self.write("unknown.onnx", onnx_model(name=name).replace(b"Relu", b"\xe2\x80\xae!"))
        self.refused("model_unsupported_operator", "import", self.path("unknown.onnx"))
        self.write("nasty.json", json.dumps(CVM_GRAPH).replace('"w"', json.dumps(name)))
        self.refused("cvm_param_name", "import", self.path("nasty.json"), self.path("graph.params"), "-o",
                     self.path("none"))
        with open(self.path("m.calibration")) as file:
            calibration = json.load(file)
        calibration["values"][name] = {}
        self.write("nasty.calibration", json.dumps(calibration))
        self.refused("calibration_format", "quantize", self.path("m.onnx"), "--calibration",
                     self.path("nasty.calibration"), "-o", self.path("none"))

    def test_names_of_files_are_escaped(self):
        folder = os.path.join(os.fsencode(self.folder), NASTY_PATH)
        for command, place in self.places(reads=True):
            self.refused("file_open", *self.command_line(command, place, folder))
        os.mkdir(folder)
        path = os.path.join(folder, NASTY_PATH)
        for command, place in self.places(reads=False):
            run = tally(*self.command_line(command, place, path), encoding=None)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertNotRegex(run.stdout.decode(), DISRUPTIVE)
            self.assertNotIn("[2J\n", run.stdout.decode())
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        report = tally("run", self.path("m.tally"), "--input", f"x={self.path('x.npy')}", "--output", folder, "--json",
                       encoding=None)
        self.assertNotRegex(report.stdout.decode(), DISRUPTIVE)
        self.assertIn(NASTY, json.loads(report.stdout)["results"][0]["file"])
        usage = tally("ops", NASTY_PATH)
        self.assertEqual(usage.returncode, 2)
        self.assert_one_line("usage", usage.stderr)

    def test_errors_are_told_to_machines_too(self):
        for command in (["info"], ["validate"], ["import"]):
            run = self.refused("file_open", *command, self.path("missing"), "--json")
            self.assert_told_to_machines(run, "file")
        self.assertEqual(self.refused("file_open", "info", self.path("missing")).stdout, "")
        run = self.refused("bad_magic", "validate", self.path("x.npy"), "--json")
        self.assert_told_to_machines(run, "malformed")
        run = self.refused("gas_limit", "run", self.path("m.tally"), "--input", f"x={self.path('x.npy')}", "--gas-limit",
                           "1", "--output", self.path("none"), "--json")
        self.assert_told_to_machines(run, "refused")

    def assert_told_to_machines(self, run, stage):
        error = json.loads(run.stdout)["error"]
        self.assertEqual(list(error), ["label", "stage", "message"])
        self.assertEqual(error["stage"], stage)
        self.assertEqual(run.stderr, f"error[{error['label']}]: {error['message']}\n")

    def test_wrong_usage_is_told_to_machines_too(self):
        for line in (["run", "--json"], ["validate", "--json", "--no-such-option"], ["--json"], ["asm", "x", "--json"]):
            run = tally(*line)
            self.assertEqual(run.returncode, 2, line)
            self.assert_told_to_machines(run, "request")
        self.assertEqual(tally("run").stdout, "")

    def test_the_version_is_told(self):
        version = re.fullmatch(r"tally (\S+), spec version (\d+), format version (\d+)\n", self.done("--version"))
        info = json.loads(self.done("info", "--json"))
        self.assertEqual(version.groups(),
                         (info["version"], str(info["spec_version"]), str(info["format_version"])))

    def test_files_without_permission_are_not_read(self):
        def as_any_user():  # root, too, loses what lets it read every file: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
            for capability in (1, 2):
                ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        self.write("secret", b"x")
        os.chmod(self.path("secret"), 0)
        for command, place in self.places(reads=True):
            line = self.command_line(command, place, self.path("secret"))
            run = self.refused("file_open", *line, preexec_fn=as_any_user)
            self.assertIn("Permission denied", run.stderr)

    # Whatever the memory is short for, the end is a labelled error and no file.
    def test_too_little_memory_is_an_error(self):
        self.write("large.json", json.dumps(CVM_GRAPH | {"postprocess": "x" * 15_000_000}))
        samples = self.path("large_samples.npy")
        write_npy(samples, "<f4", [1 << 21, 2], bytes(1 << 24))
        write_npy(self.path("large.npy"), "<i8", [1 << 21], bytes(1 << 24))
        none = self.path("short_of_memory")
        lines = [["dump", self.path("large.tally"), "--output", none],
                 ["asm", self.path("large.tallytxt"), "--output", none],
                 ["import", self.path("large.json"), self.path("graph.params"), "--output", none],
                 ["quantize", self.path("m.onnx"), "--calibrate", samples, "--output", none],
                 ["run", self.path("m.tally"), "--input", f"x={self.path('large.npy')}", "--output", none],
                 ["run", self.path("large.tally"), "--output", none]]
        short = set()
        for megabytes in range(8, 129, 8):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            if tally("--version", preexec_fn=limit).returncode != 0:
                continue  # the tool itself does not fit, or it is built with a sanitizer
            for number, line in enumerate(lines):
                run = tally(*line, preexec_fn=limit)
                self.assertIn(run.returncode, (0, 1), (megabytes, line, run))
                if run.returncode == 0:
                    shutil.rmtree(none) if os.path.isdir(none) else os.remove(none)
                    continue
                self.assert_one_line(r"\w+", run.stderr)
                self.assertFalse(os.path.exists(none))
                if run.stderr.startswith("error[out_of_memory]"):
                    short.add(number)
        if tally("--version", preexec_fn=limit).returncode == 0:
            self.assertGreaterEqual(len(short), 4, short)


if __name__ == "__main__":
    unittest.main()
