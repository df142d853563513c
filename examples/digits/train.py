#!/usr/bin/python3
"""Trains a small CNN on data/train_*.npy and exports it to digits.onnx.

    apt-get install python3-torch      # 1.13.1 in Debian bookworm; nothing but this script needs it
    /usr/bin/python3 train.py          # half a minute on one core

The model takes float32 [1, 1, 8, 8], pixel / 16, and returns the ten class probabilities, [1, 10]. It has
the blocks that a real import meets: convolutions with and without bias, batch normalization kept as nodes
of its own, a residual addition, both kinds of pooling, a dense layer and a softmax.

The seed is fixed and one thread is used, so a run repeats on the same machine and torch; another CPU or
another torch may round differently and end in other weights. The number of epochs is fixed: the held-out
samples choose nothing, they are read once, at the end. Below MIN_ACCURACY nothing is written.
"""

import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
SEED = 1
EPOCHS = 60
BATCH = 64
PEAK_LEARNING_RATE = 0.01
WEIGHT_DECAY = 0.01
MAX_PIXEL = 16
MIN_ACCURACY = 0.98
OPSET = 13


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        # A convolution that feeds a batch normalization needs no bias: the normalization subtracts it again.
        self.stem = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.stem_bn = nn.BatchNorm2d(16)
        self.widen = nn.Conv2d(16, 32, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.block1 = nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.block1_bn = nn.BatchNorm2d(32)
        self.block2 = nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.block2_bn = nn.BatchNorm2d(32)
        # Without padding both settings give the same values; True makes the exporter emit an empty Pad.
        self.average = nn.AvgPool2d(2, count_include_pad=False)
        self.classify = nn.Linear(32 * 2 * 2, 10)

    def logits(self, x):
        x = functional.relu(self.stem_bn(self.stem(x)))
        x = functional.relu(self.widen(x))
        x = self.pool(x)
        y = functional.relu(self.block1_bn(self.block1(x)))
        y = self.block2_bn(self.block2(y))
        x = functional.relu(x + y)
        return self.classify(torch.flatten(self.average(x), 1))

    def forward(self, x):
        return functional.softmax(self.logits(x), dim=1)


def load(name):
    images = np.load(HERE / "data" / f"{name}_images.npy").astype(np.float32) / MAX_PIXEL
    labels = np.load(HERE / "data" / f"{name}_labels.npy").astype(np.int64)
    return torch.from_numpy(images), torch.from_numpy(labels)


def shift_by_up_to_one_pixel(images):
    """Moves each image by -1, 0 or +1 in y and in x; what comes in from outside is background, 0."""
    padded = functional.pad(images, (1, 1, 1, 1))
    dy, dx = torch.randint(0, 3, (2, len(images)))
    return torch.stack([p[:, y : y + 8, x : x + 8] for p, y, x in zip(padded, dy.tolist(), dx.tolist())])


def train(model, images, labels):
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=WEIGHT_DECAY)
    steps = -(-len(images) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, PEAK_LEARNING_RATE, epochs=EPOCHS, steps_per_epoch=steps
    )
    model.train()
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in torch.randperm(len(images)).split(BATCH):
            loss = functional.cross_entropy(model.logits(shift_by_up_to_one_pixel(images[batch])), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        if (epoch + 1) % 10 == 0:
            print(f"epoch {epoch + 1}: mean loss {total / len(images):.4f}")
    model.eval()


@torch.no_grad()
def num_correct(model, images, labels):
    return int((model(images).argmax(1) == labels).sum())


def export(model, path):
    # PRESERVE leaves the model in eval mode, and skips the pass that folds batch normalization into
    # convolutions.
    torch.onnx.export(
        model,
        torch.zeros(1, 1, 8, 8),
        path,
        input_names=["image"],
        output_names=["probabilities"],
        opset_version=OPSET,
        do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,
    )


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    model = Digits()
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train_images, train_labels = load("train")
    train(model, train_images, train_labels)
    right = num_correct(model, train_images, train_labels)
    print(f"train: {right} of {len(train_labels)}, {right / len(train_labels):.2%}")
    held_out_images, held_out_labels = load("held_out")
    right = num_correct(model, held_out_images, held_out_labels)
    print(f"held out: {right} of {len(held_out_labels)}, {right / len(held_out_labels):.2%}")
    if right < MIN_ACCURACY * len(held_out_labels):
        sys.exit(f"below {MIN_ACCURACY:.0%}: digits.onnx is left as it was")
    export(model, str(HERE / "digits.onnx"))


if __name__ == "__main__":
    main()
