#!/usr/bin/python3
"""Trains a decoder-only transformer that predicts the next character, and exports it.

    ./dev setup train                   # Debian's torch and libssl-doc
    /usr/bin/python3 train.py

The pages held out choose nothing: steps and learning rate are fixed, and data/held_out_* is read once, at the end. Beyond
MOST_PERPLEXITY nothing is written.
"""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import training  # noqa: E402
from prepare_data import CONTEXT, NUM_IDS, text_of  # noqa: E402

SEED = 1
BATCH = 24
STEPS = 2400
PEAK_LEARNING_RATE = 0.004
MOST_PERPLEXITY = 6.0
OPSET = 14


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        hidden = torch.triu(torch.ones(CONTEXT, CONTEXT, dtype=torch.bool), 1)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, x):
        n, tokens, width = x.shape
        query, key, value = (
            part.reshape(n, tokens, self.heads, width // self.heads).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        scores = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(self.hidden, float("-inf"))
        mixed = scores.softmax(dim=-1) @ value
        return self.project(mixed.transpose(1, 2).reshape(n, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    """ids int64 [N, CONTEXT] -> logits [N, CONTEXT, NUM_IDS] of the id behind each."""

    def __init__(self, width=64, depth=4, heads=4):
        super().__init__()
        self.embed = nn.Embedding(NUM_IDS, width)
        self.positions = nn.Parameter(torch.randn(CONTEXT, width) * 0.02)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, NUM_IDS)

    def forward(self, ids):
        return self.classify(self.norm(self.blocks(self.embed(ids) + self.positions)))


class Exported(nn.Module):
    """The logits, and the probabilities of what follows the last id."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, ids):
        logits = self.decoder(ids)
        return logits, logits[:, -1].softmax(dim=-1)


def loss_of(model, batch):
    ids, following = batch
    return functional.cross_entropy(model(ids).flatten(0, 1), following.flatten())


def main():
    training.begin(SEED)
    text = torch.from_numpy(text_of(held_out=False)).long()

    def batch():
        rows = torch.stack([text[s : s + CONTEXT + 1] for s in torch.randint(0, len(text) - CONTEXT, (BATCH,)).tolist()])
        return rows[:, :-1], rows[:, 1:]

    model = Decoder()
    print(f"{len(text)} characters")
    training.train(model, batch, loss_of, STEPS, PEAK_LEARNING_RATE)
    ids = training.npy(HERE / "data/held_out_ids.npy").long()
    following = training.npy(HERE / "data/held_out_next.npy").long()
    with torch.no_grad():
        perplexity = loss_of(model, (ids, following)).exp().item()
    print(f"pages held out: perplexity {perplexity:.4f} for each of {following.numel()} characters")
    if perplexity > MOST_PERPLEXITY:
        sys.exit(f"beyond {MOST_PERPLEXITY}: text.onnx is left as it was")
    example = torch.zeros(1, CONTEXT, dtype=torch.int64)
    training.export(Exported(model).eval(), example, HERE / "text.onnx", "ids", ["logits", "next"], OPSET)


if __name__ == "__main__":
    main()
