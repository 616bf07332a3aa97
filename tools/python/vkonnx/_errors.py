# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum


class Code(enum.IntEnum):
    """What kind of failure an Error is; the library's own names and numbers."""

    ok = 0
    invalid_argument = 1
    unsupported = 2
    out_of_memory = 3
    no_loader = 4
    no_driver = 5
    no_device = 6
    device_lost = 7
    timeout = 8
    io = 9
    driver_error = 10


class Error(RuntimeError):
    """Whatever the library refuses or fails at: `str()` is its one sentence, `code` the kind. Subclasses are Python's own, too."""

    code: Code = Code.driver_error


class InvalidArgument(Error, ValueError):
    """An attribute, shape, type or file content that the operator's document forbids, or a closed handle."""

    code = Code.invalid_argument


class WrongType(InvalidArgument, TypeError):
    """A keyword that a function does not have, or a Python value of a type that it does not take."""


class Unsupported(Error, NotImplementedError):
    """Legal, but beyond this library or this device."""

    code = Code.unsupported


class OutOfMemory(Error, MemoryError):
    """The host's memory or the device's, or Device's max_memory, does not suffice."""

    code = Code.out_of_memory


class NoDevice(Error):
    """No Vulkan loader, no driver, or no device that fits the selection: `code` says which."""

    code = Code.no_device


class DeviceLost(Error):
    """The device is gone, or was given up; every later call on it says so."""

    code = Code.device_lost


class Timeout(Error, TimeoutError):
    """The device did not answer in Device's timeout."""

    code = Code.timeout


class IoError(Error, OSError):
    """A file could not be read."""

    code = Code.io


_CLASSES = {
    Code.invalid_argument: InvalidArgument,
    Code.unsupported: Unsupported,
    Code.out_of_memory: OutOfMemory,
    Code.no_loader: NoDevice,
    Code.no_driver: NoDevice,
    Code.no_device: NoDevice,
    Code.device_lost: DeviceLost,
    Code.timeout: Timeout,
    Code.io: IoError,
}


def error_of(code: int, sentence: str) -> Error:
    known = Code(code) if code in Code._value2member_map_ else Code.driver_error
    error = _CLASSES.get(known, Error)(sentence)
    error.code = known
    return error
