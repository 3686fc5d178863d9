// Local memory over time. Each hold is a rectangle of bytes of a lane and of time. Rectangles are
// painted pixel by pixel, because there may be a hundred thousand.

function word(colour) {
  const value = parseInt(colour.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export class MemoryStrip {
  constructor(profile) {
    this.profile = profile;
    this.top = profile.holds.from.reduce((most, from, i) => Math.max(most, from + profile.holds.bytes[i]), 0);
    const { banks, bankBytes, laneBytes } = profile.chip;
    this.bytes = Math.min(laneBytes, bankBytes * Math.min(banks, Math.ceil(this.top / bankBytes) || 1));
    this.surface = document.createElement("canvas");
  }
  get isEmpty() {
    return this.profile.holds.from.length === 0;
  }

  // Returns the hold of a byte at a time, or -1; if there are several, the newest.
  at(time, byte) {
    const { from, bytes, begin, end } = this.profile.holds;
    let found = -1;
    for (let i = 0; i < from.length && begin[i] <= time; ++i)
      if (end[i] >= time && from[i] <= byte && byte < from[i] + bytes[i]) found = i;
    return found;
  }

  // Draws on a rectangle of the canvas, in its pixels.
  draw(context, view, colouring, theme, { x, y, width, height, scale }) {
    const w = Math.round(width * scale), h = Math.round(height * scale);
    if (w <= 0 || this.isEmpty) return;
    if (this.surface.width !== w || this.surface.height !== h) {
      this.surface.width = w;
      this.surface.height = h;
      this.pixels = null;
    }
    const target = this.surface.getContext("2d");
    this.pixels ??= target.createImageData(w, h);
    this.paint(new Uint32Array(this.pixels.data.buffer), w, h, view, colouring, theme);
    target.putImageData(this.pixels, 0, 0);
    context.drawImage(this.surface, x, y, width, height);
  }

  paint(out, w, h, view, colouring, theme) {
    out.fill(word(theme.track));
    const { command, from, bytes, begin, end } = this.profile.holds;
    const perByte = h / this.bytes, perNs = w / view.span;
    colouring.words ??= colouring.of.map(word);
    const { words, ids } = colouring;
    // For each row: the last column where a hold one pixel wide begins at that row.
    const newest = new Int32Array(h).fill(-1);
    for (let i = 0; i < from.length && begin[i] < view.end; ++i) {
      if (end[i] < view.begin) continue;
      if (view.found && !view.found[command[i]]) continue;
      const x0 = Math.max(0, Math.floor((begin[i] - view.begin) * perNs));
      let x1 = Math.min(w, Math.ceil((end[i] - view.begin) * perNs));
      if (x1 - x0 > 3) x1--; // keeps a gap between neighbours
      const y0 = Math.floor(from[i] * perByte);
      if (x1 - x0 <= 1) {
        if (newest[y0] === x0) continue;
        newest[y0] = x0;
      }
      let y1 = Math.min(h, Math.ceil((from[i] + bytes[i]) * perByte));
      if (y1 - y0 > 3) y1--;
      for (let row = y0; row < y1; ++row) out.fill(words[ids[command[i]]], row * w + x0, row * w + Math.max(x1, x0 + 1));
    }
  }
}
