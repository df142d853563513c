"""Pictures for the models of the zoo: rendered text, drawn faces and scenes, photos of Debian's packages.

They are the same on every machine that has the same fonts. Each function of samples takes (model, inputs, count, tools), as samples.py
says.
"""

import functools
import pathlib
import random

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf")
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"
WORDS = ("the quick brown fox jumps over a lazy dog while seven wizards box with jade quartz and Tally proves that every number is "
         "right Invoice 2026 Total 19.95 EUR Room 404 Gate B7 call 555-0199 open daily 9 to 5 exit no smoking please wait").split()


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


def size_of(shape):
    """The height and width of a picture's shape, [1, channels, height, width] or [1, height, width, channels]."""
    return shape[1:3] if shape[-1] <= 4 else shape[2:]


def as_wanted(model, pictures, shape):
    """One array of pictures of [channels, height, width], scaled as the model takes them and in the order of its shape."""
    by_channel = [numpy.array(values, numpy.float32).reshape(-1, 1, 1) for values in (model.mean, model.std)]
    array = numpy.stack([(picture - by_channel[0]) / by_channel[1] for picture in pictures]).astype(numpy.float32)
    return array.transpose(0, 2, 3, 1) if shape[-1] <= 4 else array


def of_images(make):
    """A function of samples from one that makes one image, [channels, height, width], of (draws, height, width)."""

    @functools.wraps(make)
    def samples(model, inputs, count, tools):
        (name, shape), = inputs.items()
        draws = random.Random(model.name)
        return {name: as_wanted(model, [make(draws, *size_of(shape)) for _ in range(count)], shape)}

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


@of_images
def one_face(draws, height, width):
    image = scene(draws, height, width)
    r = draws.uniform(0.3, 0.42) * height
    draw_face(image, draws, width / 2 + draws.uniform(-0.08, 0.08) * width, height / 2 + draws.uniform(-0.05, 0.08) * height, r)
    return pixels(image.filter(ImageFilter.GaussianBlur(draws.uniform(0.2, 0.8))), draws)


@of_images
def text_in_bytes(draws, height, width):
    image = Image.new("RGB", (width, height), color(draws, 180))
    size = draws.randint(height // 2, 3 * height // 4)
    write(image, draws, words(draws, 1, 2), (3, draws.randint(0, height // 5)), size, color(draws, 0, 90))
    return pixels(image, draws)


@of_images
def text_in_scenes(draws, height, width):
    image = scene(draws, height, width)
    for _ in range(draws.randint(1, 3)):
        x, y, size = draws.randint(0, width // 2), draws.randint(0, height - 60), draws.randint(20, 44)
        text = "".join(draws.choice("ABCDEFGHKLMNPRSTUVWXYZ0123456789") for _ in range(7))
        ImageDraw.Draw(image).rectangle((x, y, x + 5 * size, y + 1.4 * size), (30, 60, 180))
        write(image, draws, text, (x + size // 3, y + size // 8), size, (240, 240, 240))
    return pixels(image, draws)


@of_images
def digits(draws, height, width):
    image = Image.new("L", (width, height))
    write(image, draws, str(draws.randint(0, 9)), (draws.randint(4, 10), draws.randint(-2, 4)), draws.randint(20, 26), 255)
    return pixels(image.rotate(draws.uniform(-12, 12)), draws)


def scenes_with_alpha(model, inputs, count, tools):
    (name, shape), = inputs.items()
    draws = random.Random(model.name)
    pictures = [pixels(scene(draws, *size_of(shape)), draws) for _ in range(count)]
    return {name: numpy.stack([numpy.concatenate([p, numpy.ones_like(p[:1])]).transpose(1, 2, 0) for p in pictures])}


SCIKIT_IMAGE = pathlib.Path("/usr/lib/python3/dist-packages/skimage/data")
BACKGROUNDS = pathlib.Path("/usr/share/backgrounds")
OF_SCIKIT_IMAGE = ("astronaut.png", "chelsea.png", "coffee.png", "ihc.png", "motorcycle_left.png", "retina.jpg", "rocket.jpg")
PHOTO_HELD_OUT = 5  # one of so many photos


@functools.cache
def photo_parts():
    """Photos of Debian's packages: those that samples of calibration are cut from, and those for what is held out."""
    files = sorted([*BACKGROUNDS.glob("*_by_*.jpg"), *(BACKGROUNDS / "mate/nature").glob("*.jpg"),
                    *(SCIKIT_IMAGE / name for name in OF_SCIKIT_IMAGE)], key=lambda file: file.name)
    parts = ([], [])
    for i, file in enumerate(files):
        photo = Image.open(file).convert("RGB")
        photo.thumbnail((1600, 1600))
        parts[i % PHOTO_HELD_OUT == 0].append(photo)
    return parts


def cut(draws, photo, height, width):
    """A part of a photo, at least 40 % of what fits, at times mirrored or darker."""
    fits = min(photo.width / width, photo.height / height)
    scale = draws.uniform(0.4, 1) * fits
    x, y = draws.uniform(0, photo.width - scale * width), draws.uniform(0, photo.height - scale * height)
    image = photo.resize((width, height), Image.BILINEAR, (x, y, x + scale * width, y + scale * height))
    image = image.transpose(Image.FLIP_LEFT_RIGHT) if draws.random() < 0.5 else image
    return image.point(lambda value, by=draws.uniform(0.6, 1.1): min(255, int(value * by)))


def photos(model, inputs, count, tools):
    """One photo after the other, of those for the part of the sample."""
    (name, shape), = inputs.items()
    draws, taken, pictures = random.Random(model.name), [0, 0], []
    for i in range(count):
        part = tools.is_held_out(i)
        among = photo_parts()[part]
        pictures.append(pixels(cut(draws, among[taken[part] % len(among)], *size_of(shape)), draws, 1))
        taken[part] += 1
    return {name: as_wanted(model, pictures, shape)}
