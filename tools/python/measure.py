# SPDX-License-Identifier: Apache-2.0
"""What scripts share that run models beside ONNX Runtime: its sessions, times and differences."""

import statistics
import time

import numpy as np

REPEATS = 5
LEAST_SECONDS, MOST_REPEATS = 0.5, 50  # a fast model is repeated more often, until its runs have taken so long
ENOUGH_SECONDS = 10.0  # after which a slow model is not repeated


def onnxruntime_session(file):
    """file: a path, or the bytes of a model. It runs on the CPU, and says nothing but errors."""
    import onnxruntime  # some scripts want it only where they are asked to compare

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def seconds_of(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def median_seconds(seconds):
    """seconds: runs once, and returns how long that took."""
    times = []
    while len(times) < (MOST_REPEATS if sum(times) < LEAST_SECONDS else REPEATS) and sum(times) < ENOUGH_SECONDS:
        times.append(seconds())
    return statistics.median(times)


def difference_of(got, expected):
    """The largest difference as a part of the largest element that was expected."""
    return float(np.abs(got - expected).max() / np.abs(expected).max())
