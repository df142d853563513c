"""What the training scripts of the examples share: one thread, fixed seeds, a schedule, and the export.

A run repeats on the same machine and torch; another CPU or another torch may round differently and end in other weights.
"""

import time

import numpy as np
import torch

WEIGHT_DECAY = 0.02
LARGEST_GRADIENT = 1.0


def begin(seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def npy(path):
    return torch.from_numpy(np.load(path))


def num_parameters(model):
    return sum(p.numel() for p in model.parameters())


def train(model, batch_of, loss_of, steps, peak_learning_rate):
    """`steps` steps of AdamW under one cycle of the learning rate; batch_of() draws one batch, loss_of(model, batch) is its loss."""
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak_learning_rate, total_steps=steps)
    print(f"{num_parameters(model)} parameters", flush=True)
    model.train()
    start, total, every = time.monotonic(), 0.0, max(steps // 20, 1)
    for step in range(1, steps + 1):
        loss = loss_of(model, batch_of())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % every == 0:
            print(f"step {step} of {steps}: mean loss {total / every:.4f}, {time.monotonic() - start:.0f} s", flush=True)
            total = 0.0
    model.eval()


@torch.no_grad()
def predict(model, inputs, batch=64):
    return torch.cat([model(part) for part in inputs.split(batch)])


def export(model, example, path, input_name, output_names, opset):
    """Writes the file as torch writes it in evaluation mode, with its defaults."""
    torch.onnx.export(
        model,
        example,
        str(path),
        input_names=[input_name],
        output_names=output_names,
        opset_version=opset,
    )
    print(f"wrote {path.name}, {path.stat().st_size} bytes")


def suppression(classes, most, iou, least_score):
    """NonMaxSuppression of ONNX, which torch itself has not, for the export: (boxes [1, N, 4], scores [1, classes, N]) -> [K, 3], in each
    row an image, a class and a place."""

    class Suppress(torch.autograd.Function):
        @staticmethod
        def forward(_, boxes, scores):
            return torch.zeros(classes * most, 3, dtype=torch.int64)

        @staticmethod
        def symbolic(g, boxes, scores):
            def number(value, dtype):
                return g.op("Constant", value_t=torch.tensor([value], dtype=dtype))

            return g.op("NonMaxSuppression", boxes, scores, number(most, torch.int64), number(iou, torch.float32),
                        number(least_score, torch.float32))

    return Suppress.apply
