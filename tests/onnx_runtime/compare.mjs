// compare.mjs FOLDER [SEED]: runs the models of onnx_runtime_models with ONNX Runtime, and compares
// the results. The tolerance is 1e-4 of max(1, |value|, largest / 20). `largest` is the largest
// magnitude of the tensor, because rounding errors of sums grow with it. If the JSON file has
// "relative", the tolerance is at least 5e-4 of `largest`: PyTorch's fp32 results of deep networks
// differ from those in fp64 by up to 1e-4 of it. If it has "step", the tolerance is at least that:
// the float net does not round to the integers of a quantized model. The script counts refused models by operator. A
// model that ONNX Runtime refuses is not a difference.
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const {InferenceSession, Tensor, env} = require('onnxruntime-node');
env.logLevel = 'fatal';

const [folder, seed = '1'] = process.argv.slice(2);
const kTolerance = 1e-4;
const value = (v) => (typeof v === 'string' ? Number(v.replace('inf', 'Infinity').replace('nan', 'NaN')) : v);

function difference(expected, actual, {relative, step = 0}) {
  if (expected.length !== actual.length) return `${actual.length} values instead of ${expected.length}`;
  let largest = 0;
  for (const v of expected) if (Number.isFinite(v)) largest = Math.max(largest, Math.abs(v));
  const least = relative ? 5 * largest : Math.max(1, largest / 20);
  for (let i = 0; i < expected.length; ++i) {
    const a = value(actual[i]), b = expected[i];
    if (Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b)) || a === b) continue;
    if (!(Math.abs(a - b) <= Math.max(step, kTolerance * Math.max(least, Math.abs(b))))) return `value ${i} is ${a}, ONNX Runtime's ${b}`;
  }
  return null;
}

let compared = 0, failed = 0;
const refused = new Map(), foreign = new Map();
const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
for (const file of readdirSync(folder).filter((f) => f.endsWith('.json')).sort((a, b) => parseInt(a) - parseInt(b))) {
  const index = file.slice(0, -5);
  const text = JSON.parse(readFileSync(join(folder, file)));
  if (text.refused) {
    count(refused, `${text.about.split(' ')[0]}: ${text.refused.replace(/^.*?: /, '').slice(0, 160)}`);
    continue;
  }
  let result;
  try {
    const session = await InferenceSession.create(join(folder, `${index}.onnx`),
                                                  {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
    const feeds = {};
    for (const [name, {dims, data}] of Object.entries(text.inputs)) feeds[name] = new Tensor('float32', Float32Array.from(data, value), dims);
    result = await session.run(feeds);
  } catch (error) {
    count(foreign, `${text.about.split(' ').slice(0, 3).join(' ')}: ${String(error.message).slice(0, 300)}`);
    continue;
  }
  ++compared;
  // The weights are random, so int8 results need not be close. They must exist.
  if (typeof text.int8 === 'string') {
    ++failed;
    console.log(`${text.about}: int8: ${text.int8}`);
  } else if (text.int8) {
    console.log(`${text.about}: cosine of int8: ${Object.values(text.int8).map((c) => c.toFixed(4)).join(', ')}`);
  }
  for (const {name, data} of text.outputs) {
    const why = difference(result[name].data, data, text);
    if (!why) continue;
    ++failed;
    console.log(`${text.about}: ${name}: ${why}; rerun: onnx_runtime_models ${folder} 1 ${seed} ${index}`);
    break;
  }
}
for (const [what, map] of [['refused by tputwin', refused], ['refused by ONNX Runtime', foreign]])
  for (const [key, times] of map) console.log(`${what}, ${times} times: ${key}`);
console.log(`${compared} compared, ${failed} differ`);
process.exit(failed > 0 || compared === 0 ? 1 : 0);
