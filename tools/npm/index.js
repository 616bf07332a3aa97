// SPDX-License-Identifier: Apache-2.0
// vkonnx in Node: models on any Vulkan device, by the library of C and koffi. index.d.ts describes what is exported.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const koffi = require("koffi");

// ------------------------------------------------------------------------------------------------------- the library

// A report of Node for glibc has glibc's version, and one for musl has not.
function platformFolder() {
  const musl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  return `${process.platform}-${process.arch}${musl ? "-musl" : ""}`;
}

// The number is that of the interface of C, whose rules vkonnx.h has.
function fileName(stem) {
  return { win32: `${stem}.dll`, darwin: `lib${stem}.0.dylib` }[process.platform] ?? `lib${stem}.so.0`;
}

// Libraries come from the folder VKONNX_LIBRARY and nowhere else where that is set, else from this package. There one has all functions.
const folder = process.env.VKONNX_LIBRARY || path.join(__dirname, "lib", platformFolder());
const libraries = ["vkonnx_c", "vkonnx_onnx_c"]
  .map((stem) => path.join(folder, fileName(stem)))
  .filter((file) => fs.existsSync(file))
  .map((file) => koffi.load(file));
if (libraries.length === 0) throw new Error(`vkonnx: ${path.join(folder, fileName("vkonnx_c"))} is missing, the library for this system`);

function declare(prototype) {
  const name = prototype.match(/(\w+)\(/)[1];
  for (const library of libraries) {
    try {
      return library.func(prototype);
    } catch {
      // the other library has it
    }
  }
  throw new Error(`vkonnx: the library in ${folder} has no function ${name}: it is older than this package`);
}

const c = {
  version: declare("const char *vkonnx_version()"),
  statusCode: declare("int vkonnx_status_code(void *status)"),
  statusMessage: declare("const char *vkonnx_status_message(void *status)"),
  statusDestroy: declare("void vkonnx_status_destroy(void *status)"),
  codeName: declare("const char *vkonnx_code_name(int code)"),
  stringDestroy: declare("void vkonnx_string_destroy(void *text)"),
  cacheFolder: declare("void *vkonnx_default_cache_folder(_Out_ void **text)"),
  deviceList: declare("void *vkonnx_device_list(void *options, _Out_ void **infos)"),
  deviceInfosDestroy: declare("void vkonnx_device_infos_destroy(void *infos)"),
  deviceOpen: declare("void *vkonnx_device_open(void *options, _Out_ void **device)"),
  deviceInfo: declare("void *vkonnx_device_get_info(void *device)"),
  deviceDestroy: declare("void vkonnx_device_destroy(void *device)"),
  modelLoad: declare("void *vkonnx_model_load(const char *file, void *options, _Out_ void **model)"),
  modelParse: declare("void *vkonnx_model_parse(void *data, size_t bytes, void *options, _Out_ void **model)"),
  modelInputs: declare("void *vkonnx_model_get_inputs(void *model)"),
  modelOutputs: declare("void *vkonnx_model_get_outputs(void *model)"),
  modelDestroy: declare("void vkonnx_model_destroy(void *model)"),
  sessionPrepare: declare(
    "void *vkonnx_session_prepare(void *device, void *model, void *inputs, size_t n, void *options, _Out_ void **session)"),
  sessionRun: declare("void *vkonnx_session_run(void *session, void *inputs, size_t n, _Out_ void **outputs)"),
  sessionDestroy: declare("void vkonnx_session_destroy(void *session)"),
  hostTensorsDestroy: declare("void vkonnx_host_tensors_destroy(void *tensors)"),
};

// Structs begin with their size, by which the library knows how many members a program knows.
const struct = (members) => koffi.struct({ struct_size: "size_t", ...members });
const Desc = struct({ dtype: "int32_t", layout: "int32_t", rank: "size_t", dims: "void *" });
const HostTensor = struct({
  desc: "void *", data: "void *", bytes: "size_t", strings: "void *", string_sizes: "void *", string_count: "size_t",
});
const List = struct({ count: "size_t", items: "void *" }); // of each array that the library gives out
const ValueInfo = struct({
  name: "const char *", dtype: "int32_t", has_shape: "bool", rank: "size_t", dims: "void *", decides_dimensions: "bool",
});
const NamedDesc = struct({ name: "void *", desc: "void *", value: "void *", value_bytes: "size_t" });
const DeviceInfo = struct({
  index: "uint32_t", kind: "int32_t", name: "const char *", driver: "const char *", api_version: koffi.array("uint32_t", 3),
  uuid: "const char *", rejected: "const char *",
});
const DeviceOptions = struct({
  select: "void *", get_instance_proc_addr: "void *", capabilities: "void *", validation: "bool", debug_names: "bool",
  no_self_test: "bool", compiler_statistics: "bool", timeout_seconds: "double", max_memory: "uint64_t", allocation_callbacks: "void *",
  tunings: "void *", max_cached_pipelines: "int64_t", log: "void *", log_user: "void *", cache_folder: "void *",
});
const KINDS = ["other", "integrated_gpu", "discrete_gpu", "virtual_gpu", "cpu"];

// What a call reads is in buffers of JavaScript, which `held` keeps until it has returned.
function pack(held, type, value) {
  const memory = Buffer.alloc(koffi.sizeof(type));
  koffi.encode(memory, type, { struct_size: memory.length, ...value });
  held.push(memory, value);
  return memory;
}
function packList(held, items) {
  if (items.length === 0) return null;
  const memory = Buffer.alloc(koffi.sizeof("void *") * items.length);
  koffi.encode(memory, koffi.array("void *", items.length), items);
  held.push(memory, items);
  return memory;
}
function packText(held, text) {
  const memory = Buffer.from(`${text}\0`, "utf8");
  held.push(memory);
  return memory;
}
function readList(pointer, type) {
  const { count, items } = koffi.decode(pointer, List);
  return readArray(items, "void *", count).map((one) => koffi.decode(one, type));
}
function readArray(pointer, type, count) {
  return Number(count) === 0 ? [] : Array.from(koffi.decode(pointer, koffi.array(type, Number(count))));
}

/** What the library refuses or fails at: its one sentence, and in `code` the kind, as "invalid_argument" or "no_driver". */
class VkonnxError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "VkonnxError";
    this.code = code;
  }
}
function check(status) {
  if (!status) return;
  const error = new VkonnxError(c.codeName(c.statusCode(status)), c.statusMessage(status));
  c.statusDestroy(status);
  throw error;
}
function refuse(message) {
  throw new VkonnxError("invalid_argument", message);
}

