#!/usr/bin/env python3
"""Networks with states in their loops: module and float network each feed their own results back, over half a minute of sound.

    bench/zoo/loops.py TALLY ONNXRUNTIME CACHE

They are Silero's detectors of voice and DTLN, which suppresses noise. Half of the sound calibrates, half is measured.
"""

import argparse
import dataclasses
import pathlib
import sys
import tempfile
from collections.abc import Callable

import fetch
import metrics
import numpy
import sounds
from models import BY_NAME, MODELS
from runtime import Runtime
from zoo import tally

STEPS = 800


@dataclasses.dataclass
class Looped:
    name: str
    path: pathlib.Path
    input: str
    steps: numpy.ndarray  # [STEPS, ...], what the input is given
    answer: str  # the result that decides
    states: dict  # result: input
    shapes: dict  # those that states have
    options: tuple = ()
    fixed: dict = dataclasses.field(default_factory=dict)
    decide: Callable = lambda answers: answers > 0.5  # on which side of one half an element is


def float_loop(runtime, looped, steps):
    """The answers of the float network, [steps, ...]."""
    runtime.open(looped.path)
    states = {name: numpy.zeros(shape, numpy.float32) for name, shape in looped.shapes.items()}
    answers = []
    for step in steps:
        results, _ = runtime.run({looped.input: step, **states, **looped.fixed})
        states = {state: results[result].reshape(looped.shapes[state]) for result, state in looped.states.items()}
        answers.append(results[looped.answer])
    return numpy.stack(answers)


def module_loop(tool, looped, folder):
    """The answers of the module on the second half, and the milliseconds of a step."""
    half = len(looped.steps) // 2
    for name, steps in (("seen", looped.steps[:half]), ("unseen", looped.steps[half:])):
        numpy.save(folder / f"{name}.npy", numpy.ascontiguousarray(steps, numpy.float32))
    loops = [f"--loop={result}={state}" for result, state in looped.states.items()]
    made = tally(tool, "quantize", looped.path, *looped.options, "--calibrate", f"{looped.input}={folder / 'seen.npy'}", *loops,
                 "-o", folder / "m.tally")
    told = tally(tool, "run", folder / "m.tally", "--input", f"{looped.input}={folder / 'unseen.npy'}", *loops, "--float", "--threads",
                 "1", "-o", folder / "out")
    files = {result["name"]: result["file"] for result in told["results"]}
    answers = numpy.load(files[looped.answer])
    return answers.reshape(half, -1), told["milliseconds"], made["gas"]


def row(tool, runtime, looped):
    half = len(looped.steps) // 2
    expected = float_loop(runtime, looped, looped.steps[half:]).reshape(half, -1)
    with tempfile.TemporaryDirectory() as folder:
        got, ms, gas = module_loop(tool, looped, pathlib.Path(folder))
    db = metrics.sqnr_db([{"": expected}], [{"": got}], [""])
    same = numpy.mean(looped.decide(expected) == looped.decide(got))
    return f"| `{looped.name}` | {half} | {db:.1f} | {100 * same:.2f} % | {gas:,} | {ms:.3f} |"


def silero(model, cache):
    size = model.shapes["input"][1]
    context = 64 if size == 576 else 0
    hop = size - context
    sound = numpy.concatenate([numpy.zeros(context, numpy.float32), sounds.stream()])
    steps = numpy.stack([sound[i * hop : i * hop + size] for i in range(STEPS)])[:, None]
    options = [option for name, shape in model.shapes.items() for option in ("--shape", f"{name}={','.join(map(str, shape))}")]
    return Looped(model.name, fetch.model_file(model, cache), "input", steps, "output", model.states,
                  {name: shape for name, shape in model.shapes.items() if name != "input"},
                  (*options, "--fix", "sr=16000"), {"sr": numpy.array(16000, numpy.int64)})


def is_loud(frames):
    """Whether something is heard in a frame: its root mean square is above -40 dB of full scale."""
    return numpy.sqrt(numpy.mean(frames**2, -1)) > 0.01


def dtln(cache, runtime):
    """Both halves of the network: a mask of the spectrum, and what is heard."""
    mask_model, sound_model = BY_NAME["dtln_mask"], BY_NAME["dtln_sound"]
    spectrum = numpy.fft.rfft(sounds.noisy_frames(STEPS, sounds.HOP).astype(numpy.float32))
    state = (1, 2, 128, 2)
    first = Looped("dtln, mask", fetch.model_file(mask_model, cache), "input_2", numpy.abs(spectrum).astype(numpy.float32)[:, None, None],
                   "activation_2", mask_model.states, {"input_3": state})
    mask = float_loop(runtime, first, first.steps).reshape(STEPS, -1)
    heard = numpy.fft.irfft(spectrum * mask).astype(numpy.float32)[:, None, None]
    second = Looped("dtln, sound", fetch.model_file(sound_model, cache), "input_4", heard, "conv1d_3", sound_model.states,
                    {"input_5": state}, decide=is_loud)
    return [first, second]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tally", "onnxruntime", "cache"):
        parser.add_argument(name)
    options = parser.parse_args()
    print("| network | steps | dB | same decisions | gas of a step | ms |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    with Runtime(options.onnxruntime) as runtime:
        try:
            looped = [silero(model, options.cache) for model in MODELS if model.name.startswith("silero")] + dtln(options.cache, runtime)
        except fetch.NoNetwork as error:
            print(f"loops: skipped, as a network can't be fetched: {error}", file=sys.stderr)
            return
        for network in looped:
            print(row(options.tally, runtime, network), flush=True)


if __name__ == "__main__":
    main()
