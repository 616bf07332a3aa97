"""ONNX Runtime's WebGPU provider, which the npm package onnxruntime-node holds: `npm install --ignore-scripts onnxruntime-node`
in a folder that --node-modules names. One node process serves all cases; its times include upload and download."""

import json
import os
import shutil
import subprocess
import tempfile

from .onnx_model import build_model
from .problem import Unsupported

SERVER = r"""
const ort = require('onnxruntime-node'), fs = require('fs');
const say = (answer) => process.stdout.write('@' + JSON.stringify(answer) + '\n');
let session, input;
async function answer(order) {
  if (order.load) {
    if (session) await session.release();
    session = undefined;
    // Without this, what the provider can't do would quietly be done, and timed, on the CPU.
    const extra = {session: {disable_cpu_ep_fallback: '1'}};
    session = await ort.InferenceSession.create(order.load, {executionProviders: ['webgpu'], extra});
    const bytes = fs.readFileSync(order.x);
    input = new ort.Tensor('float32', new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), order.dims);
    return {};
  }
  const begin = process.hrtime.bigint();
  const y = (await session.run({x: input})).y;
  const data = await y.getData();
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  if (order.out) fs.writeFileSync(order.out, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return {seconds, dims: y.dims};
}
(async () => {
  for await (const line of require('readline').createInterface({input: process.stdin}))
    try { say(await answer(JSON.parse(line))); } catch (error) { say({error: String(error.message || error)}); }
})();
say({ready: require('onnxruntime-node/package.json').version});
"""


class Peer:
    name = "ORT WebGPU"
    clock = "wall"
    tolerance = 1e-4

    def __init__(self, options):
        if not shutil.which("node"):
            raise ImportError("node is not installed")
        if not options.node_modules:
            raise ImportError("--node-modules names no folder with onnxruntime-node (npm install --ignore-scripts onnxruntime-node)")
        environment = dict(os.environ, NODE_PATH=os.path.abspath(options.node_modules))
        if options.webgpu_driver:
            environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"] = options.webgpu_driver
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(["node", "-e", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)
        try:
            self.version = f"onnxruntime-node {self.answer()['ready']}, webgpu"
        except Unsupported as error:
            raise ImportError(f"onnxruntime-node can't be loaded from {options.node_modules} ({error})") from None

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("@"):  # whatever else the runtime prints
                found = json.loads(line[1:])
                if "error" in found:
                    raise Unsupported(found["error"].splitlines()[0])
                return found
        raise Unsupported(f"the node process ended with code {self.process.wait()}")

    def ask(self, **order):
        if self.process.poll() is not None:
            raise Unsupported(f"the node process ended with code {self.process.returncode}")
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def prepare(self, p, inputs):
        import numpy

        place = os.path.join(self.folder.name, p.name)
        with open(place + ".onnx", "wb") as file:
            file.write(build_model(p, inputs, opset=21))  # the provider knows no newer ConvTranspose
        inputs[0].tofile(place + ".x")
        self.ask(load=place + ".onnx", x=place + ".x", dims=p.x)

        def run():
            dims = self.ask(out=place + ".y")["dims"]
            return numpy.fromfile(place + ".y", dtype=numpy.float32).reshape(dims)

        # Timed inside of node, so that the pipe between us does not count.
        run.seconds = lambda: self.ask()["seconds"]
        return run
