// Roofline: rates of layers (or operations), compared with the limits of memory and arithmetic.
import uPlot from "uplot";
import { percent, quantity, time } from "./format.js";

const HEIGHT = 340;

// Returns points of layers, or of launches if no layer has a name.
function pointsOf(profile) {
  const layered = profile.columns.layer.some((name) => name !== 0);
  const rows = layered
    ? profile.totals("layer").map((row) => ({ ...row, text: profile.names[row.name] || "(none)" }))
    : profile.totals("launch").map((row) => ({ ...row, text: profile.launchName(row.name) }));
  const points = rows.filter((row) => row.macs > 0 && row.time > 0).map((row) => {
    const taken = Math.max(row.compute, row.dma);
    return { ...row, taken, intensity: row.bytes > 0 ? row.macs / row.bytes : Infinity, rate: (row.macs / taken) * 1e9 };
  });
  return [layered ? "layer" : "launch", points];
}

const leading = (value, round) => {
  const power = 10 ** Math.floor(Math.log10(value));
  return round(value / power) * power;
};

export class Roofline {
  constructor(root, profile, theme, choose) {
    Object.assign(this, { root, profile, theme, choose });
    [this.kind, this.points] = pointsOf(profile);
    root.hidden = this.points.length === 0;
    if (root.hidden) return;
    root.innerHTML = `<div class="bar"><h2>Roofline</h2><span class="quiet">each ${this.kind}: products per byte of global memory, and per second; the area is its time</span></div><div class="plot"></div><p class="quiet" aria-live="polite">&nbsp;</p>`;
    this.place = root.querySelector(".plot");
    this.said = root.querySelector("p");
    this.create();
  }

  // Roofs meet at the ridge. In a log-log plot straight lines between their ends are exact.
  data() {
    const { chip } = this.profile;
    const ridge = chip.peakMacs / chip.peakBytes;
    const finite = this.points.map((p) => p.intensity).filter(Number.isFinite);
    // an axis that begins with a one-digit number shows the powers of ten
    const low = leading(Math.min(ridge / 30, ...finite) / 2, Math.floor), high = Math.max(ridge * 30, ...finite) * 2;
    this.right = high / 1.3;
    const xs = [low, ...chip.roofs.map((peak) => peak.macs / chip.peakBytes).sort((a, b) => a - b), high];
    return [xs, ...chip.roofs.map((peak) => xs.map((x) => Math.min(peak.macs, x * chip.peakBytes)))];
  }

  create() {
    const [xs, ...roofs] = this.data(), roof = roofs[0], last = xs.length - 1;
    const least = leading(Math.min(roof[0], ...this.points.map((p) => p.rate)) / 2, Math.floor), most = roof[last] * 3;
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
        x: { time: false, distr: 3, range: () => [xs[0], xs[last]] },
        y: { distr: 3, range: () => [least, most] },
      },
      axes: [
        { ...axis, filter: powers, values: label("MAC/B"), size: 34 },
        { ...axis, filter: powers, values: label("MAC/s"), size: 96 },
      ],
      series: [{}, ...roofs.map((_, i) => ({ stroke: () => this.theme.mark, width: i === 0 ? 2 : 1, points: { show: false } }))],
      hooks: { draw: [(u) => this.drawPoints(u)] },
    }, [xs, ...roofs], this.place);
    this.plot.over.addEventListener("mousemove", (event) => this.say(this.near(event)));
    this.plot.over.addEventListener("click", (event) => {
      const point = this.near(event);
      if (point && this.kind === "layer") this.choose(point.text);
    });
  }

  place2d(u, point, canvas) {
    return [u.valToPos(Math.min(point.intensity, this.right), "x", canvas), u.valToPos(point.rate, "y", canvas)];
  }

  drawPoints(u) {
    this.nameRoofs(u);
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

  nameRoofs(u) {
    const c = u.ctx, scale = devicePixelRatio || 1;
    c.save();
    c.font = `${11.5 * scale}px system-ui, 'DejaVu Sans', sans-serif`;
    c.fillStyle = this.theme.quiet;
    c.textAlign = "right";
    for (const { type, macs } of this.profile.chip.roofs)
      c.fillText(`${type}: ${quantity(macs, "MAC/s")}`, u.bbox.left + u.bbox.width - 6 * scale, u.valToPos(macs, "y", true) - 6 * scale);
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
    const { chip } = this.profile;
    const roof = Math.min(chip.peakMacs, point.intensity * chip.peakBytes);
    const bound = point.intensity * chip.peakBytes < chip.peakMacs ? "memory" : "arithmetic";
    this.said.textContent = `${point.text}: ${time(point.taken)}, ${quantity(point.rate, "MAC/s")}, ${percent(point.rate / roof)} of its roof, which is ${bound}`;
  }

  resize() {
    if (!this.root.hidden) this.plot.setSize({ width: Math.max(240, this.root.clientWidth - 34), height: HEIGHT });
  }
}
