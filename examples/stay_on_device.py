#!/usr/bin/env python3
"""Halves a picture again and again without taking it from the device in between.

    python3 stay_on_device.py HALF.onnx

HALF.onnx has an input X and an output Y, of N x C x H x W and half of H and W. It takes vkonnx and NumPy.
"""

import sys

import numpy as np
import vkonnx

session = vkonnx.Session(sys.argv[1])
picture = session.device.tensor(np.arange(3 * 16 * 16, dtype=np.float32).reshape(1, 3, 16, 16))  # now on the device

while picture.shape[-1] > 1:
    picture = session.run({"X": picture})["Y"]  # a tensor of the device for a tensor of the device
    print(picture.shape)

print(picture.numpy().ravel())  # the mean of each channel
