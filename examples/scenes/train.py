#!/usr/bin/python3
"""Trains a detector of digits in scenes, and exports it.

    ./dev setup train                   # Debian's torch, torchvision, Pillow and fonts
    /usr/bin/python3 train.py

The fonts held out choose nothing: steps and learning rate are fixed, and data/held_out_* is read by the tests alone.
"""

import sys

import numpy as np
import torch
from draw import CLASSES, HERE, SIDE, digits_of, scenes
from network import ANCHORS, Detector
from torch.nn import functional
from torchvision.ops import complete_box_iou_loss, sigmoid_focal_loss

sys.path.insert(0, str(HERE.parent))
import fonts  # noqa: E402, which draw.py finds
import training  # noqa: E402

SEED = 1
BATCH = 32
STEPS = 3000
PEAK_LEARNING_RATE = 0.004
OPSET = 13
NEAR = 0.75  # strides from a box's center: its cells


def cells_of(model, found):
    """([cells, 4] boxes, [cells] classes, [cells] whether there is one) of a scene with `found`."""
    boxes, classes = torch.zeros(len(model.centers), 4), torch.zeros(len(model.centers), dtype=torch.int64)
    filled = torch.zeros(len(model.centers), dtype=torch.bool)
    for number, *box in found.tolist():
        box = torch.tensor(box, dtype=torch.float32)
        anchor = ANCHORS[int(max(box[2] - box[0], box[3] - box[1]) > 1.25 * ANCHORS[0])]
        apart = (model.centers - (box[:2] + box[2:]) / 2).abs().amax(-1)
        cells = (apart < NEAR * model.strides[:, 0]) & (model.anchors[:, 0] == anchor)
        boxes[cells], classes[cells], filled[cells] = box, number, True
    return boxes, classes, filled


def loss_of(model, batch):
    images, boxes, classes, filled = batch
    raw = model.raw(images)
    wanted = functional.one_hot(classes, CLASSES) * filled.unsqueeze(-1)
    of_scores = sigmoid_focal_loss(raw[..., 4:], wanted.float(), alpha=0.5, gamma=1.5, reduction="sum")
    of_boxes = complete_box_iou_loss(model.decode(raw)[filled], boxes[filled], reduction="sum")
    return (of_scores + 2 * of_boxes) / filled.sum().clamp(min=1)


def main():
    training.begin(SEED)
    random = np.random.RandomState(SEED)
    digits = digits_of(fonts.training())
    print(f"{len(digits)} digits")
    model = Detector()

    def batch():
        images, found = scenes(random, digits, BATCH)
        parts = zip(*(cells_of(model, one) for one in found))
        return torch.from_numpy(images).float() / 255, *(torch.stack(part) for part in parts)

    training.train(model, batch, loss_of, STEPS, PEAK_LEARNING_RATE)
    training.export(model, torch.zeros(1, 1, SIDE, SIDE), HERE / "detector.onnx", "scene", ["boxes", "scores", "selected"], OPSET)


if __name__ == "__main__":
    main()
