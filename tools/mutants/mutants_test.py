#!/usr/bin/env python3
"""The tool on a tree of one file, and the lists on the tree that they are for."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent  # resolves the symlinks of Bazel's runfiles
sys.path.insert(0, str(HERE))

import planted  # noqa: E402
import schemata  # noqa: E402
from bench import EQUIVALENT, KILLED, NOT_RUN, SURVIVED, Bench, Unfit  # noqa: E402
from planted import Mutant  # noqa: E402
from trial import try_all  # noqa: E402
from workshop import BuildFailed, Workshop, arguments_of  # noqa: E402

SOURCE = """\
#include <cstdio>
constexpr int Twice(int n) { return int{n + n}; }
static_assert(Twice(2) == 4);
int Clamp(int n) {
  if (n > 9) return 9;
  return n;
}
int main(int, char** arguments) {
  const unsigned places = 3;
  int sum = 0;
  for (unsigned i = 0; i < places; ++i) sum += Twice(i);
  sum = Clamp(sum);  // at most 9
  std::puts(arguments[1]);
  if (arguments[1][0] == 'w' && Clamp(12) != 9) return 1;
  return sum == 6 ? 0 : 1;
}
"""


def mutant(code, becomes, **fields):
    fields = {"id": code, "killed_by": ["sum"], "what": "", **fields}
    if "equivalent" in fields:
        del fields["killed_by"]
    return Mutant(area="toy", file="toy.cc", code=code, becomes=becomes, **fields)


class Toy(Workshop):
    """A workshop whose one program g++ builds, and whose tests are this program: what they are called is printed."""

    def build(self, labels, platform=""):
        done = subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-o", "toy", "toy.cc"], cwd=self.copy,
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildFailed(done.stderr)

    def command(self, test, platform=""):
        return [str(self.copy / "toy"), test], self.copy, {}


class MutantsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.copy = pathlib.Path(folder.name, "tree"), pathlib.Path(folder.name, "copy")
        self.root.mkdir()
        self.copy.mkdir()
        (self.root / "toy.cc").write_text(SOURCE)
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)

    def workshop(self):
        return Toy(self.root, self.copy, jobs=2)

    def outcomes(self, *mutants):
        return {o.id: o for o in try_all(mutants, self.workshop(), lambda _: None)}

    def outcome(self, one):
        return self.outcomes(one)[one.id].outcome

    def test_a_test_has_the_arguments_of_its_rule(self):
        values = ("cli/tests/coreml_test.py", "$(location :tally)", "--to=$(rootpath //base/io:file)", "$(location a.py)")
        strings = "".join(f'<string value="{value}"/>' for value in values)
        rule = xml.fromstring(f'<rule name="//cli/tests:coreml_test"><list name="args">{strings}</list></rule>')
        self.assertEqual(arguments_of(rule),
                         ["cli/tests/coreml_test.py", "cli/tests/tally", "--to=base/io/file", "cli/tests/a.py"])
        self.assertEqual(arguments_of(xml.fromstring('<rule name="//base/io:file_test"/>')), [])

    def test_finds_faults_in_expressions_and_statements_of_one_build(self):
        found = self.outcomes(
            mutant("int{n + n}", "int{n}", id="sum"),
            mutant("i < «places»", "places - 1", id="below"),
            mutant("i < «places»", "places + 1", id="above"),
            mutant("if (n > 9) return 9;", "if (n > 5) return 5;", id="clamp"),
            mutant("sum = Clamp(sum);  // at most 9", "", id="skipped"))
        self.assertEqual({name: outcome.outcome for name, outcome in found.items()},
                         {"sum": KILLED, "below": KILLED, "above": KILLED, "clamp": KILLED, "skipped": SURVIVED})
        self.assertEqual(found["above"].by, "sum")

    def test_leaves_the_tree_as_it_is_and_writes_what_differs_only(self):
        self.outcome(mutant("n + n", "n + 1"))
        self.assertEqual((self.root / "toy.cc").read_text(), SOURCE)
        written = (self.copy / "toy.cc").stat().st_mtime_ns
        self.outcome(mutant("n + n", "n + 1"))
        self.assertEqual((self.copy / "toy.cc").stat().st_mtime_ns, written)

    def test_forgets_files_that_the_tree_no_longer_has(self):
        (self.copy / "old.cc").write_text("")
        self.workshop().sync([])
        self.assertEqual([path.name for path in self.copy.iterdir()], ["toy.cc"])

    def test_a_crash_and_an_endless_loop_are_noticed(self):
        crash, endless = mutant("sum = Clamp(sum);", "__builtin_trap();"), mutant("i < places", "i + places > 0")
        workshop = self.workshop()
        workshop.sync([crash, endless])
        workshop.build([])
        bench = Bench(workshop)
        bench.calibrate("sum")
        self.assertIn("SIG", bench.verdict(crash, ["sum"]).how)
        bench.limits["sum"] = 1
        self.assertIn("no end", bench.verdict(endless, ["sum"]).how)

    def test_runs_wider_tests_on_what_its_own_let_live(self):
        survivor = mutant("return 9;", "return 8;", wider=["wider"])
        found = self.outcomes(survivor)
        self.assertEqual((found[survivor.id].outcome, found[survivor.id].by), (KILLED, "wider"))

    def test_a_mutant_of_its_own_build_may_change_what_is_computed_at_compile_time(self):
        places = mutant("places = «3»", "4", rebuild=True)
        twice = mutant("return int{n + n};", "return n + 1;", rebuild=True)
        found = self.outcomes(places, twice, mutant("sum += «Twice(i)»", "0"))
        self.assertEqual(found[places.id].by, "sum")
        self.assertEqual(found[twice.id].by, "the compiler")
        self.assertEqual(found["sum += «Twice(i)»"].outcome, KILLED)
        self.assertEqual((self.root / "toy.cc").read_text(), SOURCE)

    def test_says_what_it_does_not_run(self):
        self.assertEqual(self.outcome(mutant("n > 9", "n >= 9", equivalent="9 is 9")), EQUIVALENT)
        self.assertEqual(self.outcome(mutant("n + n", "n", needs="a_flag_of_no_processor")), NOT_RUN)

    def test_a_test_that_fails_without_a_fault_or_runs_nothing_is_an_error(self):
        (self.root / "toy.cc").write_text(SOURCE.replace("sum == 6", "sum == 7"))
        with self.assertRaisesRegex(Unfit, "without a fault"):
            self.outcome(mutant("n + n", "n + 1"))
        (self.root / "toy.cc").write_text(SOURCE)
        with self.assertRaisesRegex(Unfit, "names no test"):
            self.outcome(mutant("n + n", "n + 1", killed_by=["[==========] Running 0 tests"]))

    def test_a_list_that_does_not_fit_is_an_error(self):
        good = mutant("n + n", "n")
        self.assertEqual(planted.problems([good, mutant("n + n", "1", id="again")], self.root), [])
        for bad, problem in [
            (mutant("n - n", "n"), "stands 0 times in toy.cc"),
            (mutant("return", "n"), "stands 5 times in toy.cc"),
            (mutant("n + n", "n"), "listed twice"),
            (mutant("return int{n + n};", "return n;"), "overlaps n + n"),
            (mutant("n > 9", ""), "neither a statement nor a whole expression"),
            (mutant("+= Twice«(i»)", "i"), "neither a statement nor a whole expression"),
            (mutant("sum == 6 «? 0 :» 1", "+"), "neither a statement nor a whole expression"),
            (mutant("n > 9", "n > 9"), "changes nothing"),
            (mutant("int sum = 0;", ""), "replaces a declaration"),
            (mutant("const unsigned places = 3;", ""), "replaces a declaration"),
            (mutant("n > 9", "n", killed_by=[]), "needs either killed_by or equivalent"),
            (Mutant("toy", "x", "none.cc", "a", "b", "", ["sum"]), "none.cc"),
        ]:
            found = planted.problems([good, bad], self.root)
            self.assertEqual(len(found), 1, found)
            self.assertIn(problem, found[0])

    def test_numbers_stay_when_the_list_changes(self):
        self.assertEqual(schemata.number("residual-skipped"), 3733352876)

class ListsTest(unittest.TestCase):
    def test_fit_the_tree(self):
        mutants = planted.load(HERE / "lists")
        self.assertEqual(planted.problems(mutants, HERE.parents[1]), [])


if __name__ == "__main__":
    unittest.main()
