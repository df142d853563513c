"""What an audit by more workers takes: a simulation, fitted to figures of two processors.

One command reads receipts and writes verdicts, one scheduler hands out tasks, and workers run claims. Each is a server that
does one thing at a time; a task waits for the one before it in each. The command and the scheduler have the time for each
claim and each task that was measured; workers have that of a claim.
"""

import heapq

TASK_SECONDS = 0.001  # Dask's scheduler for each task, by its documentation; it limits nothing here
BATCH, SECONDS = 1000, 1.0  # as in tally.dask


def simulate(claims, workers, feed, claim):
    """Seconds until the last verdict. feed: of the command for each claim; claim: of a worker's thread for each."""
    batch = max(1, min(BATCH, int(SECONDS / claim)))
    free = [0.0] * workers
    fed = scheduled = last = 0.0
    for first in range(0, claims, batch):
        size = min(batch, claims - first)
        fed += feed * size
        scheduled = max(fed, scheduled) + TASK_SECONDS
        start = max(scheduled, heapq.heappop(free))
        heapq.heappush(free, start + claim * size)
        last = max(last, start + claim * size)
    return last


def feed_of(rows):
    """Seconds of the command for a claim: what shards take beside their jobs. It is the same for every model, and the one
    with the most receipts shows least of what starting takes."""
    row = max(rows, key=lambda row: row["receipts"])
    return (row["shards_write"] + row["shards_merge"]) / row["receipts"]


def claim_of(row):
    """Seconds of a thread of a worker for a claim; jobs have two threads."""
    return 2 * row["shards_jobs"] / row["receipts"]


def speeds(row, feed, workers=(1, 2, 5, 10, 20, 50, 100), claims=200_000):
    """Receipts a second for each number of worker threads."""
    return [(count, claims / simulate(claims, count, feed, claim_of(row))) for count in workers]


def plot(rows, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tally"
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4))
    feed = feed_of(rows)
    for row in rows:
        points = speeds(row, feed)
        line, = axes.plot(*zip(*points), marker="o", label=f"{row['model']}, simulated")
        axes.plot([1, 2], [row["rate_1"], row["rate_2"]], "x", color=line.get_color(), markersize=9)
    axes.plot([], [], "x", color="gray", label="measured, one machine")
    axes.axhline(1 / feed, color="gray", linewidth=0.8, linestyle=":", label="most that one command reads and records")
    axes.set(xscale="log", yscale="log", xlabel="threads of workers", ylabel="receipts a second")
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], labels=["1", "2", "5", "10", "20", "50", "100"])
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})

