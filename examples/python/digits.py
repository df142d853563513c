# %% [markdown]
# # A network as a module
# A float network becomes integers, runs, and gives a digest that every machine gives. The cells of this file
# are those of a notebook (Jupyter opens it by Jupytext); a test runs them.

# %%
import numpy
import tally

samples = numpy.load("examples/digits/data/calibration.npy")  # pixels, 200 images
module = tally.quantize("examples/digits/digits.onnx", samples, output="digits.tally", input_grid="image=1/16,0,0,16")
module

# %% [markdown]
# What quantization cost, on samples that were held back: decibels, and the share of equal answers.

# %%
print(module.quantization["accuracy"]["outputs"])

# %% [markdown]
# A plan runs the module. Arrays of signed integers are read where they are.

# %%
plan = module.plan(threads=2)
image = numpy.load("examples/receipts/digits/0.npy")
scores = plan(image)
print(scores.argmax(), tally.digest(scores))

# %% [markdown]
# The definition, over unbounded integers, gives the same bytes.

# %%
assert tally.digest(module.plan(engine="formal")(image)) == tally.digest(scores)

# %% [markdown]
# Floats go in and come out where that is asked for: by the grids of the module.

# %%
print(plan.run({"image": image / 16}, floats=True)["probabilities"].round(4))

# %% [markdown]
# Where it loses accuracy, layer by layer; `.html` is the page of `tally report`.

# %%
report = tally.report("examples/digits/digits.onnx", "digits.tally", samples, input_grid="image=1/16,0,0,16")
report

# %% [markdown]
# What is refused is an exception with a label that never changes.

# %%
try:
    plan(image + 100)
except tally.RefusedError as error:
    print(error.label, "-", error)
