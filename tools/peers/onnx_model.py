"""The bytes of a one-node ONNX model: the few parts of protobuf's wire format that it takes, so that `onnx` isn't needed."""

FLOAT = 1  # TensorProto.FLOAT
INT, INTS = 2, 7  # AttributeProto.Type
OPERATORS = {"conv": "Conv", "conv_transpose": "ConvTranspose", "average_pool": "AveragePool", "max_pool": "MaxPool", "gemm": "Gemm",
             "matmul": "MatMul"}


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1  # negative numbers take ten bytes
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, int):
        return block(1, name) + number(3, value) + number(20, INT)
    return block(1, name) + block(8, b"".join(varint(n) for n in value)) + number(20, INTS)


def tensor(name, array):
    return block(1, b"".join(varint(n) for n in array.shape)) + number(2, FLOAT) + block(8, name) + block(9, array.tobytes())


def value_info(name, dims):
    shape = b"".join(block(1, number(1, n)) for n in dims)
    return block(1, name) + block(2, block(1, number(1, FLOAT) + block(2, shape)))


def build_model(p, inputs, opset=22):
    """X is the model's input; weights and bias are constants, as they are in models, so that a runtime may pack them."""
    _, w, b = inputs
    constants = [(name, array) for name, array in (("w", w), ("b", b)) if array is not None]
    node = b"".join(block(1, name) for name in ["x"] + [name for name, _ in constants]) + block(2, "y")
    node += block(4, OPERATORS[p.op])
    scalars = ("group", "ceil_mode", "count_include_pad", "transB")
    for key, value in p.attributes.items():
        if key != "opset":
            node += block(5, attribute(key, value[0] if key in scalars else value))
    graph = block(1, node) + block(2, p.name) + b"".join(block(5, tensor(name, array)) for name, array in constants)
    graph += block(11, value_info("x", p.x)) + block(12, value_info("y", p.y))
    return number(1, 10) + block(7, graph) + block(8, block(1, "") + number(2, opset))
