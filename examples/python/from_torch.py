# %% [markdown]
# # From torch to a digest
# A network of torch leaves as ONNX, becomes a module, and gives the answers of the float network.

# %%
import sys

import numpy

try:
    import onnx  # which the exporter writes with
    import torch
except ImportError as missing:
    print(f"ran: use of libtally: notebook from_torch.py: not run: {missing.name} not installed: ./dev setup train")
    sys.exit()

import tally

torch.manual_seed(1)
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(128, 10)
).eval()
samples = torch.rand(100, 1, 8, 8)
torch.onnx.export(network, samples[:1], "network.onnx", input_names=["image"], output_names=["scores"])

# %%
module = tally.quantize("network.onnx", samples.numpy(), output="network.tally")
module

# %%
with torch.no_grad():
    expected = network(samples).numpy().argmax(axis=1)
plan = module.plan()
scores = [plan.run({"image": image[None]}, floats=True)["scores"] for image in samples.numpy()]
same = (numpy.concatenate(scores).argmax(axis=1) == expected).mean()
print(f"{same:.0%} of the answers are the float network's")
assert same > 0.9

# %% [markdown]
# Integers of torch go in without a copy.

# %%
codes = torch.zeros(module.params[0].shape, dtype=getattr(torch, module.params[0].dtype))
print(tally.digest(plan(codes)))
