# SPDX-License-Identifier: Apache-2.0
"""Element types: ONNX's numbers, NumPy's dtypes, and arrays as the library wants them in memory."""

from __future__ import annotations

import ctypes as c
import enum
from typing import Any, Dict, Optional

import numpy as np

from ._errors import InvalidArgument, Unsupported, WrongType

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None  # type: ignore[assignment]


class DType(enum.IntEnum):
    """Element types, by the numbers of ONNX's TensorProto.DataType."""

    __hash__ = int.__hash__  # an Enum's own is in Python, and is asked for in each run

    undefined = 0
    float32 = 1
    uint8 = 2
    int8 = 3
    uint16 = 4
    int16 = 5
    int32 = 6
    int64 = 7
    string = 8
    boolean = 9
    float16 = 10
    float64 = 11
    uint32 = 12
    uint64 = 13
    complex64 = 14
    complex128 = 15
    bfloat16 = 16
    float8e4m3fn = 17
    float8e4m3fnuz = 18
    float8e5m2 = 19
    float8e5m2fnuz = 20
    uint4 = 21
    int4 = 22
    float4e2m1 = 23
    float8e8m0 = 24
    uint2 = 25
    int2 = 26

    @property
    def numpy(self) -> np.dtype:
        """NumPy's dtype for it. Unsupported: a type that NumPy knows by ml_dtypes only, where that is not installed."""
        found = _NUMPY.get(self)
        if found is None:
            if self in _ML_DTYPES:
                raise Unsupported(
                    f"NumPy has no {self.name} by itself: install ml_dtypes"
                    if ml_dtypes is None
                    else f"the ml_dtypes {ml_dtypes.__version__} that is installed has no {self.name}: install a newer one"
                )
            raise Unsupported(f"NumPy has no type for {self.name}")
        return found


_ML_DTYPES = {
    DType.bfloat16: "bfloat16",
    DType.float8e4m3fn: "float8_e4m3fn",
    DType.float8e4m3fnuz: "float8_e4m3fnuz",
    DType.float8e5m2: "float8_e5m2",
    DType.float8e5m2fnuz: "float8_e5m2fnuz",
    DType.uint4: "uint4",
    DType.int4: "int4",
    DType.float4e2m1: "float4_e2m1fn",
    DType.float8e8m0: "float8_e8m0fnu",
    DType.uint2: "uint2",
    DType.int2: "int2",
}
_NUMPY: Dict[DType, np.dtype] = {one: np.dtype(one.name) for one in DType if 0 < one <= 15 and one not in (DType.string, DType.boolean)}
_NUMPY[DType.boolean] = np.dtype(bool)
_NUMPY[DType.string] = np.dtype(object)
_NUMPY.update(
    {one: np.dtype(getattr(ml_dtypes, name)) for one, name in _ML_DTYPES.items() if hasattr(ml_dtypes, name)}
)
_KNOWN = {dtype: one for one, dtype in _NUMPY.items()}

# Those that share bytes, lowest bits first; ml_dtypes has a byte for each element.
PACKED_BITS = {DType.uint4: 4, DType.int4: 4, DType.float4e2m1: 4, DType.uint2: 2, DType.int2: 2}


def known(number: int) -> DType:
    """Of a number of the library's or of a file's; one that is newer than this package is undefined here."""
    return DType(number) if number in DType._value2member_map_ else DType.undefined


def dtype_of(value: Any) -> DType:
    """Of a DType, whatever NumPy takes for a dtype, or a name of ONNX's types that NumPy does not have ("bfloat16")."""
    if isinstance(value, np.dtype) and value in _KNOWN:
        return _KNOWN[value]
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in DType.__members__:
        return DType[value]
    if isinstance(value, int):  # NumPy would take it for a name
        raise WrongType(f"{value!r} is no element type: vkonnx.DType({value!r}) may be meant")
    try:
        dtype = np.dtype(value)
    except TypeError:
        raise WrongType(f"{value!r} is no element type of NumPy's or ONNX's") from None
    found: Optional[DType] = _KNOWN.get(dtype.newbyteorder("="))
    if found is None and dtype.kind in "US":
        found = DType.string
    if found is None:
        raise WrongType(f"vkonnx has no element type for NumPy's {dtype}")
    return found


