"""Samples for the models of the zoo, by the functions of pictures.py and sounds.py.

Each function takes (model, inputs, count, tools): `inputs` are the shapes of the model's inputs by name, `tools` runs other models of the
zoo and knows which samples are held out. It returns an array [count, ...] for each input, whose first axis is the sample.
"""

import pictures
import sounds


def samples_of(model, inputs, count, tools):
    make = getattr(pictures, model.samples, None) or getattr(sounds, model.samples)
    return make(model, inputs, count, tools)
