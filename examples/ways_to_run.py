"""The engines of a machine, and how the tool is asked for each."""

from trained_models import run


def ways_to_run(tally, what):
    """(name, options) of each engine that this machine has, of `cpu` at each level and on one, two and eight threads."""
    info = run(tally, "info")
    for engine in info["engines"]:
        name = engine["name"]
        if not engine["available"]:
            print(f"ran: {what}: {name}: not run: {engine['summary']}")
        elif name != "cpu":
            yield name, ("--engine", name)
        else:
            for level in info["levels"]:
                for threads in ("1", "2", "8"):
                    yield f"cpu {level}", ("--engine", name, "--level", level, "--threads", threads)
