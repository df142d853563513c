"""The table of a page of docs/results, between two lines of the page."""

import datetime


def put(page, begin, end, machine, table):
    """Replaces what is between `begin` and `end` by today's date, the machine, and the table."""
    text = page.read_text()
    before, after = text[: text.index(begin) + len(begin)], text[text.index(end) :]
    page.write_text(f"{before}\n\n{datetime.date.today()}: {machine}.\n\n{table}\n{after}")
