// Runs models of onnx_runtime_models with ONNX Runtime, and compares results. The package is that of
// the working folder.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const {InferenceSession, Tensor, env} = require('onnxruntime-node');
env.logLevel = 'fatal';

// JSON has no infinities and no NaN: they are text.
export const value = (v) => (typeof v === 'string' ? Number(v.replace('inf', 'Infinity').replace('nan', 'NaN')) : v);

// The bits of a number that fp16 holds.
function half(number) {
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0, magnitude = Math.abs(number);
  if (Number.isNaN(number)) return 0x7e00;
  if (magnitude === Infinity) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude || 2 ** -14)));
  const mantissa = magnitude / 2 ** exponent;
  return sign | (mantissa < 1 ? mantissa * 1024 : ((exponent + 15) << 10) + (mantissa - 1) * 1024);
}

function from_half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

const arrays = {
  float32: (data) => Float32Array.from(data, value),
  float16: (data) => Uint16Array.from(data, (v) => half(value(v))),
  int8: (data) => Int8Array.from(data),
  uint8: (data) => Uint8Array.from(data),
  int32: (data) => Int32Array.from(data),
  int64: (data) => BigInt64Array.from(data, (v) => BigInt(v)),
  bool: (data) => Uint8Array.from(data),
};

function numbers(tensor) {
  const bits = tensor.type === 'float16' && tensor.data instanceof Uint16Array;
  return Array.from(tensor.data, bits ? from_half : Number);
}

// The outputs of the model as numbers, by their names.
export async function run(folder, index, text) {
  const session = await InferenceSession.create(join(folder, `${index}.onnx`),
                                                {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
  const feeds = {};
  for (const [name, {dims, data, type = 'float32'}] of Object.entries(text.inputs))
    feeds[name] = new Tensor(type, arrays[type](data), dims);
  const result = await session.run(feeds);
  return Object.fromEntries(Object.entries(result).map(([name, tensor]) => [name, numbers(tensor)]));
}

export const read = (folder, index) => JSON.parse(readFileSync(join(folder, `${index}.json`)));

// Why `actual` differs from `expected` by more than `tolerance` of max(1, |value|, least), or null.
export function difference(expected, actual, tolerance, least = (largest) => 0) {
  if (expected.length !== actual.length) return `${actual.length} values instead of ${expected.length}`;
  let largest = 0;
  for (const v of expected) if (Number.isFinite(v)) largest = Math.max(largest, Math.abs(v));
  for (let i = 0; i < expected.length; ++i) {
    const a = value(actual[i]), b = expected[i];
    if (Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b)) || a === b) continue;
    if (!(Math.abs(a - b) <= tolerance * Math.max(1, least(largest), Math.abs(b)))) return `value ${i} is ${a}, ONNX Runtime's ${b}`;
  }
  return null;
}
