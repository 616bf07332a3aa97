// SPDX-License-Identifier: Apache-2.0

/** A model's types. float16 and bfloat16 are in a Uint16Array, bool is in a Uint8Array, and strings are in an array of them. */
export type Type =
  | "float32" | "float64" | "float16" | "bfloat16" | "int8" | "int16" | "int32" | "int64"
  | "uint8" | "uint16" | "uint32" | "uint64" | "bool" | "string";

export type Data =
  | Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Uint8Array | Uint16Array | Uint32Array | BigUint64Array | string[];

export interface Tensor {
  dims: number[];
  /** Row by row, as many elements as dims say. */
  data: Data;
  /** Without it the array tells: a Uint16Array is uint16, a Uint8Array is uint8. */
  type?: Type;
}

export interface ValueInfo {
  name: string;
  type: Type;
  /** -1 where the file leaves an extent open; null where it says nothing. */
  dims: number[] | null;
  /** Its elements decide dimensions. The session is prepared for them, and again by a run with others. */
  decidesDimensions: boolean;
}

export interface DeviceInfo {
  /** For SessionOptions.device. */
  index: number;
  name: string;
  kind: "other" | "integrated_gpu" | "discrete_gpu" | "virtual_gpu" | "cpu";
  driver: string;
  apiVersion: string;
  uuid: string;
  /** Why it can't be used; "" where it can. */
  rejected: string;
}

export interface SessionOptions {
  /** An index, "gpu", "cpu", "uuid:..." or a part of the name. Without it that of the variable VKONNX_DEVICE, else the best. */
  device?: string;
  /** Where compiled kernels are kept for later processes; "" is nowhere. Without it vkonnx in the system's folder for caches. */
  cacheFolder?: string;
  /** The longest that a single wait may take, in seconds; 60 without it. */
  timeout?: number;
  /** The most device memory to take, in bytes; no limit without it. */
  maxMemory?: number;
}

/** Whatever the library refuses or fails at: `message` is its one sentence. */
export class VkonnxError extends Error {
  /** The kind, as the library names it: invalid_argument, unsupported, no_driver, device_lost and others. */
  code: string;
}

/** All Vulkan devices of this machine, also those that can't be used. Throws where there is no loader or no driver. */
export function devices(): DeviceInfo[];

/** A model on a device. It is prepared when it first runs, and again whenever it is given other shapes. */
export class Session {
  /** model: the path of a file, or its bytes. Throws VkonnxError, as all functions do. */
  constructor(model: string | Uint8Array, options?: SessionOptions);
  readonly device: DeviceInfo;
  readonly inputs: ValueInfo[];
  readonly outputs: ValueInfo[];
  /** Runs with inputs by name, and returns outputs by name. It blocks until they are there. */
  run(inputs: Record<string, Tensor>): Record<string, Required<Tensor>>;
  /** The same without blocking. Several calls run one after the other; the arrays must not be changed before theirs has ended. */
  runAsync(inputs: Record<string, Tensor>): Promise<Record<string, Required<Tensor>>>;
  /** Lets the device and the model go, once all runs have ended. Without it that happens at some time after the last use. */
  close(): void;
}

/** The version of the library. */
export const version: string;
