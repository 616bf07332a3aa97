# SPDX-License-Identifier: Apache-2.0
import ml_dtypes
import numpy as np
import pytest
import vkonnx
from conftest import SELECT
from vkonnx import DType
from vkonnx._dtypes import memory_of

PLAIN = ["float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool",
         "complex64", "complex128"]  # fmt: skip
EIGHT_AND_MORE = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
PACKED = ["int4", "uint4", "int2", "uint2", "float4_e2m1fn"]


def numbers(dtype, shape):
    return (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)


@pytest.mark.parametrize("shape", [(2, 3), (5,), (), (0, 3)])
@pytest.mark.parametrize("name", PLAIN + EIGHT_AND_MORE + PACKED)
def test_every_type_comes_back(device, name, shape):
    array = numbers(np.dtype(getattr(ml_dtypes, name, name)), shape)
    tensor = device.tensor(array)
    back = tensor.numpy()
    assert (tensor.shape, tensor.dtype, tensor.ndim) == (shape, array.dtype, len(shape))
    assert back.dtype == array.dtype and back.shape == shape
    assert back.tobytes() == array.tobytes()


def test_elements_below_a_byte_are_packed_lowest_bits_first():
    packed = memory_of(np.array([1, -8, 7], ml_dtypes.int4), DType.int4)
    assert packed.tolist() == [0x81, 0x07]
    packed = memory_of(np.array([1, 2, 3, 0, 3], ml_dtypes.uint2), DType.uint2)
    assert packed.tolist() == [0b00111001, 0b11]


def test_any_order_of_elements_is_read_as_what_it_means(device):
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for one in (np.asfortranarray(array), array[::-1, :, ::-2], array.T, array.astype(">f4"), array[1:, 2:, :0],
                np.broadcast_to(array[:, :1], (2, 3, 4))):  # fmt: skip
        back = device.tensor(one).numpy()
        assert back.dtype == np.float32
        np.testing.assert_array_equal(back, one)


def test_read_only_arrays_are_read(device):
    array = np.arange(6.0)
    array.flags.writeable = False
    np.testing.assert_array_equal(device.tensor(array).numpy(), array)


def test_elements_between_words_are_copied_to_words():
    array = np.frombuffer(b"." + np.arange(3.0).tobytes(), np.float64, offset=1)
    assert not array.flags.aligned
    memory = memory_of(array, DType.float64)
    assert memory.flags.aligned and memory.tolist() == [0, 1, 2]


def test_lists_and_numbers_become_arrays(device):
    assert device.tensor([[1.0, 2.0]]).numpy().tolist() == [[1, 2]]
    assert device.tensor(3).numpy().shape == ()
    np.testing.assert_array_equal(np.asarray(device.tensor([1.5, 2])), [1.5, 2])
    assert np.asarray(device.tensor([1.5, 2]), dtype=np.int8).dtype == np.int8


@pytest.mark.parametrize("array", [np.zeros(3, "datetime64[s]"), np.zeros(3, "timedelta64[s]"), np.zeros(3, "i4,f4"),
                                   np.zeros(3, np.longdouble)])  # fmt: skip
def test_types_that_onnx_does_not_have(device, array):
    if array.dtype == np.float64:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(vkonnx.WrongType) as error:
        device.tensor(array)
    assert str(error.value) == f"vkonnx has no element type for NumPy's {array.dtype}"


def test_what_is_no_array(device):
    with pytest.raises(vkonnx.WrongType, match="^Device.tensor: the array can't be made an array of: "):
        device.tensor([[1, 2], [3]])
    with pytest.raises(vkonnx.WrongType, match="no type in common, or no shape"):
        device.tensor([1, None])


def test_strings_are_not_for_devices(device):
    with pytest.raises(vkonnx.InvalidArgument, match="elements of type string have no fixed size"):
        device.tensor(np.array(["a", "b"]))


def test_uploads_replace_all_elements(device):
    tensor = device.empty((2, 2), "int32")
    tensor.upload(np.arange(4, dtype=np.int32).reshape(2, 2))
    assert tensor.numpy().tolist() == [[0, 1], [2, 3]]
    tensor.upload([[4, 5], [6, 7]])
    assert tensor.numpy().tolist() == [[4, 5], [6, 7]]
    with pytest.raises(vkonnx.InvalidArgument) as error:
        tensor.upload(np.zeros((2, 3), np.int32))
    assert str(error.value) == "Tensor.upload: the array is int32[2,3], the Tensor int32[2,2]"
    with pytest.raises(vkonnx.InvalidArgument, match=r"the array is double\[2,2\], the Tensor int32\[2,2\]"):
        tensor.upload(np.zeros((2, 2)))
    assert tensor.numpy().tolist() == [[4, 5], [6, 7]]


