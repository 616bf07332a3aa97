"""PyTorch on CUDA: cuDNN with benchmark mode, TF32 off and on, contiguous and channels_last. Timed by CUDA events."""

from .problem import Unsupported


class Peer:
    clock = "device"

    def __init__(self, options, tf32=False, channels_last=False):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("torch is installed but sees no CUDA device")
        self.torch, self.tf32, self.channels_last = torch, tf32, channels_last
        self.tolerance = 5e-3 if tf32 else 1e-4  # TF32 keeps ten bits of each factor
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
                return call().cpu().numpy()

        def seconds():
            """Of one call: enough of them between two events that their resolution (0.5 us) does not matter."""
            self.configure()
            with torch.inference_mode():
                repeats = 1
                while True:
                    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                    begin.record()
                    for _ in range(repeats):
                        call()
                    end.record()
                    torch.cuda.synchronize()
                    elapsed = begin.elapsed_time(end) / 1e3
                    if elapsed > 0.01 or repeats >= 1000:
                        return elapsed / repeats
                    repeats = min(1000, max(2 * repeats, int(repeats * 0.012 / max(elapsed, 1e-6))))

        run.seconds = seconds
        return run
