// compare.mjs FOLDER [SEED]: runs the models of onnx_runtime_models with ONNX Runtime, and compares
// the results. The tolerance is 1e-4 of max(1, |value|, largest / 20). `largest` is the largest
// magnitude of the tensor, because rounding errors of sums grow with it. If the JSON file has
// "relative", the tolerance is at least 5e-4 of `largest`: PyTorch's fp32 results of deep networks
// differ from those in fp64 by up to 1e-4 of it. If it has "step", the tolerance is at least that:
// the float net does not round to the integers of a quantized model. The script counts refused
// models by operator. A model that ONNX Runtime refuses is not a difference.
import {readdirSync} from 'node:fs';
import {difference, read, run} from './runtime.mjs';

const [folder, seed = '1'] = process.argv.slice(2);
const kTolerance = 1e-4;

let compared = 0, failed = 0;
const refused = new Map(), foreign = new Map();
const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
for (const file of readdirSync(folder).filter((f) => f.endsWith('.json')).sort((a, b) => parseInt(a) - parseInt(b))) {
  const index = file.slice(0, -5);
  const text = read(folder, index);
  if (text.refused) {
    count(refused, `${text.about.split(' ')[0]}: ${text.refused.replace(/^.*?: /, '').slice(0, 160)}`);
    continue;
  }
  let result;
  try {
    result = await run(folder, index, text);
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
    const why = difference(result[name], data, kTolerance,
                           (largest) => Math.max(text.relative ? 5 * largest : largest / 20,
                                                 (text.step ?? 0) / kTolerance));
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
