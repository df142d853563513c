"""Samples for the models of the zoo: rendered text, speech of espeak-ng, drawn faces and scenes.

They are the same on every machine that has the same fonts and the same espeak-ng.

Each function takes (model, inputs, count, tools): `inputs` are the shapes of the model's inputs by name, `tools` runs other models of the
zoo. It returns an array [count, ...] for each input, whose first axis is the sample.
"""

import functools
import io
import random
import subprocess
import wave

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf")
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"
WORDS = ("the quick brown fox jumps over a lazy dog while seven wizards box with jade quartz and Tally proves that every number is "
         "right Invoice 2026 Total 19.95 EUR Room 404 Gate B7 call 555-0199 open daily 9 to 5 exit no smoking please wait").split()
SPOKEN = ("alexa", "hey jarvis", "hey mycroft", "hey rhasspy", "set a timer for five minutes", "what is the weather today",
          "hello deepa", "namaste deepa", "coca cola", "hey look deep", "I need help now", "turn on the kitchen light",
          "the quick brown fox jumps over the lazy dog", "how long is the way to the station", "seven wizards box with quartz")
RATE = 16000  # what all models that hear take


def words(draws, least, most):
    return " ".join(draws.choice(WORDS) for _ in range(draws.randint(least, most)))


def color(draws, least=0, most=255):
    return tuple(draws.randint(least, most) for _ in range(3))


def write(image, draws, text, at, size, ink):
    font = ImageFont.truetype(FONT_FOLDER + draws.choice(FONTS), size)
    ImageDraw.Draw(image).text(at, text, ink, font)


def noise(draws, shape, strength):
    return numpy.random.default_rng(draws.randrange(1 << 30)).normal(0, strength, shape)


def pixels(image, draws, strength=4):
    """[channels, height, width] of 0 to 255, with the noise of a camera."""
    array = numpy.asarray(image, numpy.float64)
    array = numpy.clip(array + noise(draws, array.shape, strength), 0, 255).astype(numpy.uint8).astype(numpy.float32)
    return array[None] if array.ndim == 2 else array.transpose(2, 0, 1)


