"""ncnn, on the CPU and on the Vulkan device that vkonnx-bench used. f32 throughout; Vulkan times include upload and download."""

import os
import tempfile

from .problem import Unsupported

# Parameter ids of ncnn's layers, for the axes w, h, d.
KERNEL, DILATION, STRIDE = (1, 11, 21), (2, 12, 22), (3, 13, 23)
CONV_BEGIN, CONV_END, DECONV_EXTRA = (4, 14, 24), (15, 16, 17), (18, 19, 20)
POOL_STRIDE, POOL_BEGIN, POOL_END = (2, 12, 22), (3, 13, 23), (14, 15, 16)
# Of its input's extents, outermost first.
INPUT = {1: (0,), 2: (1, 0), 3: (2, 1, 0), 4: (2, 11, 1, 0)}


def per_axis(ids, values):
    return [f"{key}={value}" for key, value in zip(ids, reversed(values))]  # ncnn counts axes from the innermost


def layer_text(p, weights):
    if p.is_product:
        return f"InnerProduct op 1 1 x y 0={p.y[-1]} 1={int(p.bias)} 2={weights}"
    suffix = {1: "1D", 2: "", 3: "3D"}[p.rank]
    if p.is_pool:
        if any(d != 1 for d in p.dilations):
            raise Unsupported("ncnn's pooling has no dilation")
        words = [f"Pooling{suffix} op 1 1 x y 0={int(p.op == 'average_pool')} 5=1 6={p.count_include_pad}"]
        return " ".join(words + per_axis(KERNEL, p.kernel) + per_axis(POOL_STRIDE, p.strides) + per_axis(POOL_BEGIN, p.begins) +
                        per_axis(POOL_END, p.ends))
    grouped = "DepthWise" if p.group > 1 else ""
    kind = "Convolution" if p.op == "conv" else "Deconvolution"
    words = [f"{kind}{grouped}{suffix} op 1 1 x y 0={p.y[1]} 5={int(p.bias)} 6={weights}"]
    words += [f"7={p.group}"] if p.group > 1 else []
    words += per_axis(DECONV_EXTRA, p.output_padding) if p.op == "conv_transpose" else []
    return " ".join(words + per_axis(KERNEL, p.kernel) + per_axis(DILATION, p.dilations) + per_axis(STRIDE, p.strides) +
                    per_axis(CONV_BEGIN, p.begins) + per_axis(CONV_END, p.ends))


def weight_bytes(p, inputs):
    """A word that says raw f32, then the weights, group by group with output channels outermost, then the bias."""
    _, w, b = inputs
    if w is None:
        return b""
    if p.is_product and not p.trans_b:
        w = w.T
    if p.op == "conv_transpose":
        w = w.reshape([p.group, p.x[1] // p.group, p.w[1]] + p.kernel).swapaxes(1, 2)
    return bytes(4) + w.tobytes() + (b.tobytes() if b is not None else b"")


class Peer:
    clock = "wall"
    tolerance = 1e-4

    def __init__(self, options, vulkan=False):
        import ncnn
        import numpy

        self.ncnn, self.numpy, self.vulkan, self.device = ncnn, numpy, vulkan, 0
        self.name = "ncnn Vulkan" if vulkan else "ncnn CPU"
        self.version = f"ncnn {ncnn.__version__}" + (", Vulkan" if vulkan else ", CPU")
        if vulkan:
            names = [ncnn.get_gpu_info(i).device_name() for i in range(ncnn.get_gpu_count())]
            if options.device_name not in names:
                raise ImportError(f"ncnn does not see the device \"{options.device_name}\"; it sees {names}")
            self.device = names.index(options.device_name)
            self.version += f" on {options.device_name}"

    def prepare(self, p, inputs):
        if p.rank > 3:
            raise Unsupported("ncnn has three spatial axes at most")
        net = self.ncnn.Net()
        net.opt.use_vulkan_compute = self.vulkan
        for key in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage", "use_bf16_packed"):
            if hasattr(net.opt, key):
                setattr(net.opt, key, False)
        if self.vulkan:
            net.set_vulkan_device(self.device)
        axes = " ".join(f"{key}={n}" for key, n in zip(INPUT[len(p.x) - 1], p.x[1:]))
        text = f"7767517\n2 2\nInput x 0 1 x {axes}\n"
        text += layer_text(p, inputs[1].size if inputs[1] is not None else 0) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "model")
            with open(place + ".param", "w", encoding="ascii") as file:
                file.write(text)
            with open(place + ".bin", "wb") as file:
                file.write(weight_bytes(p, inputs))
            if net.load_param(place + ".param") != 0 or net.load_model(place + ".bin") != 0:
                raise Unsupported(f"ncnn has no layer {text.splitlines()[3].split()[0]} here")
        if self.vulkan and not net.layers()[-1].support_vulkan:
            raise Unsupported(f"ncnn has no Vulkan form of {text.splitlines()[3].split()[0]}")
        # There is no batch: the images of one run one after another.
        mats = [self.ncnn.Mat(image).clone() for image in inputs[0]]

        def run_one(mat):
            extractor = net.create_extractor()
            extractor.input("x", mat)
            code, result = extractor.extract("y")
            if code != 0:
                raise Unsupported(f"ncnn gives up with code {code}")
            return result

        def run():
            return self.numpy.stack([self.numpy.array(run_one(mat)).reshape(p.y[1:]) for mat in mats])

        return run
