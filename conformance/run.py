#!/usr/bin/env python3
"""Compares a client with the conformance suite.

Exits with 0 where every answer agrees, with 1 where one differs or is missing, with 2 where the suite or the command line is
wrong. README.md says what a client answers.
"""

import argparse
import json
import pathlib
import sys
import time

from client import Client
from compare import PAGES, fault_of
from suite import MalformedSuite, read_questions

SHOWN = 5  # faults of each kind that are printed
WIDTH = 200  # characters of a value that are printed


def progress(done, total, differ):
    if sys.stderr.isatty():
        bar = "#" * (30 * done // total)
        print(f"\r[{bar:30}] {done}/{total}, {differ} differ ", end="", file=sys.stderr, flush=True)


def ask(client, questions):
    """How many questions were asked, and the faults."""
    asked, faults = 0, []
    for command in ("validate", "run"):
        for question, answer in client.answers([question for question in questions if question.command == command]):
            asked += 1
            if fault := fault_of(question, answer):
                faults.append(fault)
            progress(asked, len(questions), len(faults))
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return asked, faults


def keep(faults, folder):
    """Writes the files that the client got, as 0.tally, 0.json, .. in the order of the faults."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, fault in enumerate(faults):
        for suffix, content in zip((".tally", ".json"), fault.question.contents):
            (folder / f"{number}{suffix}").write_bytes(content)


def text(value):
    return (value if isinstance(value, str) else json.dumps(value))[:WIDTH]


def print_faults(faults):
    """The first of each kind, then what to do about it."""
    for kind in dict.fromkeys(fault.kind for fault in faults):
        alike = [(number, fault) for number, fault in enumerate(faults) if fault.kind == kind]
        print(f"{kind}: {len(alike)} differ; next: {PAGES.get(kind, 'conformance/README.md, Format')}")
        for number, fault in alike[:SHOWN]:
            print(f"  {number}  {fault.question.name}\n       {fault.where}: expected {text(fault.expected)}, got {text(fault.got)}")
        if len(alike) > SHOWN:
            print(f"  and {len(alike) - SHOWN} more, which --json prints")


def report(questions, asked, faults):
    return {"questions": len(questions), "asked": asked, "agree": asked - len(faults), "differ": len(faults),
            "faults": [{"file": f.question.file, "case": f.question.case, "part": f.question.part, "kind": f.kind,
                        "where": f.where, "expected": f.expected, "got": f.got, "next": PAGES.get(f.kind)} for f in faults]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="\n".join(__doc__.splitlines()[2:]))
    parser.add_argument("--only", metavar="TEXT", default="", help="only questions whose \"FILE: CASE\" has this text")
    parser.add_argument("--json", action="store_true", help="print a report for machines, with every fault")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="write the files of the questions that differ")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=30, help="for one call of the client (30)")
    parser.add_argument("--batch", metavar="N", type=int, default=100, help="most questions of one call (100)")
    parser.add_argument("--suite", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path(__file__).parent,
                        help="the suite; that beside this file by default")
    parser.add_argument("client", nargs=argparse.REMAINDER, help="command of the client and its arguments")
    options = parser.parse_args()
    if not options.client or options.batch < 1 or not 0 < options.timeout <= 1e6:
        parser.error("a client is needed, --batch of 1 or more, and --timeout above 0 up to 1000000")
    start = time.monotonic()
    try:
        questions = [question for question in read_questions(options.suite) if options.only in question.name]
        if not questions:
            parser.error(f"no question has the text {options.only!r}")
        asked, faults = ask(Client(options.client, options.timeout, options.batch), questions)
    except MalformedSuite as error:
        parser.error(f"the suite is damaged: {error}")
    except OSError as error:
        parser.error(f"the client cannot be started: {error}")
    except KeyboardInterrupt:
        return 130
    if options.keep:
        keep(faults, options.keep)
    if options.json:
        print(json.dumps(report(questions, asked, faults), indent=1))
    else:
        print_faults(faults)
        if asked < len(questions):
            print(f"{len(questions) - asked} questions were not asked: the client did not answer those before")
        print(f"{len(questions)} questions, {asked - len(faults)} agree, {len(faults)} differ, "
              f"{time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