def page(draws, height, width):
    image = Image.new("RGB", (width, height), color(draws, 150))
    for _ in range(draws.randint(2, 5)):
        at = (draws.randint(0, width // 3), draws.randint(0, height - 30))
        write(image, draws, words(draws, 1, 3), at, draws.randint(12, 34), color(draws, 0, 110))
    return image.rotate(draws.uniform(-6, 6), fillcolor=image.getpixel((0, 0)))


def scene(draws, height, width):
    image = Image.new("RGB", (width, height), color(draws))
    pen = ImageDraw.Draw(image)
    for _ in range(draws.randint(6, 14)):
        x, y, a, b = draws.randint(0, width), draws.randint(0, height), draws.randint(8, width // 3), draws.randint(8, height // 3)
        draws.choice((pen.ellipse, pen.rectangle))((x - a, y - b, x + a, y + b), color(draws))
    return image.filter(ImageFilter.GaussianBlur(draws.uniform(0.5, 3)))


def draw_face(image, draws, x, y, r):
    """A face around (x, y), r high on each side: skin, hair, eyes, nose, mouth."""
    pen = ImageDraw.Draw(image)
    skin = draws.choice(((238, 203, 173), (205, 150, 110), (140, 95, 65), (255, 220, 190), (95, 62, 45)))
    hair = color(draws, 10, 120)
    turn = draws.uniform(-0.25, 0.25) * r
    pen.ellipse((x - 0.85 * r, y - 1.15 * r, x + 0.85 * r, y + 0.6 * r), hair)
    pen.ellipse((x - 0.72 * r, y - 0.95 * r, x + 0.72 * r, y + r), skin)
    shade = tuple(int(0.75 * c) for c in skin)
    for side in (-1, 1):
        ex, ey, size = x + side * 0.3 * r + turn, y - 0.15 * r, 0.13 * r
        pen.ellipse((ex - size, ey - 0.6 * size, ex + size, ey + 0.6 * size), (245, 245, 245))
        pupil = 0.5 * size
        pen.ellipse((ex - pupil, ey - pupil, ex + pupil, ey + pupil), color(draws, 10, 90))
        pen.line((ex - size, ey - 1.6 * size, ex + size, ey - 1.8 * size), hair, max(1, int(0.05 * r)))
    pen.polygon(((x + turn, y - 0.1 * r), (x + turn - 0.12 * r, y + 0.28 * r), (x + turn + 0.12 * r, y + 0.28 * r)), shade)
    mouth, smile = 0.28 * r, draws.uniform(-0.05, 0.2) * r
    pen.chord((x + turn - mouth, y + 0.4 * r - smile, x + turn + mouth, y + 0.55 * r + smile), 0, 180, (170, 60, 60))


def face_in_scene(draws, height, width, faces):
    image = scene(draws, height, width)
    for _ in range(faces):
        r = draws.uniform(0.12, 0.25 if faces > 1 else 0.42) * height
        draw_face(image, draws, draws.uniform(r, width - r), draws.uniform(1.2 * r, height - r), r)
    return image.filter(ImageFilter.GaussianBlur(draws.uniform(0.3, 1.2)))


def of_images(make):
    """A function of samples from one that makes one image, [channels, height, width], of (draws, height, width)."""

    @functools.wraps(make)
    def samples(model, inputs, count, tools):
        (name, shape), = inputs.items()
        draws = random.Random(model.name)
        return {name: numpy.stack([make(draws, *shape[-2:]).astype(numpy.float32) for _ in range(count)])}

    return samples


@of_images
def pages(draws, height, width):
    mean, std = numpy.array([0.485, 0.456, 0.406])[:, None, None], numpy.array([0.229, 0.224, 0.225])[:, None, None]
    return (pixels(page(draws, height, width), draws) / 255 - mean) / std


@of_images
def pages_as_bytes(draws, height, width):
    return pixels(page(draws, height, width), draws)


@of_images
def lines_of_text(draws, height, width):
    image = Image.new("RGB", (width, height), color(draws, 180))
    write(image, draws, words(draws, 1, 2), (4, draws.randint(2, 12)), draws.randint(18, 30), color(draws, 0, 90))
    return pixels(image, draws) / 127.5 - 1


@of_images
def captchas(draws, height, width):
    image = Image.new("L", (width, height), draws.randint(200, 255))
    pen = ImageDraw.Draw(image)
    for i in range(4):
        write(image, draws, draws.choice("abcdefghkmnpqrstuvwxyz23456789"), (8 + 36 * i, draws.randint(0, 16)), draws.randint(30, 42),
              draws.randint(0, 90))
    for _ in range(4):
        pen.line([(draws.randint(0, width), draws.randint(0, height)) for _ in range(2)], draws.randint(60, 160), 2)
    return pixels(image, draws) / 127.5 - 1


@of_images
def faces(draws, height, width):
    return (pixels(face_in_scene(draws, height, width, 1), draws) - 127.5) / 128


@of_images
def grey_faces(draws, height, width):
    return pixels(face_in_scene(draws, height, width, 1).convert("L"), draws) / 255


@of_images
def faces_in_scenes(draws, height, width):
    return (pixels(face_in_scene(draws, height, width, 3), draws) - 127) / 128


@of_images
def faces_in_bytes(draws, height, width):
    return pixels(face_in_scene(draws, height, width, 3), draws)


@of_images
def scenes(draws, height, width):
    return pixels(scene(draws, height, width), draws) / 255


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
        parts.append(part + noise(draws, part.shape, draws.choice((0.0005, 0.003, 0.01))))
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


def speech_frames(model, inputs, count, tools):
    """What a detector of voice is given one after another, with the states that it had."""
    size = inputs["input"][-1]
    context = 64 if size == 576 else 0
    states = {name: numpy.zeros(shape, numpy.float32) for name, shape in inputs.items() if name != "input"}
    tools.open(model.name)
    signal, kept = stream(), {name: [] for name in inputs}
    for at in range(0, 4 * count):
        first = at * (size - context)
        given = {"input": numpy.concatenate([numpy.zeros(context, numpy.float32), signal])[first : first + size][None], **states}
        if at % 4 == 3:
            for name, array in given.items():
                kept[name].append(array[0] if name == "input" else array)
        results = tools.run({**given, "sr": numpy.array(RATE, numpy.int64)})
        states = {name: results["stateN" if name == "state" else name + "n"] for name in states}
    return {name: numpy.stack(arrays) for name, arrays in kept.items()}
