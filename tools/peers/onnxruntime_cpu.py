"""ONNX Runtime's own CPU kernels, from Python."""

from .onnx_model import build_model
from .problem import Unsupported


class Peer:
    name = "ORT CPU"
    clock = "wall"
    tolerance = 1e-4

    def __init__(self, options):
        import onnxruntime

        self.ort = onnxruntime
        self.version = f"ONNX Runtime {onnxruntime.__version__}, CPUExecutionProvider"

    def prepare(self, p, inputs):
        try:
            session = self.ort.InferenceSession(build_model(p, inputs), providers=["CPUExecutionProvider"])
        except Exception as error:
            raise Unsupported(str(error).splitlines()[0]) from None
        return lambda: session.run(None, {"x": inputs[0]})[0]
