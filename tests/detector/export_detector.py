#!/usr/bin/env python3
"""Trains a one-shot detector of bars and blocks in noise, and writes it as torch exports it, with scenes to run it on.

    /usr/bin/python3 tests/detector/export_detector.py

Writes detector.onnx and scenes.npy beside itself. The decoding of anchors, the choice of the best boxes and their suppression are
in the file: nothing is left to do behind it.
"""
import pathlib
import sys

import numpy as np
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "examples"))
import training  # noqa: E402

SIZE, CELLS, CLASSES = 32, 8, 2
ANCHOR = 10.0  # pixels
CANDIDATES, MOST, IOU, LEAST_SCORE = 24, 4, 0.4, 0.3
STEPS, BATCH, SCENES = 400, 32, 64


suppress = training.suppression(CLASSES, MOST, IOU, LEAST_SCORE)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()

        def layer(inputs, outputs, stride):
            conv = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.ReLU())

        self.body = nn.Sequential(layer(1, 12, 2), layer(12, 24, 2), layer(24, 24, 1), layer(24, 24, 1))
        self.head = nn.Conv2d(24, 4 + CLASSES, 1)
        rows = torch.arange(CELLS, dtype=torch.float32) + 0.5
        self.register_buffer("centers", torch.cartesian_prod(rows, rows) * (SIZE / CELLS))  # [cells, (y, x)]

    def raw(self, image):
        return self.head(self.body(image)).flatten(2).transpose(1, 2)  # [N, cells, 4 + classes]

    def decode(self, raw):
        center = self.centers + torch.tanh(raw[..., :2]) * (SIZE / CELLS)
        half = torch.exp(raw[..., 2:4].clamp(-2, 1)) * (ANCHOR / 2)
        return torch.cat([center - half, center + half], dim=-1)

    def forward(self, image):
        raw = self.raw(image)
        boxes, scores = self.decode(raw), raw[..., 4:].sigmoid()
        _, best = scores.max(-1).values.topk(CANDIDATES, dim=1)
        boxes = boxes.gather(1, best.unsqueeze(-1).expand(-1, -1, 4))
        scores = scores.gather(1, best.unsqueeze(-1).expand(-1, -1, CLASSES)).transpose(1, 2)
        selected = suppress(boxes, scores)
        kept = boxes[0].index_select(0, selected[:, 2])
        sure = scores[0, selected[:, 1], selected[:, 2]]
        return selected, kept, sure


def scenes(count, random):
    """Images, and by cell the box in it, its class and whether there is one."""
    images = random.normal(0, 0.1, (count, 1, SIZE, SIZE))
    boxes, classes = np.zeros((count, CELLS * CELLS, 4)), np.zeros((count, CELLS * CELLS), np.int64)
    filled = np.zeros((count, CELLS * CELLS), bool)
    for n in range(count):
        for corner in ((0, 0), (0, 16), (16, 0), (16, 16)):
            if random.random() < 0.35:
                continue
            kind = random.integers(CLASSES)
            height, width = (random.integers(8, 12), random.integers(3, 5)) if kind else random.integers(7, 12, 2)
            y, x = corner[0] + random.integers(2, 15 - height), corner[1] + random.integers(2, 15 - width)
            images[n, 0, y : y + height, x : x + width] += random.uniform(0.6, 1.0)
            cell = int((y + height / 2) * CELLS / SIZE) * CELLS + int((x + width / 2) * CELLS / SIZE)
            boxes[n, cell], classes[n, cell], filled[n, cell] = (y, x, y + height, x + width), kind, True
    return [torch.from_numpy(a) for a in (images.astype(np.float32), boxes.astype(np.float32), classes, filled)]


def loss_of(model, images, boxes, classes, filled):
    raw = model.raw(images)
    wanted = torch.nn.functional.one_hot(classes, CLASSES) * filled.unsqueeze(-1)
    of_scores = nn.functional.binary_cross_entropy_with_logits(raw[..., 4:], wanted.float(), reduction="sum")
    of_boxes = (model.decode(raw) - boxes).abs()[filled].sum()
    return (of_scores + 0.3 * of_boxes) / images.shape[0]


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    random = np.random.default_rng(1)
    model = Detector()
    optimizer = torch.optim.AdamW(model.parameters(), 4e-3)
    for step in range(STEPS):
        loss = loss_of(model, *scenes(BATCH, random))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 49:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    model.eval()
    images = scenes(SCENES, random)[0]
    np.save(FOLDER / "scenes.npy", np.clip(np.round(images.numpy() * 64), -128, 127).astype(np.int8))
    torch.onnx.export(model, images[:1], str(FOLDER / "detector.onnx"), input_names=["image"],
                      output_names=["selected", "boxes", "scores"], opset_version=13)


if __name__ == "__main__":
    main()
