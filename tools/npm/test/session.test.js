// SPDX-License-Identifier: Apache-2.0
// What the package computes, and what it refuses. `npm test`, with a library in lib or in the folder VKONNX_LIBRARY.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { Session, VkonnxError, devices, version } = require("..");

// --------------------------------------------------------------- models, in the wire format of protobuf: a key, a length, the bytes

const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)]);
const bytes = (key, data) => Buffer.concat([Buffer.from([...varint((key << 3) | 2), ...varint(Buffer.byteLength(data))]), Buffer.from(data)]);
const number = (key, value) => Buffer.from([...varint(key << 3), ...varint(value)]);
function value(name, type, dims) {
  const shape = dims.map((one) => bytes(1, typeof one === "string" ? bytes(2, one) : number(1, one)));
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, Buffer.concat([number(1, type), bytes(2, Buffer.concat(shape))])))]);
}
function model({ op, inputs, outputs, ints = {}, opset = 21 }) {
  const attributes = Object.entries(ints).map(([name, values]) =>
    bytes(5, Buffer.concat([bytes(1, name), ...values.map((one) => number(8, one)), number(20, 7)])));
  const node = Buffer.concat([...inputs.map(([name]) => bytes(1, name)), ...outputs.map(([name]) => bytes(2, name)), bytes(4, op), ...attributes]);
  const graph = Buffer.concat([bytes(1, node), bytes(2, "graph"), ...inputs.map((one) => bytes(11, value(...one))),
    ...outputs.map((one) => bytes(12, value(...one)))]);
  return Buffer.concat([number(1, 8), bytes(7, graph), bytes(8, number(2, opset))]);
}
const FLOAT = 1, INT64 = 7, STRING = 8, FLOAT16 = 10;
const half = model({ op: "AveragePool", inputs: [["X", FLOAT, [1, 3, "h", "w"]]], outputs: [["Y", FLOAT, [1, 3, "a", "b"]]],
  ints: { kernel_shape: [2, 2], strides: [2, 2] } });
const reshape = model({ op: "Reshape", inputs: [["X", FLOAT, ["n"]], ["S", INT64, [2]]], outputs: [["Y", FLOAT, ["a", "b"]]] });
const identity = (type) => model({ op: "Identity", inputs: [["X", type, ["n"]]], outputs: [["Y", type, ["n"]]] });
const picture = { dims: [1, 3, 2, 2], data: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) };

function refused(code, sentence, action) {
  assert.throws(action, (error) => {
    assert.ok(error instanceof VkonnxError, error);
    assert.equal(error.code, code);
    assert.match(error.message, sentence);
    return true;
  });
}

test("the README's example prints what its comment says", () => {
  const [, code] = fs.readFileSync(path.join(__dirname, "..", "README.md"), "utf8").match(/```js\n(.*?)```/s);
  const printed = [];
  const load = (name) => {
    assert.equal(name, "vkonnx");
    return { Session: class extends Session { constructor() { super(half); } } };
  };
  new Function("require", "console", code)(load, { log: (...all) => printed.push(all) });
  assert.deepEqual(printed, [[[1, 3, 1, 1], Float32Array.from([2.5, 6.5, 10.5])]]);
});

test("devices are listed, and the session tells its own", () => {
  const all = devices();
  const one = all.find(({ rejected }) => rejected === "");
  assert.match(one.apiVersion, /^1\.\d+\.\d+$/);
  const session = new Session(half, { device: `uuid:${one.uuid}` });
  assert.equal(session.device.uuid, one.uuid);
  assert.deepEqual(session.inputs, [{ name: "X", type: "float32", dims: [1, 3, -1, -1], decidesDimensions: false }]);
  assert.deepEqual(session.outputs.map(({ name }) => name), ["Y"]);
  assert.match(version, /^\d+\.\d+\.\d+$/);
  refused("no_device", /no device fits 'none of them'/, () => new Session(half, { device: "none of them" }));
});

