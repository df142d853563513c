"""Three ways to read a character: a residual network, a depthwise one with squeeze-excite, a vision transformer.

Each takes float32 [N, 1, 24, 24], pixel / 255 and white on black, and returns logits [N, 62].
"""

import torch
from torch import nn
from torch.nn import functional

CLASSES = 62


class ResidualBlock(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
            )

    def forward(self, x):
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.blocks = nn.Sequential(
            ResidualBlock(16, 16, 1), ResidualBlock(16, 32, 2), ResidualBlock(32, 64, 2), ResidualBlock(64, 64, 1)
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(64, CLASSES)

    def forward(self, x):
        return self.classify(torch.flatten(self.pool(self.blocks(self.stem(x))), 1))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.squeeze = nn.Conv2d(channels, channels // 4, 1)
        self.excite = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        scale = functional.relu(self.squeeze(self.pool(x)))
        return x * functional.hardsigmoid(self.excite(scale))


class InvertedResidual(nn.Module):
    def __init__(self, channels_in, expanded, channels, kernel, stride):
        super().__init__()
        self.residual = stride == 1 and channels_in == channels
        self.layers = nn.Sequential(
            nn.Conv2d(channels_in, expanded, 1, bias=False),
            nn.BatchNorm2d(expanded),
            nn.Hardswish(),
            nn.Conv2d(expanded, expanded, kernel, stride, kernel // 2, groups=expanded, bias=False),
            nn.BatchNorm2d(expanded),
            nn.Hardswish(),
            SqueezeExcite(expanded),
            nn.Conv2d(expanded, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x):
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNet(nn.Module):
    """In the manner of MobileNetV3."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish())
        self.blocks = nn.Sequential(
            InvertedResidual(16, 48, 16, 3, 1),
            InvertedResidual(16, 64, 32, 3, 2),
            InvertedResidual(32, 128, 32, 5, 1),
            InvertedResidual(32, 128, 48, 5, 1),
        )
        self.head = nn.Sequential(nn.Conv2d(48, 160, 1, bias=False), nn.BatchNorm2d(160), nn.Hardswish())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(160, CLASSES)

    def forward(self, x):
        return self.classify(torch.flatten(self.pool(self.head(self.blocks(self.stem(x)))), 1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x):
        n, tokens, width = x.shape
        qkv = self.qkv(x).reshape(n, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        query, key, value = qkv[0], qkv[1], qkv[2]
        scores = query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5
        mixed = scores.softmax(dim=-1) @ value
        return self.project(mixed.transpose(1, 2).reshape(n, tokens, width))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VisionTransformer(nn.Module):
    """Patches of 4 x 4, a class token, learned positions, norms in front."""

    def __init__(self, width=64, depth=4, heads=4):
        super().__init__()
        self.patches = nn.Conv2d(1, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 37, width) * 0.02)
        self.blocks = nn.Sequential(*(TransformerBlock(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.classify(self.norm(self.blocks(x))[:, 0])
