// Bandwidth and arithmetic over time, as shares of what the chip can do.
import uPlot from "uplot";
import { instant, percent, quantity } from "./format.js";
import { GUTTER } from "./timeline.js";

const HEIGHT = 132;
const PIXELS = 3; // width of one value
const BYTES = "#e58a63", MACS = "#6f9fd8";

export class Usage {
  constructor(root, profile, view, theme) {
    Object.assign(this, { root, profile, view, theme });
    this.create();
  }

  create() {
    const { chip } = this.profile;
    const axis = { stroke: () => this.theme.quiet, grid: { stroke: () => this.theme.line, width: 1 }, ticks: { show: false } };
    const series = (label, colour, peak, unit) => ({
      label, stroke: colour, width: 1.5, fill: `${colour}38`, points: { show: false }, scale: "%",
      paths: uPlot.paths.stepped({ align: 1 }),
      value: (_, share) => (share == null ? "\u2013" : `${quantity(share * peak, unit)} (${percent(share)})`),
    });
    this.plot?.destroy();
    this.plot = new uPlot({
      width: Math.max(200, this.root.clientWidth),
      height: HEIGHT,
      padding: [8, 0, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: () => [this.view.begin, this.view.end] }, "%": { range: (_, __, most) => [0, Math.max(0.05, most * 1.05)] } },
      axes: [
        { ...axis, size: 24, space: 110, values: (_, times) => times.map((t) => instant(t, this.view.span / 10)) },
        { ...axis, scale: "%", size: GUTTER, values: (_, shares) => shares.map((s) => `${+(100 * s).toFixed(1)} %`) },
      ],
      series: [
        { label: "time", value: (_, t) => (t == null ? "\u2013" : instant(t, this.view.span / 1000)) },
        series("global memory (of each way)", BYTES, chip.peakBytes, "B/s"),
        series(`multiply-accumulates (of ${chip.peakType})`, MACS, chip.peakMacs, "MAC/s"),
      ],
    }, this.values(), this.root);
  }

  // Returns means over a few pixels each.
  values() {
    const { profile, view } = this, { chip, tracks } = profile;
    const count = Math.max(2, Math.floor((this.root.clientWidth - GUTTER) / PIXELS)), step = view.span / count;
    const times = new Float64Array(count + 1), bytes = new Float64Array(count + 1), macs = new Float64Array(count + 1);
    const sum = (name, time) => tracks.reduce((total, track) => total + profile.until(track, track[name], time), 0);
    let bytesBefore = sum("bytes", view.begin), macsBefore = sum("macs", view.begin);
    for (let i = 0; i < count; ++i) {
      times[i] = view.begin + i * step;
      const bytesNow = sum("bytes", times[i] + step), macsNow = sum("macs", times[i] + step);
      bytes[i] = ((bytesNow - bytesBefore) / step) * 1e9 / chip.peakBytes;
      macs[i] = ((macsNow - macsBefore) / step) * 1e9 / chip.peakMacs;
      bytesBefore = bytesNow;
      macsBefore = macsNow;
    }
    times[count] = view.end;
    bytes[count] = bytes[count - 1];
    macs[count] = macs[count - 1];
    return [times, bytes, macs];
  }

  resize() {
    this.plot.setSize({ width: Math.max(200, this.root.clientWidth), height: HEIGHT });
  }
  draw() {
    this.plot.setData(this.values());
  }
}
