"""Families of networks at small widths: torchvision's, and transformers, recurrent, detection and segmentation networks of our own.

    for family in FAMILIES:
        network, inputs = family.make(), family.inputs
"""

import dataclasses
from collections.abc import Callable

import torch
import torchvision
from torch import nn
from torch.nn import functional

IDS, STEPS = 64, 32  # token ids, and how many a transformer reads


@dataclasses.dataclass(frozen=True)
class Family:
    name: str
    make: Callable[[], nn.Module]
    inputs: tuple  # the shape of each; of a family of `ids` they hold integers below IDS
    ids: bool = False


def vision(name, make, side=64, **options):
    return Family(name, lambda: make(weights=None, num_classes=10, **options), ((1, 3, side, side),))


class Heads(nn.Module):
    """The tensors of a network of torchvision that returns a dictionary."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)["out"]


def segmentation(name, make):
    return Family(name, lambda: Heads(make(weights=None, weights_backbone=None, num_classes=5)), ((1, 3, 96, 96),))


def small_vit():
    return torchvision.models.VisionTransformer(image_size=64, patch_size=16, num_layers=4, num_heads=4, hidden_dim=64, mlp_dim=128,
                                                num_classes=10)


def small_swin():
    return torchvision.models.SwinTransformer(patch_size=[4, 4], embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4],
                                              num_classes=10)


def small_convnext():
    settings = [torchvision.models.convnext.CNBlockConfig(*s) for s in ((24, 48, 2), (48, 96, 2), (96, None, 2))]
    return torchvision.models.ConvNeXt(settings, num_classes=10)


def small_resnext():
    return torchvision.models.ResNet(torchvision.models.resnet.Bottleneck, [1, 1, 1, 1], num_classes=10, groups=8, width_per_group=4)


def small_densenet():
    return torchvision.models.DenseNet(growth_rate=12, block_config=(3, 4, 3), num_init_features=24, num_classes=10)


def small_head(network, width):
    """With a classifier for small images: the file's own has most of the weights, for images of 224 pixels."""
    network.avgpool = nn.AdaptiveAvgPool2d(1)
    network.classifier = nn.Sequential(nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, 10))
    return network