// ------------------------------------------------------------------------------------------------------------ tensors

// The keys are the numbers of ONNX's TensorProto.DataType. Each type has a name, and the kind of array that holds its elements.
const TYPES = new Map([
  [1, { name: "float32", array: Float32Array }], [2, { name: "uint8", array: Uint8Array }], [3, { name: "int8", array: Int8Array }],
  [4, { name: "uint16", array: Uint16Array }], [5, { name: "int16", array: Int16Array }], [6, { name: "int32", array: Int32Array }],
  [7, { name: "int64", array: BigInt64Array }], [8, { name: "string", array: Array }], [9, { name: "bool", array: Uint8Array }],
  [10, { name: "float16", array: Uint16Array }], [11, { name: "float64", array: Float64Array }],
  [12, { name: "uint32", array: Uint32Array }], [13, { name: "uint64", array: BigUint64Array }],
  [16, { name: "bfloat16", array: Uint16Array }],
]);
const NUMBERS = new Map([...TYPES].map(([number, { name }]) => [name, number]));

function numberOf(input, tensor) {
  if (tensor.type !== undefined) {
    const names = [...NUMBERS.keys()].join(", ");
    return NUMBERS.get(tensor.type) ?? refuse(`input '${input}': there is no type '${tensor.type}'; there are ${names}`);
  }
  for (const [number, { array }] of TYPES) if (tensor.data instanceof array) return number;
  return refuse(`input '${input}': data must be a typed array, or an array of strings`);
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

// Returns the struct of a tensor that is given as {dims, data, type}; what is wrong with its elements is for the library to say.
function packTensor(held, input, tensor) {
  if (tensor === null || typeof tensor !== "object" || !Array.isArray(tensor.dims) || tensor.data === undefined)
    refuse(`input '${input}' must be {dims, data}, with dims an array of numbers`);
  for (const extent of tensor.dims)
    if (!Number.isSafeInteger(extent)) refuse(`input '${input}': dims has ${extent}, and must have whole numbers`);
  const dtype = numberOf(input, tensor);
  const { name, array } = TYPES.get(dtype);
  if (!(tensor.data instanceof array)) refuse(`input '${input}': data of type ${name} must be in a ${array.name}`);
  const dims = BigInt64Array.from(tensor.dims, BigInt);
  const desc = pack(held, Desc, { dtype, layout: 0, rank: dims.length, dims: dims.length ? dims : null });
  const elements = { data: null, bytes: 0, strings: null, string_sizes: null, string_count: 0 };
  if (array === Array) {
    const texts = tensor.data.map((text) => Buffer.from(String(text), "utf8"));
    // An empty buffer has no address.
    elements.strings = packList(held, texts.map((text) => (text.length ? text : packText(held, ""))));
    elements.string_sizes = texts.length ? BigUint64Array.from(texts, (text) => BigInt(text.length)) : null;
    elements.string_count = texts.length;
  } else if (tensor.data.length) {
    elements.data = tensor.data;
    elements.bytes = tensor.data.byteLength;
  }
  return { desc, ...elements, packed: pack(held, HostTensor, { desc, ...elements }) };
}

function readTensor(tensor) {
  const desc = koffi.decode(tensor.desc, Desc);
  const dims = readArray(desc.dims, "int64_t", desc.rank).map(Number);
  const known = TYPES.get(desc.dtype);
  const type = known ? known.name : String(desc.dtype); // its bytes, where JavaScript has no such type
  if (known && known.array === Array) {
    const sizes = readArray(tensor.string_sizes, "size_t", tensor.string_count).map(Number);
    const texts = readArray(tensor.strings, "void *", tensor.string_count);
    return { type, dims, data: texts.map((text, i) => (sizes[i] ? Buffer.from(koffi.view(text, sizes[i])).toString("utf8") : "")) };
  }
  const bytes = Number(tensor.bytes);
  const memory = bytes ? koffi.view(tensor.data, bytes).slice(0) : new ArrayBuffer(0); // a copy, in memory of JavaScript
  return { type, dims, data: new (known ? known.array : Uint8Array)(memory) };
}

// ------------------------------------------------------------------------------------------------------------ devices

function infoOf({ index, kind, name, driver, api_version, uuid, rejected }) {
  return { index, name, kind: KINDS[kind] ?? "other", driver, apiVersion: Array.from(api_version).join("."), uuid, rejected };
}

function devices() {
  const infos = [null];
  check(c.deviceList(null, infos));
  try {
    return readList(infos[0], DeviceInfo).map(infoOf);
  } finally {
    c.deviceInfosDestroy(infos[0]);
  }
}

function defaultCacheFolder() {
  const text = [null];
  check(c.cacheFolder(text));
  const path = koffi.decode(text[0], "char", -1);
  c.stringDestroy(text[0]);
  return path;
}

function openDevice({ device = process.env.VKONNX_DEVICE ?? "", cacheFolder = undefined, timeout = 0, maxMemory = 0 }) {
  const held = [];
  const options = pack(held, DeviceOptions, {
    select: packText(held, device), get_instance_proc_addr: null, capabilities: null, validation: false, debug_names: false,
    no_self_test: false, compiler_statistics: false, timeout_seconds: timeout, max_memory: maxMemory, allocation_callbacks: null,
    tunings: null, max_cached_pipelines: 0, log: null, log_user: null, cache_folder: packText(held, cacheFolder ?? defaultCacheFolder()),
  });
  const result = [null];
  check(c.deviceOpen(options, result));
  return result[0];
}

// ------------------------------------------------------------------------------------------------------------ sessions

function destroy({ session, device, model }) {
  if (session) c.sessionDestroy(session);
  c.modelDestroy(model);
  c.deviceDestroy(device);
}
// A session that nobody closes is destroyed some time after the last use of it.
const forgotten = new FinalizationRegistry(destroy);

class Session {
  #handles = null; // {device, model, session}: the session is prepared by the first run
  #running = Promise.resolve(); // ends when all runs of runAsync have
  #pending = 0; // of them
  #closed = false;

  constructor(model, options = {}) {
    const result = [null];
    if (typeof model === "string") check(c.modelLoad(model, null, result));
    else if (ArrayBuffer.isView(model)) check(c.modelParse(bytesOf(model), model.byteLength, null, result));
    else refuse("the model must be a path, or the bytes of a file in a typed array");
    try {
      this.#handles = { device: openDevice(options), model: result[0], session: null };
    } catch (error) {
      c.modelDestroy(result[0]);
      throw error;
    }
    forgotten.register(this, this.#handles, this);
    this.device = infoOf(koffi.decode(c.deviceInfo(this.#handles.device), DeviceInfo));
    const valuesOf = (list) => readList(list, ValueInfo).map(({ name, dtype, has_shape, rank, dims, decides_dimensions }) => ({
      name, type: TYPES.get(dtype)?.name ?? String(dtype), dims: has_shape ? readArray(dims, "int64_t", rank).map(Number) : null,
      decidesDimensions: decides_dimensions,
    }));
    this.inputs = valuesOf(c.modelInputs(this.#handles.model));
    this.outputs = valuesOf(c.modelOutputs(this.#handles.model));
  }

  run(inputs) {
    if (this.#pending > 0) refuse("a run of runAsync has not ended, and a session runs once at a time: await it first");
    const { held, list, count, names } = this.#prepare(inputs);
    const result = [null];
    check(c.sessionRun(this.#handles.session, list, count, result));
    void held;
    return this.#read(result[0], names);
  }

  runAsync(inputs) {
    // One after the other, because a session runs once at a time.
    const run = this.#running.then(() => new Promise((resolve, reject) => {
      const { held, list, count, names } = this.#prepare(inputs);
      const result = [null];
      c.sessionRun.async(this.#handles.session, list, count, result, (error, status) => {
        void held;
        try {
          if (error) throw error;
          check(status);
          resolve(this.#read(result[0], names));
        } catch (caught) {
          reject(caught);
        }
      });
    }));
    this.#pending += 1;
    this.#running = run.catch(() => {}).then(() => { this.#pending -= 1; });
    return run;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    forgotten.unregister(this);
    this.#running.then(() => destroy(this.#handles));
  }

  // Returns what a run is given, and prepares the session before the first one. Later ones prepare it for other shapes by themselves.
  #prepare(inputs) {
    if (this.#closed) refuse("the session is closed");
    for (const name of Object.keys(inputs))
      if (!this.inputs.some((input) => input.name === name))
        refuse(`the model has no input '${name}'; it has ${this.inputs.map((input) => `'${input.name}'`).join(", ")}`);
    const held = [];
    const tensors = this.inputs.map(({ name }) => {
      if (!(name in inputs)) refuse(`input '${name}' is missing`);
      return packTensor(held, name, inputs[name]);
    });
    if (this.#handles.session === null) {
      const descs = this.inputs.map(({ name, decidesDimensions }, i) => pack(held, NamedDesc, {
        name: packText(held, name), desc: tensors[i].desc,
        value: decidesDimensions ? tensors[i].data : null, value_bytes: decidesDimensions ? tensors[i].bytes : 0,
      }));
      const result = [null];
      const { device, model } = this.#handles;
      check(c.sessionPrepare(device, model, packList(held, descs), descs.length, null, result));
      this.#handles.session = result[0];
    }
    const list = packList(held, tensors.map(({ packed }) => packed));
    return { held, list, count: tensors.length, names: this.outputs.map(({ name }) => name) };
  }

  #read(outputs, names) {
    try {
      return Object.fromEntries(readList(outputs, HostTensor).map((tensor, i) => [names[i], readTensor(tensor)]));
    } finally {
      c.hostTensorsDestroy(outputs);
    }
  }
}

module.exports = { Session, VkonnxError, devices, version: c.version() };
