"""Every mutant built and tried: as many as can in one build, the others one by one."""

from concurrent.futures import ThreadPoolExecutor

import schemata
from bench import EQUIVALENT, KILLED, NOT_RUN, Bench, Outcome
from workshop import ARM64, BuildFailed, missing


def try_all(mutants, workshop, tell):
    """The outcome of each mutant, told as it is known."""

    def told(outcome):
        tell(outcome)
        return outcome

    outcomes, alone, together = [], [], {"": [], ARM64: []}
    for mutant in mutants:
        if mutant.equivalent:
            outcomes.append(told(Outcome(mutant.id, mutant.area, EQUIVALENT, mutant.equivalent)))
        elif reason := missing(mutant.needs):
            outcomes.append(told(Outcome(mutant.id, mutant.area, NOT_RUN, reason)))
        elif mutant.rebuild:
            alone.append(mutant)
        else:
            together[ARM64 if mutant.needs == ARM64 else ""].append(mutant)
    workshop.sync([mutant for some in together.values() for mutant in some])
    for platform, some in together.items():
        if some:
            outcomes += try_together(some, workshop, platform, told)
    return outcomes + [told(try_alone(mutant, workshop)) for mutant in alone]


def tests_of(mutants):
    """All tests that may have to run, those that entries name first, each once."""
    return list(dict.fromkeys([test for mutant in mutants for test in mutant.killed_by] +
                              [test for mutant in mutants for test in mutant.wider]))


def build(mutants, workshop, platform=""):
    """A bench on which all tests of `mutants` have passed without a fault."""
    tests = tests_of(mutants)
    workshop.build({test.split()[0] for test in tests}, platform)
    bench = Bench(workshop, platform)
    with ThreadPoolExecutor(workshop.jobs) as pool:
        list(pool.map(bench.calibrate, tests))
    return bench


def try_together(mutants, workshop, platform, told):
    """Mutants of one build."""
    bench = build(mutants, workshop, platform)
    with ThreadPoolExecutor(workshop.jobs) as pool:
        return list(pool.map(lambda mutant: told(bench.verdict(mutant, tests_of([mutant]))), mutants))


def try_alone(mutant, workshop):
    """A mutant in a build of its own. What does not compile has been found by the compiler."""
    bench = build([mutant], workshop)
    before = (workshop.copy / mutant.file).read_bytes()
    workshop.write(mutant.file, schemata.replace((workshop.root / mutant.file).read_text(), mutant).encode())
    try:
        workshop.build({test.split()[0] for test in tests_of([mutant])})
        return bench.verdict(mutant, tests_of([mutant]))
    except BuildFailed:
        return Outcome(mutant.id, mutant.area, KILLED, "the compiler")
    finally:
        workshop.write(mutant.file, before)