class Block(nn.Module):
    """A layer of a transformer, written out, so that every opset exports it the same way."""

    def __init__(self, width, heads, is_causal):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.register_buffer("hidden", torch.triu(torch.ones(STEPS, STEPS), 1) * -1e4 if is_causal else None)

    def forward(self, x):
        n, steps, width = x.shape
        parts = self.qkv(self.norm1(x)).chunk(3, -1)
        query, key, value = (part.reshape(n, steps, self.heads, width // self.heads).transpose(1, 2) for part in parts)
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        if self.hidden is not None:
            scores = scores + self.hidden
        x = x + self.project((scores.softmax(-1) @ value).transpose(1, 2).reshape(n, steps, width))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, is_causal, width=64, depth=3):
        super().__init__()
        self.embed, self.positions = nn.Embedding(IDS, width), nn.Parameter(torch.randn(STEPS, width) / 8)
        self.blocks = nn.Sequential(*(Block(width, 4, is_causal) for _ in range(depth)))
        self.head = nn.Linear(width, IDS)

    def forward(self, ids):
        return self.head(self.blocks(self.embed(ids) + self.positions))


class Recurrent(nn.Module):
    def __init__(self, kind, bidirectional=False):
        super().__init__()
        self.embed = nn.Embedding(IDS, 32)
        self.cells = kind(32, 48, num_layers=2, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(48 * (2 if bidirectional else 1), 10)

    def forward(self, ids):
        return self.head(self.cells(self.embed(ids))[0].mean(1))


class Convolutional(nn.Sequential):
    """Dilated causal convolutions over [N, features, time]."""

    def __init__(self, features=16, width=32):
        layers = []
        for i in range(4):
            layers += [nn.ConstantPad1d((2 * 2**i, 0), 0.0), nn.Conv1d(features if i == 0 else width, width, 3, dilation=2**i),
                       nn.BatchNorm1d(width), nn.ReLU()]
        super().__init__(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(width, 10))


def conv_bn(before, after, stride=1):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.SiLU())


class UNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.down = nn.ModuleList([conv_bn(3, width), conv_bn(width, 2 * width), conv_bn(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.mix = nn.ModuleList([conv_bn(4 * width, 2 * width), conv_bn(2 * width, width)])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        kept = []
        for i, layer in enumerate(self.down):
            x = layer(x if i == 0 else functional.max_pool2d(x, 2))
            kept.append(x)
        for i, (up, mix) in enumerate(zip(self.up, self.mix)):
            x = mix(torch.cat([up(x), kept[1 - i]], 1))
        return self.head(x)


class Detector(nn.Module):
    """A backbone, a pyramid of two levels, and for each cell boxes and classes, decoded."""

    def __init__(self, classes=5, width=24):
        super().__init__()
        self.stem = nn.Sequential(conv_bn(3, width, 2), conv_bn(width, width, 2), conv_bn(width, 2 * width, 2))
        self.deep = conv_bn(2 * width, 4 * width, 2)
        self.lateral = nn.Conv2d(4 * width, 2 * width, 1)
        self.heads = nn.ModuleList([nn.Conv2d(2 * width, 4 + classes, 1), nn.Conv2d(4 * width, 4 + classes, 1)])

    def forward(self, x):
        fine = self.stem(x)
        coarse = self.deep(fine)
        fine = fine + functional.interpolate(self.lateral(coarse), scale_factor=2.0, mode="nearest")
        boxes, scores = [], []
        for level, head, stride in ((fine, self.heads[0], 8), (coarse, self.heads[1], 16)):
            of_level = head(level).flatten(2).transpose(1, 2)
            boxes.append(of_level[..., :4].sigmoid() * 4 * stride)
            scores.append(of_level[..., 4:].sigmoid())
        return torch.cat(boxes, 1), torch.cat(scores, 1)


MODELS = torchvision.models
FAMILIES = (
    Family("alexnet", lambda: small_head(MODELS.alexnet(weights=None), 256), ((1, 3, 64, 64),)),
    Family("vgg", lambda: small_head(MODELS.vgg11_bn(weights=None), 512), ((1, 3, 64, 64),)),
    vision("resnet", MODELS.resnet18),
    Family("resnext", small_resnext, ((1, 3, 64, 64),)),
    Family("densenet", small_densenet, ((1, 3, 64, 64),)),
    vision("squeezenet", MODELS.squeezenet1_1),
    vision("googlenet", MODELS.googlenet, aux_logits=False, init_weights=True),
    vision("mobilenet_v2", MODELS.mobilenet_v2, width_mult=0.35),
    vision("mobilenet_v3", MODELS.mobilenet_v3_small),
    vision("shufflenet", MODELS.shufflenet_v2_x0_5),
    vision("mnasnet", MODELS.mnasnet0_5),
    vision("efficientnet", MODELS.efficientnet_b0),
    vision("regnet", MODELS.regnet_y_400mf),
    Family("convnext", small_convnext, ((1, 3, 64, 64),)),
    Family("swin", small_swin, ((1, 3, 64, 64),)),
    Family("vit", small_vit, ((1, 3, 64, 64),)),
    segmentation("lraspp", MODELS.segmentation.lraspp_mobilenet_v3_large),
    segmentation("deeplab", MODELS.segmentation.deeplabv3_mobilenet_v3_large),
    Family("unet", UNet, ((1, 3, 64, 64),)),
    Family("detector", Detector, ((1, 3, 64, 64),)),
    Family("encoder", lambda: Transformer(is_causal=False), ((1, STEPS),), ids=True),
    Family("decoder", lambda: Transformer(is_causal=True), ((1, STEPS),), ids=True),
    Family("lstm", lambda: Recurrent(nn.LSTM, bidirectional=True), ((1, 24),), ids=True),
    Family("gru", lambda: Recurrent(nn.GRU), ((1, 24),), ids=True),
    Family("tcn", Convolutional, ((1, 16, 64),)),
)
