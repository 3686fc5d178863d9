// Roofline: what layers (or operations) reach, beside what memory and arithmetic allow.
import uPlot from "uplot";
import { percent, quantity, time } from "./format.js";

const HEIGHT = 340;

function rooflinePoints(profile, column) {
  return profile.totals(column)
    .filter((row) => row.macs > 0 && row.time > 0)
    .map((row) => {
      const time = Math.max(row.compute, row.dma);
      return { ...row, taken: time, intensity: row.bytes > 0 ? row.macs / row.bytes : Infinity, rate: (row.macs / time) * 1e9 };
    });
}

export class Roofline {
  constructor(root, profile, theme, choose) {
    Object.assign(this, { root, profile, theme, choose });
    const layered = profile.columns.layer.some((name) => name !== 0);
    this.column = layered ? "layer" : profile.columns.call.some((name) => name !== 0) ? "call" : "op";
    this.points = rooflinePoints(profile, this.column);
    root.hidden = this.points.length === 0;
    if (root.hidden) return;
    root.innerHTML = `<div class="bar"><h2>Roofline</h2><span class="quiet">each ${{ layer: "layer", call: "call", op: "operation" }[this.column]}: products per byte of global memory, and per second; the area is its time</span></div><div class="plot"></div><p class="quiet" aria-live="polite">&nbsp;</p>`;
    this.place = root.querySelector(".plot");
    this.said = root.querySelector("p");
    this.create();
  }

  // Roofs meet at the ridge; between their ends straight lines of a log-log plot are exact.
  data() {
    const { chip } = this.profile;
    const ridge = chip.peakMacs / chip.peakBytes;
    const finite = this.points.map((p) => p.intensity).filter(Number.isFinite);
    const low = Math.min(ridge / 30, ...finite) / 2, high = Math.max(ridge * 30, ...finite) * 2;
    this.right = high / 1.3;
    const xs = [low, ridge, high];
    return [xs, xs.map((x) => Math.min(chip.peakMacs, x * chip.peakBytes))];
  }

  create() {
    const [xs, roof] = this.data();
    const least = Math.min(roof[0], ...this.points.map((p) => p.rate)) / 2, most = roof[1] * 3;
    const axis = { stroke: () => this.theme.quiet, grid: { stroke: () => this.theme.line, width: 1 }, ticks: { show: false } };
    const powers = (_, values) => values.map((v) => (v != null && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v : null));
    const label = (unit) => (_, values) => values.map((v) => (v == null ? "" : v < 1 ? `${+v.toPrecision(1)} ${unit}` : quantity(v, unit)));
    this.plot?.destroy();
    this.plot = new uPlot({
      width: Math.max(240, this.root.clientWidth - 34),
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
      scales: {
        x: { time: false, distr: 3, range: () => [xs[0], xs[2]] },
        y: { distr: 3, range: () => [least, most] },
      },
      axes: [
        { ...axis, filter: powers, values: label("MAC/B"), size: 34 },
        { ...axis, filter: powers, values: label("MAC/s"), size: 96 },
      ],
      series: [{}, { stroke: () => this.theme.mark, width: 2, points: { show: false } }],
      hooks: { draw: [(u) => this.drawPoints(u)] },
    }, [xs, roof], this.place);
    this.plot.over.addEventListener("mousemove", (event) => this.say(this.near(event)));
    this.plot.over.addEventListener("click", (event) => {
      const point = this.near(event);
      if (point) this.choose(this.profile.names[point.name]);
    });
  }

  place2d(u, point, canvas) {
    return [u.valToPos(Math.min(point.intensity, this.right), "x", canvas), u.valToPos(point.rate, "y", canvas)];
  }

  drawPoints(u) {
    const c = u.ctx, whole = this.points.reduce((sum, p) => sum + p.taken, 0);
    const scale = devicePixelRatio || 1;
    c.save();
    for (const point of [...this.points].sort((a, b) => b.taken - a.taken)) {
      const [x, y] = this.place2d(u, point, true);
      c.beginPath();
      c.arc(x, y, scale * (3 + 26 * Math.sqrt(point.taken / whole)), 0, 2 * Math.PI);
      c.fillStyle = `${this.theme.accent}66`;
      c.strokeStyle = this.theme.accent;
      c.lineWidth = scale;
      c.fill();
      c.stroke();
    }
    c.restore();
  }

  near(event) {
    let best = null, least = 30;
    for (const point of this.points) {
      const [x, y] = this.place2d(this.plot, point, false);
      const distance = Math.hypot(x - event.offsetX, y - event.offsetY);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  say(point) {
    if (!point) return;
    const { chip, names } = this.profile;
    const roof = Math.min(chip.peakMacs, point.intensity * chip.peakBytes);
    const bound = point.intensity * chip.peakBytes < chip.peakMacs ? "memory" : "arithmetic";
    this.said.textContent = `${names[point.name] || "(none)"}: ${time(point.taken)}, ${quantity(point.rate, "MAC/s")}, ${percent(point.rate / roof)} of its roof, which is ${bound}`;
  }

  resize() {
    if (!this.root.hidden) this.plot.setSize({ width: Math.max(240, this.root.clientWidth - 34), height: HEIGHT });
  }
}