def as_array(value: Any, what: str, dtype: Any = None) -> np.ndarray:
    """Of an array, of what DLPack hands over from host memory, or of numbers and lists; those become `dtype` where it is given."""
    if isinstance(value, np.ndarray):
        return value
    wanted = None if hasattr(value, "dtype") else dtype
    by_dlpack = hasattr(value, "__dlpack__") and not hasattr(value, "__array__") and not hasattr(value, "__array_interface__")
    kind = int(value.__dlpack_device__()[0]) if by_dlpack else 1
    if kind not in (1, 3):  # DLPack's kDLCPU and kDLCUDAHost
        raise WrongType(f"{what} must be in host memory, and DLPack says that it is on a device of kind {kind}")
    try:
        array = np.from_dlpack(value) if by_dlpack else np.asarray(value, wanted)
    except (TypeError, ValueError, OverflowError, BufferError) as error:
        raise WrongType(f"{what} can't be made an array of: {error}") from None
    if array.dtype == object and wanted != object and not hasattr(value, "dtype"):
        raise WrongType(f"{what} can't be made an array of: its elements have no type in common, or no shape")
    return array


def memory_of(array: np.ndarray, dtype: DType) -> np.ndarray:
    """The elements as the library reads them: contiguous in row-major order, of this machine's bytes, packed below 8 bits."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = array.copy("C")  # np.ascontiguousarray would give scalars a dimension
    return pack(array, PACKED_BITS[dtype]) if dtype in PACKED_BITS else array


def address_of(memory: np.ndarray) -> int:
    try:
        return c.addressof(c.c_char.from_buffer(memory))
    except (TypeError, ValueError, BufferError):  # read-only, without elements, or of a type that has no buffer
        return memory.ctypes.data  # the same, ten times slower


def pack(array: np.ndarray, bits: int) -> np.ndarray:
    per_byte = 8 // bits
    elements = np.zeros(-(-array.size // per_byte) * per_byte, np.uint8)
    elements[: array.size] = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(elements.reshape(-1, per_byte) << shifts, axis=1, dtype=np.uint8)


def unpack(packed: np.ndarray, dtype: DType, shape: tuple[int, ...]) -> np.ndarray:
    bits = PACKED_BITS[dtype]
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    elements = (packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)
    count = int(np.prod(shape, dtype=np.int64))
    return elements.reshape(-1)[:count].view(dtype.numpy).reshape(shape)


def empty_memory(dtype: DType, shape: tuple[int, ...]) -> np.ndarray:
    """Memory to be filled by the library, for array_of."""
    if dtype in PACKED_BITS:
        dtype.numpy  # that it can't be unpacked is told before it is computed
        return np.empty(-(-int(np.prod(shape, dtype=np.int64)) * PACKED_BITS[dtype] // 8), np.uint8)
    return np.empty(shape, dtype.numpy)


def array_of(memory: np.ndarray, dtype: DType, shape: tuple[int, ...]) -> np.ndarray:
    return unpack(memory, dtype, shape) if dtype in PACKED_BITS else memory


def shape_of(value: Any, what: str) -> tuple[int, ...]:
    """Dimensions, each a number that fits; whether they are negative is the library's to say."""
    try:
        dims = tuple(value)
        dims = tuple(dim.__index__() for dim in dims)
    except (TypeError, AttributeError):
        raise WrongType(f"{what} must be a sequence of integers, not {value!r}") from None
    for dim in dims:
        if not -(2**63) <= dim < 2**63:
            raise InvalidArgument(f"{what} = {list(dims)} has a dimension beyond 64 bits")
    return dims
