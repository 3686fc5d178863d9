// compare_forms.mjs FOLDER: runs the models of export_forms.py with ONNX Runtime, and prints a table
// of forms: the opsets at which all values equal those of tputwin, and the others. The tolerance is
// 1e-4 of max(1, |value|), unless the form has one of its own, for what quantization rounds. A form
// with "must_refuse" must be refused with this word. A model that ONNX Runtime refuses is compared
// with its results for the nearest opset that it takes: a form has the same numbers at every opset.
import {readdirSync} from 'node:fs';
import {difference, read, run} from './runtime.mjs';

const [folder] = process.argv.slice(2);

// "11-17, 20" of sorted numbers.
function ranges(opsets) {
  const parts = [];
  for (const opset of opsets) {
    const last = parts.at(-1);
    if (last && last[1] === opset - 1) last[1] = opset;
    else parts.push([opset, opset]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

// What came of the form at one opset: a kind, and why.
function judged(text, expected) {
  if (text.must_refuse)
    return text.refused?.includes(text.must_refuse) ? ['refused, as it must be', text.refused]
                                                   : ['not refused as it must be', text.refused ?? 'it ran'];
  if (text.refused) return ['refused by tputwin', text.refused];
  if (!expected) return ['refused by ONNX Runtime at every opset', text.runtime];
  for (const [i, {data}] of text.outputs.entries()) {
    const why = difference(expected[i], data, text.tolerance);
    if (why) return ['differs', `output ${i}: ${why}`];
  }
  const kind = text.results ? 'equal' : 'equal to another opset';
  return [text.host ? `${kind}, with parts on the host` : kind, text.host];
}

const forms = new Map();
for (const file of readdirSync(folder).filter((f) => f.endsWith('.json'))) {
  const text = read(folder, file.slice(0, -5));
  // What ONNX leaves open, or ONNX Runtime does not run, has values of its own.
  text.results = text.expected;
  try {
    if (text.expected) throw new Error('not run');
    const results = await run(folder, file.slice(0, -5), text);
    text.results = text.outputs ? text.outputs.map(({name}) => results[name]) : [];
  } catch (error) {
    text.runtime = text.expected ? undefined : String(error.message).replaceAll('\n', ' ');
  }
  forms.set(text.form, [...(forms.get(text.form) ?? []), text].sort((a, b) => a.opset - b.opset));
}

const isGood = (kind) => kind.startsWith('equal') || kind === 'refused, as it must be';
let count = 0, failed = 0;
for (const [name, texts] of [...forms].sort()) {
  const kinds = new Map();
  const ran = texts.filter((t) => t.results?.length);
  for (const text of texts) {
    const alike = ran.filter((t) => t.results.length === text.outputs?.length);
    const nearest = alike.sort((a, b) => Math.abs(a.opset - text.opset) - Math.abs(b.opset - text.opset))[0];
    const [kind, why] = judged(text, text.results ?? nearest?.results);
    const key = why ? `${kind}: ${why.slice(0, 400)}` : kind;
    if (!kinds.has(key)) kinds.set(key, {kind, opsets: []});
    kinds.get(key).opsets.push(text.opset);
    ++count;
    if (!isGood(kind)) ++failed;
  }
  const cells = [...kinds].map(([key, {kind, opsets}]) => `${ranges(opsets)} ${isGood(kind) ? kind : key}`);
  console.log(`${name.padEnd(52)} ${cells.join('\n' + ' '.repeat(53))}`);
}
console.log(`${forms.size} forms, ${count} models, ${failed} of them not as they must be`);
process.exit(failed > 0 || count === 0 ? 1 : 0);
