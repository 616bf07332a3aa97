#!/usr/bin/env python3
"""Runs a model once, on random inputs, and prints what comes of it.

    python3 run_model.py MODEL [NAME=1x3x224x224 ...]

NAME=... gives an input's shape, where the model leaves it open. It takes vkonnx and NumPy.
"""

import sys

import numpy as np
import vkonnx

model, *shapes = sys.argv[1:]
given = {name: [int(extent) for extent in extents.split("x")] for name, extents in (one.split("=") for one in shapes)}

session = vkonnx.Session(model)
random = np.random.default_rng(1)
inputs = {}
for info in session.inputs:
    shape = given.get(info.name, info.shape)
    if shape is None or None in shape:
        sys.exit(f"the model leaves the shape of {info.name} open: add {info.name}=1x3x224x224, for example")
    inputs[info.name] = random.random(shape).astype(info.dtype)

for name, value in session.run(inputs).items():
    print(f"{name}: {value.dtype} {value.shape}, from {value.min():.3g} to {value.max():.3g}")
