#!/usr/bin/env python3
"""What the tests of a build ran, and how: tools/what_ran.py EVENTS, a file of `bazel --build_event_json_file`.

Tests say so in their logs, in lines `ran: KIND: NAME: HOW` (base/testing/ran.h). What ran in one way and not in another
did run; tests that did not pass say nothing.
"""
import collections
import json
import sys
import urllib.parse
import urllib.request

NOT_RUN = "not run: "


def logs_of(events):
    """The logs of all tests that passed."""
    for line in events:
        result = json.loads(line).get("testResult", {})
        if result.get("status") != "PASSED":
            continue
        for output in result.get("testActionOutput", []):
            if output["name"] == "test.log":
                yield urllib.request.url2pathname(urllib.parse.urlparse(output["uri"]).path)


def ways_of(logs):
    """{(kind, name): {how}}, in the order in which tests said so."""
    ways = collections.defaultdict(set)
    for path in logs:
        with open(path, errors="replace") as log:
            for line in log:
                if line.startswith("ran: "):
                    kind, name, how = line[len("ran: ") :].rstrip("\n").split(": ", 2)
                    ways[kind, name].add(how)
    return ways


def summary_of(ways):
    """A line for each way, and one for what did not run, with the reasons."""
    names = collections.defaultdict(lambda: collections.defaultdict(list))
    for (kind, name), hows in sorted(ways.items()):
        ran = {how for how in hows if not how.startswith(NOT_RUN)}
        for how in sorted(ran):
            names["ran " + how][kind].append(name)
        if not ran:
            why = " and ".join(sorted(how[len(NOT_RUN) :] for how in hows))
            names["not run"][kind].append(f"{name} ({why})")
    for way in sorted(names, key=lambda way: (way == "not run", way)):
        yield way + ": " + "; ".join(f"{kind}: {', '.join(of_kind)}" for kind, of_kind in names[way].items())


if __name__ == "__main__":
    with open(sys.argv[1]) as events:
        ways = ways_of(logs_of(events))
    if not any("under QEMU" in hows for hows in ways.values()):
        ways["arm64", "all"].add("not run: ./dev arm64 does, under QEMU")
    for line in summary_of(ways):
        print(line)
