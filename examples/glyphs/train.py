#!/usr/bin/python3
"""Trains one of networks.py, or all, on characters of the training fonts, and exports it.

    ./dev setup train                              # Debian's torch, Pillow and fonts
    /usr/bin/python3 train.py [resnet|mobilenet|vit]...

The fonts held out choose nothing: steps and learning rates are fixed, and data/held_out_* is read once, at the end. Below what RECIPES
asks for, nothing is written.
"""

import pathlib
import sys

import torch
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import training  # noqa: E402
from networks import MobileNet, ResNet, VisionTransformer  # noqa: E402
from render import SIDE, training_images  # noqa: E402

SEED = 1
BATCH = 64
# network, opset, steps, peak learning rate, least accuracy on the fonts held out
RECIPES = {
    "resnet": (ResNet, 13, 1600, 0.005, 0.90),
    "mobilenet": (MobileNet, 14, 2000, 0.005, 0.90),
    "vit": (VisionTransformer, 17, 2400, 0.002, 0.85),
}
# Limits of the random affine change of a training image: radians, shares of its size.
ROTATE, SHEAR, SCALE, SHIFT = 0.08, 0.10, 0.10, 0.06


def affine_changes(count):
    def between(low, high):
        return torch.rand(count) * (high - low) + low

    angle, shear = between(-ROTATE, ROTATE), between(-SHEAR, SHEAR)
    sx, sy = between(1 - SCALE, 1 + SCALE), between(1 - SCALE, 1 + SCALE)
    cos, sin = torch.cos(angle), torch.sin(angle)
    rows = torch.stack([sx * cos, sx * (shear - sin), between(-SHIFT, SHIFT), sy * sin, sy * cos, between(-SHIFT, SHIFT)], 1)
    return rows.reshape(count, 2, 3)


def changed(images):
    """[N, 1, 2 SIDE, 2 SIDE] uint8 -> [N, 1, SIDE, SIDE] in [0, 1], each under an affine change of its own."""
    grid = functional.affine_grid(affine_changes(len(images)), images.shape, align_corners=False)
    moved = functional.grid_sample(images.float() / 255, grid, align_corners=False)
    return functional.avg_pool2d(moved, 2)


def main():
    for name in sys.argv[1:] or RECIPES:
        build, opset, steps, learning_rate, least = RECIPES[name]
        training.begin(SEED)
        pixels, classes = (torch.from_numpy(a) for a in training_images())

        def batch():
            chosen = torch.randint(0, len(pixels), (BATCH,))
            return changed(pixels[chosen]), classes[chosen]

        model = build()
        print(f"{name}: {len(pixels)} characters")
        training.train(
            model,
            batch,
            lambda model, batch: functional.cross_entropy(model(batch[0]), batch[1], label_smoothing=0.05),
            steps,
            learning_rate,
        )
        images = training.npy(HERE / "data/held_out_images.npy").float() / 255
        labels = training.npy(HERE / "data/held_out_labels.npy")
        right = int((training.predict(model, images).argmax(1) == labels).sum())
        print(f"{name}: fonts held out: {right} of {len(labels)}, {right / len(labels):.2%}")
        if right < least * len(labels):
            sys.exit(f"below {least:.0%}: {name}.onnx is left as it was")
        training.export(model, torch.zeros(1, 1, SIDE, SIDE), HERE / f"{name}.onnx", "image", ["logits"], opset)


if __name__ == "__main__":
    main()
