"""The zoo's table: a line for each model, and what they come to."""

import numpy

COLUMNS = ("model", "8 bits, dB", "default, dB", "verdict, dB", "plain QDQ, dB", "answers kept", "by QDQ", "gas", "more than 8 bits", "ms",
           "more than 8 bits", "ONNX Runtime float, ratio")
HEAD = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}"
GOOD, ALL_ANSWERS = 30, 0.99
EQUAL = 60  # dB: above them, two are alike
NEAR = 3  # dB that a verdict may be off


def db(value):
    return "-" if value is None else "equal" if value == numpy.inf else f"{value:.1f}"


def share(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def said_db(row):
    """The dB of the verdict. None where there is no evidence, infinite where all that was measured is equal."""
    if row["verdict"].startswith("no evidence"):
        return None
    said = row["sqnr"]["db"]
    return numpy.inf if said is None else said


def line(row):
    name = f"`{row['name']}`" + (" *" if row["set_apart"] else "")
    if "error" in row:
        return f"| {name} | {row['error']} |" + " |" * (len(COLUMNS) - 2)
    more = 100 * (row["precision"]["gas_after"] / row["precision"]["gas_before"] - 1)
    ratio = f"{row['ms_float'] / row['ms']:.2f}" if "ms_float" in row else "-"
    return (f"| {name} | {db(row['narrow_db'])} | **{db(row['db'])}** | {db(said_db(row))} | {db(row.get('qdq_db'))} | "
            f"{share(row['metric'])} | {share(row.get('qdq_metric'))} | {row['gas']:,} | {more:.1f} % | {row['ms']:.3g} | "
            f"{row['ms'] / row['narrow_ms']:.2f} | {ratio} |")


def is_good(row):
    return (row["db"] or 0) >= GOOD or (row["metric"] or 0) >= ALL_ANSWERS


def is_near(row):
    """Whether the verdict is right: within 3 dB, or both so many that more of them say nothing."""
    return abs(min(said_db(row), EQUAL) - min(row["db"], EQUAL)) <= NEAR


def of(rows, count):
    return f"{count} of {len(rows)} ({100 * count / max(len(rows), 1):.0f} %)"


def summary(rows):
    made = [r for r in rows if "db" in r]
    said = [r for r in made if r["db"] is not None]
    apart = [r for r in said if r["set_apart"]]
    silent = [r["name"] for r in said if r["db"] < 20 and "poor" not in r["verdict"] and "useless" not in r["verdict"]]
    beside = [r for r in said if r.get("qdq_db") is not None]
    judged = [r for r in said if said_db(r) is not None]
    held = [r for r in judged if r["sqnr"]["low"] is not None]
    within = sum(r["sqnr"]["low"] <= r["db"] <= r["sqnr"]["high"] for r in held)
    no_evidence = [r["name"] for r in made if r["db"] is None or said_db(r) is None]
    slower = [r["name"] for r in made if r.get("ms_float", numpy.inf) < r["ms"]]
    return "\n".join((
        f"{len(rows)} models; {of(rows, len(made))} become modules.",
        f"- 30 dB, or 99 % of the answers: {of(said, sum(map(is_good, said)))}; of those set apart {of(apart, sum(map(is_good, apart)))}.",
        f"- No evidence, as no result varies over the samples of the verdict or those held out: {', '.join(no_evidence) or '0'}.",
        f"- Below 20 dB without a word: {', '.join(silent) or '0'}.",
        f"- The verdict is within 3 dB on {of(judged, sum(map(is_near, judged)))}, and what was measured within its bounds on "
        f"{of(held, within)}.",
        f"- Plain QDQ is equalled or beaten on {of(beside, sum(r['db'] >= min(r['qdq_db'], EQUAL) for r in beside))}.",
        f"- Slower than ONNX Runtime's floats: {', '.join(slower) or '0'}."))
