"""The models of the zoo: public files, pinned by version or commit and by digest.

    for model in MODELS: model.name, model.source, model.samples; model.name in SET_APART
"""

import pathlib

import models_of_github
import models_of_npm

MODELS = (*models_of_npm.MODELS, *models_of_github.MODELS)
BY_NAME = {model.name: model for model in MODELS}

# These are measured, and nobody looks into one of them when a default is chosen.
SET_APART = frozenset(pathlib.Path(__file__).with_name("set_apart.txt").read_text().split())
