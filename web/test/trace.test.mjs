// Reads the trace of tputwin profile (TRACE) with the model of Chrome's developer tools. The model
// must find the events that tputwin wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Model from "devtools-timeline-model";

const written = process.env.TRACE;
const options = { skip: written ? false : "TRACE names no trace" };

// The model looks for the tab of a browser.
const BROWSER = ["process_name", "thread_name"].map((name, i) => ({
  ph: "M", cat: "__metadata", pid: 999, tid: 1, ts: 0, name, args: { name: ["Browser", "CrBrowserMain"][i] },
}));

const count = (names) => names.reduce((of, name) => of.set(name, (of.get(name) ?? 0) + 1), new Map());

test("another reader sees the same tracks, slices and counters", options, () => {
  const { traceEvents } = JSON.parse(readFileSync(written, "utf8"));
  const printed = [], { error, warn, log } = console;
  console.error = console.warn = console.log = (...words) => printed.push(words.join(" "));
  let model;
  try {
    model = new Model(structuredClone([...BROWSER, ...traceEvents])).tracingModel();
  } finally {
    Object.assign(console, { error, warn, log });
  }
  assert.deepEqual(printed.filter((text) => text !== "TracingStartedInPage event not found."), []);
  const track = model.sortedProcesses().find((process) => process.id() === 1);
  const metadata = (name, tid) => traceEvents.find((event) => event.name === name && event.tid === tid)?.args.name;
  assert.equal(track.name(), metadata("process_name", 0));
  let seen = 0;
  for (const thread of track.sortedThreads()) {
    const tid = thread.id(), mine = traceEvents.filter((event) => event.tid === tid && event.ph === "X");
    if (mine.length === 0) continue;
    assert.equal(thread.name(), metadata("thread_name", tid));
    const slices = thread.events().filter((event) => event.phase === "X");
    assert.deepEqual(count(slices.map((event) => event.name)), count(mine.map((event) => event.name)));
    for (const slice of slices) assert.ok(slice.endTime >= slice.startTime);
    seen += slices.length;
  }
  assert.equal(seen, traceEvents.filter((event) => event.ph === "X").length);
});

test("keys and types are those of the format", options, () => {
  const trace = JSON.parse(readFileSync(written, "utf8"));
  assert.equal(trace.displayTimeUnit, "ns");
  const needed = { X: ["name", "ts", "dur", "tid"], C: ["name", "ts"], M: ["name"], s: ["id", "ts", "tid"], f: ["id", "ts", "tid", "bp"] };
  const flows = { s: [], f: [] };
  for (const event of trace.traceEvents) {
    assert.ok(event.ph in needed, event.ph);
    assert.equal(typeof event.pid, "number");
    for (const key of [...needed[event.ph], "cat", "args"]) assert.ok(key in event, `${event.ph} without ${key}`);
    for (const key of ["ts", "dur", "tid"]) if (key in event) assert.equal(typeof event[key], "number");
    if (event.ph === "C") assert.ok(Object.values(event.args).every(Number.isFinite));
    if (event.ph in flows) flows[event.ph].push(event.id);
  }
  assert.deepEqual(flows.s, flows.f);
});
