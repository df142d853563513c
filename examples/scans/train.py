#!/usr/bin/python3
"""Trains a U-Net that tells which pixels of a bad scan are ink, and exports it.

    ./dev setup train                   # Debian's torch, Pillow and fonts
    /usr/bin/python3 train.py

The fonts held out choose nothing: steps and learning rate are fixed, and data/held_out_* is read once, at the end. Below LEAST_ACCURACY
nothing is written.
"""

import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "glyphs")]
import fonts  # noqa: E402
import training  # noqa: E402
from render import SIDE, images_of  # noqa: E402
from spoil import spoiled_all  # noqa: E402

SEED = 1
BATCH = 32
STEPS = 1000
PEAK_LEARNING_RATE = 0.005
LEAST_ACCURACY = 0.95
OPSET = 13


def convolution(channels_in, channels):
    return nn.Sequential(nn.Conv2d(channels_in, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU())


class UNet(nn.Module):
    """scan [N, 1, 24, 24] -> logits [N, 24, 24, 2] of paper and ink; one way up is a transposed convolution, the other a resize."""

    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(convolution(1, 16), convolution(16, 16))
        self.down2 = convolution(16, 32)
        self.bottom = convolution(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, 2, 2)
        self.join2 = convolution(64, 32)
        self.up1 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.join1 = convolution(48, 16)
        self.classify = nn.Conv2d(16, 2, 1)

    def forward(self, scan):
        fine = self.down1(scan)
        middle = self.down2(self.pool(fine))
        x = self.bottom(self.pool(middle))
        x = self.join2(torch.cat([self.up2(x), middle], 1))
        x = self.join1(torch.cat([self.up1(x), fine], 1))
        return self.classify(x).permute(0, 2, 3, 1)


def loss_of(model, batch):
    scans, ink = batch
    return functional.cross_entropy(model(scans).flatten(0, 2), ink.flatten())


def main():
    training.begin(SEED)
    random = np.random.RandomState(SEED)
    clean, _ = images_of(fonts.training(), SIDE)

    def batch():
        scans, ink = spoiled_all(random, clean[random.randint(0, len(clean), BATCH)])
        return torch.from_numpy(scans).float() / 255, torch.from_numpy(ink).long()

    model = UNet()
    print(f"{len(clean)} characters")
    training.train(model, batch, loss_of, STEPS, PEAK_LEARNING_RATE)
    scans = training.npy(HERE / "data/held_out_scans.npy").float() / 255
    ink = training.npy(HERE / "data/held_out_ink.npy").long()
    right = int((training.predict(model, scans).argmax(-1) == ink).sum())
    print(f"fonts held out: {right} of {ink.numel()} pixels, {right / ink.numel():.2%}")
    if right < LEAST_ACCURACY * ink.numel():
        sys.exit(f"below {LEAST_ACCURACY:.0%}: unet.onnx is left as it was")
    training.export(model, torch.zeros(1, 1, SIDE, SIDE), HERE / "unet.onnx", "scan", ["logits"], OPSET)


if __name__ == "__main__":
    main()