test("other shapes are prepared when they come", () => {
  const session = new Session(new Uint8Array(half));
  for (const extent of [2, 4, 2]) {
    const { Y } = session.run({ X: { dims: [1, 3, extent, extent], data: new Float32Array(3 * extent * extent).fill(extent) } });
    assert.deepEqual(Y, { type: "float32", dims: [1, 3, extent / 2, extent / 2], data: new Float32Array((3 * extent * extent) / 4).fill(extent) });
  }
});

test("elements that decide dimensions are part of what is prepared", () => {
  const session = new Session(reshape);
  const X = { dims: [6], data: Float32Array.from([0, 1, 2, 3, 4, 5]) };
  for (const dims of [[2, 3], [3, 2], [2, 3]]) {
    const { Y } = session.run({ X, S: { dims: [2], data: BigInt64Array.from(dims, BigInt) } });
    assert.deepEqual(Y, { type: "float32", dims, data: X.data });
  }
});

test("types without an array of their own, and nothing at all", () => {
  const halves = { type: "float16", dims: [2], data: Uint16Array.from([0x3c00, 0xc000]) };
  assert.deepEqual(new Session(identity(FLOAT16)).run({ X: halves }).Y, halves);
  const texts = { type: "string", dims: [3], data: ["one", "", "drei\0é"] };
  assert.deepEqual(new Session(identity(STRING)).run({ X: texts }).Y, texts);
  const none = { type: "float32", dims: [0], data: new Float32Array(0) };
  assert.deepEqual(new Session(identity(FLOAT)).run({ X: none }).Y, none);
});

test("runAsync runs one after the other, and close waits for it", async () => {
  const session = new Session(half);
  const runs = [2, 4, 2].map((extent) =>
    session.runAsync({ X: { dims: [1, 3, extent, extent], data: new Float32Array(3 * extent * extent).fill(extent) } }));
  refused("invalid_argument", /a run of runAsync has not ended/, () => session.run({ X: picture }));
  const bad = session.runAsync({ Z: picture });
  await assert.rejects(bad, /the model has no input 'Z'; it has 'X'/);
  assert.deepEqual((await Promise.all(runs)).map(({ Y }) => Y.data[0]), [2, 4, 2]);
  const last = session.runAsync({ X: picture });
  await Promise.resolve();
  await Promise.resolve();
  session.close();
  session.close();
  assert.equal((await last).Y.data[0], 2.5);
  await assert.rejects(session.runAsync({ X: picture }), /the session is closed/);
});

test("what is wrong is refused by a sentence", () => {
  refused("io", /cannot read '.*none\.onnx'/, () => new Session(path.join(__dirname, "none.onnx")));
  refused("invalid_argument", /the model must be a path, or the bytes/, () => new Session(7));
  const session = new Session(half);
  const run = (X) => () => session.run({ X });
  refused("invalid_argument", /input 'X': it has 20 bytes, float\[1,3,2,2\] needs 48/, run({ ...picture, data: new Float32Array(5) }));
  refused("invalid_argument", /input 'X': it has type double/, run({ ...picture, data: new Float64Array(12) }));
  refused("invalid_argument", /input 'X' must be \{dims, data\}/, run(null));
  refused("invalid_argument", /dims has 1\.5, and must have whole numbers/, run({ ...picture, dims: [1.5] }));
  refused("invalid_argument", /there is no type 'float'; there are float32, /, run({ ...picture, type: "float" }));
  refused("invalid_argument", /data of type int64 must be in a BigInt64Array/, run({ ...picture, type: "int64" }));
  refused("invalid_argument", /data must be a typed array, or an array of strings/, run({ ...picture, data: "abc" }));
  refused("invalid_argument", /input 'X' is missing/, () => session.run({}));
  session.close();
  refused("invalid_argument", /the session is closed/, run(picture));
});
