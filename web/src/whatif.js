// The page of tputwin whatif: predicted time over one of the numbers, with a line for each choice
// of the others.
import uPlot from "uplot";
import { time } from "./format.js";
import { COLOURS, Theme } from "./palette.js";

const HEIGHT = 380;
const UNITS = { lanes: "lanes", "lane-bytes": "bytes of a lane", ddr: "GB/s", clock: "MHz", issue: "\u00b5s for a command", launch: "\u00b5s for a launch" };

const element = (id) => document.getElementById(id);
const data = JSON.parse(element("whatif").textContent);
const theme = new Theme();

const distinct = (name) => [...new Set(data.rows.map((row) => row[name]))].sort((a, b) => a - b);
const shown = (microseconds) => time(microseconds * 1000);

// Returns [values of the name, lines of times]; a missing time leaves a gap.
function linesOver(name) {
  const others = data.names.filter((other) => other !== name), xs = distinct(name), lines = new Map();
  for (const row of data.rows) {
    const label = others.map((other) => `${other} ${row[other]}`).join(", ") || data.chip;
    if (!lines.has(label)) lines.set(label, xs.map(() => null));
    lines.get(label)[xs.indexOf(row[name])] = row.microseconds ?? null;
  }
  return [xs, lines];
}

let plot;
function draw() {
  const name = element("over").value, [xs, lines] = linesOver(name);
  const axis = { stroke: () => theme.quiet, grid: { stroke: () => theme.line, width: 1 }, ticks: { show: false } };
  const margin = (xs.at(-1) - xs[0]) * 0.05 || 1;
  plot?.destroy();
  plot = new uPlot({
    width: Math.max(200, element("plot").clientWidth),
    height: HEIGHT,
    scales: { x: { time: false, range: () => [xs[0] - margin, xs.at(-1) + margin] }, y: { range: (_, __, most) => [0, most * 1.08] } },
    axes: [{ ...axis, label: UNITS[name], splits: () => xs }, { ...axis, size: 90, values: (_, times) => times.map(shown) }],
    series: [
      { label: name },
      ...[...lines.keys()].map((label, i) => ({
        label, stroke: COLOURS[i % COLOURS.length], width: 2, spanGaps: false,
        points: { show: true, size: 8, fill: COLOURS[i % COLOURS.length] },
        value: (_, microseconds) => (microseconds == null ? "\u2013" : shown(microseconds)),
      })),
      { label: "as it is", stroke: () => theme.mark, dash: [6, 5], width: 1.5, points: { show: false }, value: (_, t) => (t == null ? "\u2013" : shown(t)) },
    ],
  }, [xs, ...lines.values(), xs.map(() => data.microseconds)], element("plot"));
}

function cell(row, text, tag = "td") {
  const made = row.appendChild(document.createElement(tag));
  made.textContent = text;
}

function fillTable() {
  const table = element("table").appendChild(document.createElement("table"));
  const head = table.createTHead().insertRow();
  for (const name of [...data.names, "predicted", "factor"]) cell(head, name, "th");
  const body = table.createTBody(), own = body.insertRow();
  data.names.forEach((_, i) => cell(own, i === 0 ? data.chip : ""));
  cell(own, shown(data.microseconds));
  cell(own, "1.00");
  for (const row of data.rows) {
    const line = body.insertRow();
    for (const name of data.names) cell(line, row[name]);
    cell(line, row.error ?? shown(row.microseconds));
    cell(line, row.error ? "" : (row.microseconds / data.microseconds).toFixed(2));
  }
}

document.title = `${data.title} \u2013 tputwin whatif`;
element("title").textContent = data.title;
element("subtitle").textContent = `${data.chip}, predicted ${shown(data.microseconds)}`;
for (const name of data.names) element("over").add(new Option(name));
fillTable();
draw();
element("over").addEventListener("change", draw);
addEventListener("resize", draw);
theme.listeners.push(draw);
element("theme").addEventListener("click", () => theme.toggle());
globalThis.tputwin = { linesOver };