def test_views_share_memory(device):
    tensor = device.tensor(np.arange(6, dtype=np.float32))
    view = tensor.view((2, 3))
    tensor.upload(np.full(6, 7, np.float32))
    assert view.numpy().tolist() == [[7, 7, 7], [7, 7, 7]]
    tensor.close()
    assert view.numpy().tolist() == [[7, 7, 7], [7, 7, 7]]
    with pytest.raises(vkonnx.InvalidArgument):
        view.view((4,))
    with pytest.raises(vkonnx.WrongType, match="Tensor.view: shape must be a sequence of integers, not 6"):
        view.view(6)


def test_dtypes_have_names_without_numpy(device):
    assert device.empty((2,), "bfloat16").element_type is DType.bfloat16
    assert device.empty((2,), DType.float8e5m2).element_type is DType.float8e5m2
    assert device.empty((2,), float).element_type is DType.float64
    assert device.empty((2,), "float").element_type is DType.float64  # NumPy's meaning, not ONNX's
    assert device.empty((2,), ml_dtypes.int4).element_type is DType.int4
    for wrong in ("no such", 1, object()):
        with pytest.raises(vkonnx.WrongType):
            device.empty((2,), wrong)


@pytest.mark.parametrize("shape, sentence", [((-1, 2), "dims"), ((2**64,), "beyond 64 bits"),
                                             ((1.5,), "sequence of integers"), ("ab", "sequence of integers")])  # fmt: skip
def test_shapes_that_are_none(device, shape, sentence):
    with pytest.raises(vkonnx.InvalidArgument, match=sentence):
        device.empty(shape)


def test_shapes_that_are_too_large(device):
    for shape in ((2**62, 2**62), (2**31,)):
        with pytest.raises(vkonnx.Unsupported):
            device.empty(shape)


def test_layouts(device):
    assert device.empty((1, 2, 3), layout="NXC").layout == "NXC"
    with pytest.raises(vkonnx.InvalidArgument, match="layout = 'NHWC' must be NCX or NXC"):
        device.empty((1, 2, 3), layout="NHWC")


def test_memory_goes_with_close_and_with_the_last_reference():
    with vkonnx.Device(SELECT) as own:  # nothing else's garbage goes meanwhile
        before = own.memory().used
        tensor = own.empty((1024, 1024))
        assert own.memory().used == before + 4 * 1024 * 1024
        tensor.close()
        assert own.memory().used == before
        tensor = own.empty((1024, 1024))
        del tensor
        assert own.memory().used == before
        with own.empty((1024, 1024)):
            assert own.memory().used > before
        assert own.memory().used == before


def test_closed_tensors_say_so(device):
    tensor = device.empty((2,))
    tensor.close()
    tensor.close()
    for call in (tensor.numpy, lambda: tensor.upload(np.zeros(2, np.float32)), lambda: tensor.view((2,)),
                 lambda: np.asarray(tensor), lambda: vkonnx.ops.relu(tensor)):  # fmt: skip
        with pytest.raises(vkonnx.InvalidArgument, match="^the Tensor is closed$"):
            call()
    assert repr(tensor) == "<vkonnx.Tensor float[2] (closed)>"


def test_no_copy_is_refused(device):
    with pytest.raises(ValueError, match="without a copy"):
        device.empty((2,)).__array__(copy=False)


class OnlyDlpack:
    """What another library hands over by DLPack and by nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.device


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy 1.22 knows DLPack")
def test_dlpack(device):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = device.tensor(OnlyDlpack(array))
    assert tensor.shape == (2, 3) and np.array_equal(tensor.numpy(), array)
    assert np.array_equal(vkonnx.ops.add(OnlyDlpack(array), OnlyDlpack(array), device=device), 2 * array)
    with pytest.raises(vkonnx.WrongType, match="the array must be in host memory, and DLPack says .* kind 2"):
        device.tensor(OnlyDlpack(array, device=(2, 0)))  # CUDA's

    assert tensor.__dlpack_device__() == (1, 0)
    assert np.array_equal(np.from_dlpack(tensor), array)
    for refused in ({"copy": False}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError, match="the elements are in device memory"):
            tensor.__dlpack__(**refused)
