"""What the scripts share that write a table from a list of macros into a page."""

import sys


def matches(path, row):
    """The match of each line of the list that is a `row`; exits where a line that begins with a macro is none."""
    for line in open(path):
        match = row.match(line)
        if match is not None:
            yield match
        elif line.startswith(("ONNX_", "QUANTIZED")):
            sys.exit(f"{path}: not understood: {line}")


def put(page, begin, table, end, options, source):
    """Writes the table between the lines `begin` and `end` of the page; with option --check exits where the page has another one."""
    text = open(page).read()
    head, rest = text.split(begin)
    current = head + begin + "\n" + table + "\n" + end + rest.split(end)[1]
    if options == ("--check",):
        if current != text:
            sys.exit(f"{page} is not what {source} says: run ./dev docs")
        return
    with open(page, "w") as file:
        file.write(current)
