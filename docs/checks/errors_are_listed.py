#!/usr/bin/env python3
"""The pages list exactly the labels that the code lists, in labels.h of each library.

  docs/spec/errors.md            the labels of the stages malformed, invalid and refused, and every code but kInvalidArgument
  docs/spec/text.md              the labels of the assembler
  docs/spec/receipt.md           the reasons of verdicts
  docs/spec/trace.md             what a referee refuses
  docs/spec/certificate.md       what is wrong with a certificate
  docs/spec/dispute.md           how a dispute ends
  docs/spec/audit.md             how a store fails
  docs/spec/log.md               what is wrong with a log
  docs/guides/command_line.md    the labels of the command line
  docs/guides/serve.md           the labels of the server
  docs/guides/embed.md           the labels of the C interface
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # resolves the symlinks of Bazel's runfiles
LIBRARIES = ["base", "ops", "vm", "vm/text", "serializer", "proof", "quant", "frontends/graph",
             "frontends/onnx/model", "frontends/cvm", "api", "api/cvm", "server", "cli"]
CONSENSUS = ["malformed", "invalid", "refused"]
ROW = re.compile(r'^TALLY_LABEL\((\w+),\s+(\w+),\s+(\w+),\s+"([^"]*)"\);$', re.MULTILINE)


def rows(library):
    text = (ROOT / library / "labels.h").read_text()
    found = ROW.findall(text)
    assert len(found) == len(re.findall(r"^TALLY_LABEL", text, re.MULTILINE)) > 0, f"{library}: a row has an unknown form"
    return found


def tables(page):
    """The rows of every table under its heading, as lists of cells."""
    heading, found = "", {}
    for line in (ROOT / page).read_text().splitlines():
        if title := re.match(r"#+ (.*)", line):
            heading = title[1]
        elif re.match(r"\| (`|[A-Z_]+ \|)", line):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split(" | ")])
    return found


def labels_in(table):
    return [label for row in table for label in re.findall(r"`(\w+)`", row[0])]


def compare(page, expected, listed):
    for row in sorted(set(expected) ^ set(listed)):
        problems.append(f"{page}: {row} is {'missing' if row in expected else 'in no labels.h'}")
    if len(listed) != len(set(listed)):
        problems.append(f"{page}: a row stands twice")


problems = []
listed = {library: rows(library) for library in LIBRARIES}
everything = [row for library in LIBRARIES for row in listed[library]]

spec = tables("docs/spec/errors.md")
compare("docs/spec/errors.md", [(stage, label, summary) for stage, _, label, summary in everything if stage in CONSENSUS],
        [(stage, row[0].strip("`"), row[1]) for stage in CONSENSUS for row in spec[stage]])
compare("docs/spec/errors.md#status-codes", [(label, "k" + code) for _, code, label, _ in everything if code != "InvalidArgument"],
        [(label, row[1].strip("`")) for row in spec["Status codes"] for label in labels_in([row])])
compare("docs/spec/text.md", [label for _, _, label, _ in listed["vm/text"]],
        labels_in(tables("docs/spec/text.md")["Limits and errors"]))
def of_proofs(prefix):
    return [label for stage, _, label, _ in listed["proof"] if label.startswith(prefix)]


of_disputes = of_proofs("certificate_") + of_proofs("dispute_")
of_logs = of_proofs("log_")
of_audits = of_proofs("store_") + of_proofs("product_") + of_proofs("sample_")
compare("docs/spec/receipt.md", [label for stage, _, label, _ in listed["proof"] if
                                 (stage == "proof" and label not in of_disputes + of_logs + of_proofs("product_") + of_proofs("sample_")) or label == "proof_version"],
        [row[1].strip("`") for row in tables("docs/spec/receipt.md")["Verdicts"] if row[1].startswith("`")])
of_the_tool = (listed["cli"] + [row for row in listed["proof"] if row[0] == "file" and not row[2].startswith("store_")] +
               [row for row in listed["base"] + listed["serializer"] if row[2].startswith("file_")])
compare("docs/spec/audit.md", of_audits,
        [label for label in labels_in(tables("docs/spec/audit.md")["Store"]) if label.startswith(("store_", "product_", "sample_"))])
compare("docs/spec/log.md", of_logs, labels_in(tables("docs/spec/log.md")["Refusals"]))
compare("docs/spec/trace.md", [label for stage, _, label, _ in everything if stage == "judged"],
        labels_in(tables("docs/spec/trace.md")["Judging an element"]))
compare("docs/spec/certificate.md", of_proofs("certificate_"),
        [label for label in labels_in(tables("docs/spec/certificate.md")["Refusals"]) if label.startswith("certificate_")])
compare("docs/spec/dispute.md", of_proofs("dispute_"), labels_in(tables("docs/spec/dispute.md")["Rules"]))
compare("docs/guides/command_line.md", [label for _, _, label, _ in of_the_tool],
        labels_in(tables("docs/guides/command_line.md")["How a command ends"]))
compare("docs/guides/serve.md", [(label, summary) for _, _, label, summary in listed["server"]],
        [(row[0].strip("`"), row[1]) for row in tables("docs/guides/serve.md")["Refusals"]])
compare("docs/guides/embed.md", [(label, summary) for _, _, label, summary in listed["api"]],
        [(row[0].strip("`"), row[1]) for row in tables("docs/guides/embed.md")["Refusals"]])

print("\n".join(problems + [f"{len(everything)} labels, {len(problems)} problems"]))
sys.exit(1 if problems else 0)
