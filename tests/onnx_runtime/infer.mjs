// infer.mjs MODEL INPUT SAMPLES.json RESULTS.json: runs the model with ONNX Runtime on each sample
// {dims, data} and writes the first output of each.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const {InferenceSession, Tensor} = require('onnxruntime-node');

const [model, input, samples, results] = process.argv.slice(2);
const session = await InferenceSession.create(model, {logSeverityLevel: 4});
const all = [];
for (const {dims, data} of JSON.parse(readFileSync(samples))) {
  const outputs = await session.run({[input]: new Tensor('float32', Float32Array.from(data), dims)});
  const first = outputs[session.outputNames[0]];
  all.push({dims: first.dims, data: Array.from(first.data)});
}
writeFileSync(results, JSON.stringify(all));
