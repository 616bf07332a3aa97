"""PyTorch on CUDA: cuDNN with benchmark mode, TF32 off and on, contiguous and channels_last, in float32 or float16. Timed by events."""

from .problem import Unsupported

REPEATS = 20  # calls between two events, whose resolution is 0.5 us


class Peer:
    clock = "device"

    def __init__(self, options, tf32=False, channels_last=False):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("torch is installed but sees no CUDA device")
        self.torch, self.tf32, self.channels_last, self.half = torch, tf32, channels_last, options.type == "f16"
        if self.half and tf32:
            raise ImportError("TF32 is for float32")
        self.tolerance = 5e-3 if tf32 or self.half else 1e-4  # both keep ten bits of each factor
        self.name = "torch" + (" TF32" if tf32 else "") + (" CL" if channels_last else "")
        self.version = (f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name()}, "
                        f"TF32 {'on' if tf32 else 'off'}, {'channels_last' if channels_last else 'contiguous'}")

    def configure(self):
        cudnn = self.torch.backends.cudnn
        cudnn.benchmark = True
        cudnn.allow_tf32 = self.tf32
        self.torch.backends.cuda.matmul.allow_tf32 = self.tf32

    def on_device(self, array, rank):
        if array is None:
            return None
        tensor = self.torch.from_numpy(array).cuda()
        tensor = tensor.half() if self.half else tensor
        if not self.channels_last or array.ndim != rank + 2:
            return tensor
        return tensor.contiguous(memory_format=self.torch.channels_last if rank == 2 else self.torch.channels_last_3d)

    def operator(self, p, inputs):
        functional = self.torch.nn.functional
        x, w, b = (self.on_device(array, p.rank) for array in inputs)
        if p.is_product:
            w = w.T if p.trans_b else w
            return lambda: x @ w if b is None else self.torch.addmm(b, x, w)
        if p.op == "conv":
            conv = getattr(functional, f"conv{p.rank}d")
            return lambda: conv(x, w, b, p.strides, p.begins, p.dilations, p.group)
        if p.op == "max_pool":
            pool = getattr(functional, f"max_pool{p.rank}d")
            return lambda: pool(x, p.kernel, p.strides, p.begins, p.dilations)
        if p.op == "average_pool":
            if any(d != 1 for d in p.dilations):
                raise Unsupported("PyTorch's pooling has no dilation")
            pool = getattr(functional, f"avg_pool{p.rank}d")
            return lambda: pool(x, p.kernel, p.strides, p.begins, False, bool(p.count_include_pad))
        conv = getattr(functional, f"conv_transpose{p.rank}d")
        return lambda: conv(x, w, b, p.strides, p.begins, p.output_padding, p.group, p.dilations)

    def prepare(self, p, inputs):
        if p.rank > 3:
            raise Unsupported("PyTorch has three spatial axes at most")
        if self.channels_last and p.rank < 2:
            raise Unsupported("channels_last is for two and three spatial axes")
        if p.begins != p.ends:
            raise Unsupported("PyTorch has no asymmetric pads")
        torch = self.torch
        self.configure()
        call = self.operator(p, inputs)

        def run():
            self.configure()  # another variant may have run in between
            with torch.inference_mode():
                return call().float().cpu().numpy()

        def seconds():
            """Of one call. A graph of CUDA holds many of them: launched one by one from Python, small ones would wait for the host."""
            self.configure()
            with torch.inference_mode():
                if not graphs:
                    side = torch.cuda.Stream()
                    with torch.cuda.stream(side):
                        for _ in range(3):  # cuDNN chooses its algorithm, and memory is allocated
                            call()
                    torch.cuda.synchronize()
                    graphs.append(torch.cuda.CUDAGraph())
                    with torch.cuda.graph(graphs[0]):
                        for _ in range(REPEATS):
                            call()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                graphs[0].replay()
                end.record()
                torch.cuda.synchronize()
                return begin.elapsed_time(end) / 1e3 / REPEATS

        graphs = []
        run.seconds = seconds
        return run
