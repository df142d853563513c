#!/usr/bin/env python3
"""How the models of the zoo come in: as they are, with the line of options that `tally check` prints, or not.

    bench/zoo/doors.py TALLY CACHE
"""

import json
import subprocess
import sys

import fetch
from models import MODELS


def check(tool, path, *options):
    """What `check --json` says, also where the model does not import."""
    done = subprocess.run([tool, "check", str(path), *options, "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout)
    return said.get("report", said)


def main():
    tool, cache = sys.argv[1:3]
    as_they_are, with_a_line, refused = [], [], []
    for model in MODELS:
        try:
            path = fetch.model_file(model, cache)
        except fetch.NoNetwork as error:
            print(f"doors: {model.name} is left out, as it can't be fetched: {error}", file=sys.stderr)
            continue
        report = check(tool, path)
        options = (report.get("options") or {}).get("arguments")
        if report.get("imports"):
            as_they_are.append(model.name)
        elif options and check(tool, path, *options).get("imports"):
            with_a_line.append(f"{model.name} ({' '.join(options)})")
        else:
            refused.append(model.name)
    tried = len(as_they_are + with_a_line + refused)
    print(f"{tried} models: {len(as_they_are)} import as they are, {len(with_a_line)} with the line that check prints, "
          f"{len(refused)} not: {', '.join(refused)}")
    print("\n".join(with_a_line))


if __name__ == "__main__":
    main()
