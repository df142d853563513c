"""Sounds for the models of the zoo: speech of espeak-ng, drawn music, and the frames and features that models make of them.

They are the same on every machine that has the same espeak-ng. Each function of samples takes (model, inputs, count, tools), as samples.py
says.
"""

import functools
import io
import random
import subprocess
import wave

import numpy

SPOKEN = ("alexa", "hey jarvis", "hey mycroft", "hey rhasspy", "set a timer for five minutes", "what is the weather today",
          "hello deepa", "namaste deepa", "coca cola", "hey look deep", "I need help now", "turn on the kitchen light",
          "the quick brown fox jumps over the lazy dog", "how long is the way to the station", "seven wizards box with quartz")
RATE = 16000  # what all models that hear take


def spoken(text, voice, speed, pitch):
    """What espeak-ng says, at RATE."""
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout", text]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(data)) as sound:
        rate, frames = sound.getframerate(), sound.readframes(1 << 24)
    heard = numpy.frombuffer(frames, numpy.int16) / 32768
    places = numpy.arange(0, len(heard) - 1, rate / RATE)
    return numpy.interp(places, numpy.arange(len(heard)), heard)


@functools.cache
def stream(seconds=120):
    """Speech of many voices with pauses and the noise of rooms, in [-1, 1]."""
    draws, parts, length = random.Random("stream"), [], 0
    while length < seconds * RATE:
        part = spoken(draws.choice(SPOKEN), draws.choice(("en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+f2", "en+m7")),
                      draws.randint(120, 200), draws.randint(20, 80)) * draws.uniform(0.2, 0.9)
        part = numpy.concatenate([part, numpy.zeros(draws.randint(RATE // 8, RATE))])
        parts.append(part + numpy.random.default_rng(draws.randrange(1 << 30)).normal(0, draws.choice((0.0005, 0.003, 0.01)), part.shape))
        length += len(part)
    return numpy.clip(numpy.concatenate(parts)[: seconds * RATE], -1, 1).astype(numpy.float32)


def windows(model, signal, size, count):
    draws = random.Random(model.name)
    return numpy.stack([signal[at : at + size] for at in sorted(draws.randrange(len(signal) - size) for _ in range(count))])


def speech(model, inputs, count, tools):
    (name, shape), = inputs.items()
    return {name: windows(model, stream() * 32767, shape[-1], count)}


def spectra(tools):
    """Mel spectrum of the stream as openWakeWord's models take it, [frames, 32]."""
    tools.open("melspectrogram")
    return tools.run({"input": stream()[None] * 32767})["output"].reshape(-1, 32) / 10 + 2


def speech_spectra(model, inputs, count, tools):
    (name, shape), = inputs.items()
    return {name: windows(model, spectra(tools), shape[1], count)[..., None].astype(numpy.float32)}


def speech_features(model, inputs, count, tools):
    (name, shape), = inputs.items()
    frames = spectra(tools)
    tools.open("speech_embedding")
    cut = numpy.stack([frames[at : at + 76] for at in range(0, len(frames) - 76, 8)])[..., None].astype(numpy.float32)
    features = tools.run({"input_1": cut})["conv2d_19"].reshape(-1, 96)
    return {name: windows(model, features, shape[-2], count)}


def stepped(model, inputs, name, frames, count, tools):
    """What every fourth step of the float network takes: `frames` [4 * count, ...], and its states."""
    states = {state: numpy.zeros(shape, numpy.float32) for state, shape in inputs.items() if state != name}
    kept = {key: [] for key in inputs}
    tools.open(model.name)
    for at, frame in enumerate(frames):
        given = {name: frame.reshape(inputs[name]).astype(numpy.float32), **states}
        if at % 4 == 3:
            for key, array in given.items():
                kept[key].append(array[0] if inputs[key][0] == 1 else array)
        results = tools.run({**given, **{key: numpy.array(value, numpy.int64) for key, value in model.fix.items()}})
        states = {state: results[result].reshape(inputs[state]) for result, state in model.states.items()}
    return {key: numpy.stack(arrays) for key, arrays in kept.items()}


def speech_frames(model, inputs, count, tools):
    """What a detector of voice is given one after another, with the states that it had."""
    size = inputs["input"][-1]
    context = 64 if size == 576 else 0
    signal = numpy.concatenate([numpy.zeros(context, numpy.float32), stream()])
    frames = [signal[at * (size - context) :][:size] for at in range(4 * count)]
    return stepped(model, inputs, "input", frames, count, tools)


FRAME, HOP = 512, 128  # DTLN's


def noisy_frames(count, hop):
    """[count, FRAME] of the stream in noise, as networks that suppress noise hear it."""
    sound = stream()
    sound = 0.5 * sound + 0.02 * numpy.random.default_rng(1).normal(0, 1, sound.shape)
    return numpy.stack([sound[i * hop : i * hop + FRAME] for i in range(count)])


def sound_frames(model, inputs, count, tools):
    return stepped(model, inputs, "input_4", noisy_frames(4 * count, HOP), count, tools)


def magnitude_frames(model, inputs, count, tools):
    return stepped(model, inputs, "input_2", numpy.abs(numpy.fft.rfft(noisy_frames(4 * count, HOP))), count, tools)


def spectrum_frames(model, inputs, count, tools):
    spectrum = numpy.fft.rfft(noisy_frames(4 * count, FRAME // 2) * numpy.hanning(FRAME + 1)[:-1] ** 0.5)
    return stepped(model, inputs, "mix", numpy.stack([spectrum.real, spectrum.imag], -1), count, tools)


def music(model, inputs, count, tools):
    """Chords and runs of notes with harmonics that fade, at 22,050 Hz."""
    (name, shape), = inputs.items()
    draws, rate, samples = random.Random(model.name), 22050, []
    for _ in range(count):
        sound = numpy.zeros(shape[1])
        for _ in range(draws.randint(4, 12)):
            first, pitch = draws.randrange(shape[1] - rate // 4), 440 * 2 ** (draws.randint(-24, 24) / 12)
            t = numpy.arange(shape[1] - first) / rate
            fade = numpy.exp(-t * draws.uniform(1, 5)) * numpy.minimum(1, t * 200)
            for harmonic in range(1, 7):
                sound[first:] += draws.uniform(0.3, 1) / harmonic**1.3 * fade * numpy.sin(2 * numpy.pi * pitch * harmonic * t)
        samples.append((0.3 * sound / max(numpy.abs(sound).max(), 1e-6)).reshape(shape[1:]))
    return {name: numpy.stack(samples).astype(numpy.float32)}
