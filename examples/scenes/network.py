"""A one-shot detector of two levels: boxes and scores of all cells, decoded, and which of them are chosen."""

import sys

import torch
from draw import CLASSES, HERE, SIDE
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(HERE.parent))
import training  # noqa: E402

STRIDES = (8, 16)  # pixels from one cell of a level to the next
ANCHORS = (16.0, 32.0)  # pixels: a box has up to four times as many
MOST, IOU, LEAST_SCORE = 5, 0.5, 0.05  # for suppression, in each class
suppress = training.suppression(CLASSES, MOST, IOU, LEAST_SCORE)


def convolution(channels_in, channels, stride=1):
    return nn.Sequential(nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.SiLU())


def head(channels):
    last = nn.Conv2d(channels, 4 + CLASSES, 1)
    nn.init.constant_(last.bias[4:], -4.0)  # at first nothing is found
    return nn.Sequential(convolution(channels, channels), last)


class Detector(nn.Module):
    """scene [1, 1, 64, 64] -> boxes [1, 80, 4] of left, top, right and bottom in pixels, scores [1, 10, 80], selected [K, 3]."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Sequential(convolution(1, 16), convolution(16, 24, 2), convolution(24, 32, 2), convolution(32, 32),
                                  convolution(32, 48, 2), convolution(48, 48))
        self.coarse = nn.Sequential(convolution(48, 64, 2), convolution(64, 64))
        self.lateral = nn.Conv2d(64, 48, 1)
        self.heads = nn.ModuleList([head(48), head(64)])
        centers, strides, anchors = [], [], []
        for stride, anchor in zip(STRIDES, ANCHORS):
            places = (torch.arange(SIDE // stride) + 0.5) * stride
            y, x = torch.meshgrid(places, places, indexing="ij")
            centers.append(torch.stack([x, y], -1).reshape(-1, 2))
            strides += [stride] * len(centers[-1])
            anchors += [anchor] * len(centers[-1])
        self.register_buffer("centers", torch.cat(centers))  # [cells, (x, y)]
        self.register_buffer("strides", torch.tensor(strides).float()[:, None])
        self.register_buffer("anchors", torch.tensor(anchors)[:, None])

    def raw(self, scenes):
        fine = self.fine(scenes)
        coarse = self.coarse(fine)
        fine = fine + functional.interpolate(self.lateral(coarse), scale_factor=2.0, mode="nearest")
        return torch.cat([head(level).flatten(2) for head, level in zip(self.heads, (fine, coarse))], 2).transpose(1, 2)

    def decode(self, raw):
        """A center within a stride of the cell's, and a side of up to four anchors, as YOLOv5 has them."""
        near = raw[..., :4].sigmoid()
        center = self.centers + (2 * near[..., :2] - 1) * self.strides
        half = (2 * near[..., 2:]) ** 2 * self.anchors / 2
        return torch.cat([center - half, center + half], -1)

    def forward(self, scene):
        raw = self.raw(scene)
        boxes, scores = self.decode(raw), raw[..., 4:].sigmoid().transpose(1, 2)
        return boxes, scores, suppress(boxes, scores)
