// The canvas with everything over time: launches, layers, engines, local memory.
import { lowerBound } from "./data.js";
import { instant, roundStep } from "./format.js";
import { MemoryStrip } from "./memory.js";
import { INK, OTHER } from "./palette.js";

export const GUTTER = 104; // px on the left, for the names of rows
const RULER = 24, SPAN_ROW = 20, ENGINE_ROW = 36, GAP = 6, MEMORY = 168;
const LABELS = { launch: "launches", layer: "layers", call: "calls" };
const LEAST_LABEL = 34;
const MOST_LAYER_ROWS = 4, MOST_CALL_ROWS = 2;

export class Timeline {
  constructor(canvas, profile, view, theme) {
    Object.assign(this, { canvas, profile, view, theme });
    this.context = canvas.getContext("2d", { alpha: false });
    this.memory = new MemoryStrip(profile);
    this.rows = [];
    this.drawn = 0; // number of frames
    const launches = profile.launches.length > 0 ? [profile.launches] : [];
    const layers = profile.spans("layer", MOST_LAYER_ROWS);
    this.addRows("launch", launches, SPAN_ROW);
    this.addRows("layer", layers, SPAN_ROW);
    this.addRows("call", profile.spans("call", MOST_CALL_ROWS), SPAN_ROW);
    for (const track of profile.tracks) this.addRow({ kind: "engine", label: track.name, height: ENGINE_ROW, track });
    if (!this.memory.isEmpty) this.addRow({ kind: "memory", label: "memory", height: MEMORY });
    this.height = (this.rows.at(-1)?.y ?? 0) + (this.rows.at(-1)?.height ?? RULER) + GAP;
    canvas.style.height = `${this.height}px`;
  }

  addRows(kind, lists, height) {
    lists.forEach((spans, i) => this.addRow({ kind, label: i === 0 ? LABELS[kind] : "", height, spans }));
  }
  addRow(row) {
    const last = this.rows.at(-1);
    row.y = last ? last.y + last.height + (last.kind === row.kind && row.kind !== "engine" ? 2 : GAP) : RULER + 2;
    this.rows.push(row);
  }

  resize() {
    this.scale = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.canvas.width = Math.round(this.width * this.scale);
    this.canvas.height = Math.round(this.height * this.scale);
  }
  get plotWidth() {
    return Math.max(1, this.width - GUTTER);
  }
  x(time) {
    return GUTTER + ((time - this.view.begin) / this.view.span) * this.plotWidth;
  }
  time(x) {
    return this.view.begin + ((x - GUTTER) / this.plotWidth) * this.view.span;
  }

  draw(colouring) {
    const c = this.context, { theme, view } = this;
    this.colouring = colouring;
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = theme.card;
    c.fillRect(0, 0, this.width, this.height);
    c.font = "11.5px system-ui, 'DejaVu Sans', sans-serif";
    c.textBaseline = "middle";
    for (const row of this.rows) {
      c.fillStyle = theme.track;
      c.fillRect(GUTTER, row.y, this.plotWidth, row.height);
    }
    c.save();
    c.beginPath();
    c.rect(GUTTER, 0, this.plotWidth, this.height);
    c.clip();
    this.drawRuler();
    for (const row of this.rows) this.drawRow(row);
    if (view.selected >= 0) this.drawSelected();
    c.restore();
    this.drawLabels();
    this.drawn++;
  }

  drawRuler() {
    const c = this.context, { view, theme } = this;
    const step = roundStep((view.span / this.plotWidth) * 110);
    c.textAlign = "left";
    for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      c.fillStyle = theme.line;
      c.fillRect(x, 4, 1, this.height - 4);
      c.fillStyle = theme.quiet;
      c.fillText(instant(t, step), x + 5, 12);
    }
  }

  drawRow(row) {
    if (row.kind === "engine") return this.drawEngine(row);
    if (row.kind === "memory") return this.drawMemory(row);
    this.drawSpans(row);
  }

  drawSpans(row) {
    const c = this.context, { view, profile } = this;
    const spans = row.spans;
    let i = lowerBound(view.begin, spans.length, (k) => spans[k].end);
    let drawnTo = -1;
    for (; i < spans.length && spans[i].begin < view.end; ++i) {
      const x0 = Math.max(GUTTER - 2, this.x(spans[i].begin)), x1 = Math.min(this.width + 2, this.x(spans[i].end));
      if (x1 < drawnTo + 1) continue; // a later part is not visible
      drawnTo = x1;
      const name = profile.names[spans[i].name];
      c.fillStyle = this.colouring.ids === profile.columns[row.kind] && row.kind !== "launch" ? this.colouring.of[spans[i].name] : OTHER;
      c.globalAlpha = row.kind === "launch" ? 0.45 : 0.8;
      c.fillRect(x0, row.y + 1, Math.max(1, x1 - x0 - 1), row.height - 2);
      c.globalAlpha = 1;
      this.label(name, x0, x1, row, row.kind === "launch" ? this.theme.text : INK);
    }
  }

  drawEngine(row) {
    const { found } = this.view;
    const c = this.context, { commands, busy } = row.track;
    if (!found) return this.drawCommands(row, commands, busy);
    c.globalAlpha = 0.16;
    this.drawCommands(row, commands, busy, 0.16);
    c.globalAlpha = 1;
    const matching = this.matching(row.track, found);
    this.drawCommands(row, matching.commands, matching.busy);
  }

  // Returns the found commands of a track, cached until the next search.
  matching(track, found) {
    if (track.found === found) return track.matching;
    const commands = track.commands.filter((command) => found[command]);
    const busy = new Float64Array(commands.length + 1);
    commands.forEach((command, i) => (busy[i + 1] = busy[i] + this.profile.end[command] - this.profile.begin[command]));
    track.found = found;
    return (track.matching = { commands, busy });
  }

  // Commands narrower than a pixel share one line per pixel; its opacity is the engine's busy share
  // there.
  drawCommands(row, commands, busy, strength = 1) {
    const c = this.context, { begin, end } = this.profile, { view } = this;
    const count = commands.length, pixel = view.span / this.plotWidth;
    let i = lowerBound(view.begin, count, (k) => end[commands[k]]);
    while (i < count && begin[commands[i]] < view.end) {
      const command = commands[i];
      const x0 = this.x(begin[command]), x1 = this.x(end[command]);
      c.fillStyle = this.colouring.command(command);
      if (x1 - x0 >= 1) {
        const left = Math.max(x0, GUTTER - 2), right = Math.min(x1, this.width + 2);
        c.fillRect(left, row.y, Math.max(1, right - left - (x1 - x0 > 4 ? 1 : 0)), row.height);
        if (strength === 1) this.label(this.profile.name("op", command), left, right, row, INK);
        ++i;
        continue;
      }
      const px = Math.floor(x0);
      const next = Math.max(i + 1, lowerBound(this.time(px + 1), count, (k) => begin[commands[k]], i));
      c.globalAlpha = strength * Math.min(1, 0.25 + (0.75 * (busy[next] - busy[i])) / pixel);
      c.fillRect(px, row.y, 1, row.height);
      c.globalAlpha = strength;
      i = next;
    }
  }

  drawMemory(row) {
    const c = this.context, { banks, bankBytes } = this.profile.chip;
    this.memory.draw(c, this.view, this.colouring, this.theme,
      { x: GUTTER, y: row.y, width: this.plotWidth, height: row.height, scale: this.scale });
    c.fillStyle = this.theme.card;
    for (let bank = 1; bank < banks; ++bank) {
      const y = row.y + (bank * bankBytes * row.height) / this.memory.bytes;
      if (y < row.y + row.height) c.fillRect(GUTTER, Math.round(y), this.plotWidth, 1);
    }
  }

  drawSelected() {
    const { view, profile, context: c } = this, command = view.selected;
    const row = this.rows.find((r) => r.track?.engine === profile.columns.engine[command]);
    const x0 = this.x(profile.begin[command]), x1 = this.x(profile.end[command]);
    c.strokeStyle = this.theme.text;
    c.lineWidth = 2;
    c.strokeRect(x0 - 0.5, row.y - 1, Math.max(2, x1 - x0), row.height + 2);
  }

  drawLabels() {
    const c = this.context;
    c.fillStyle = this.theme.quiet;
    for (const row of this.rows) {
      c.textAlign = "left";
      c.fillText(row.label, 0, row.y + row.height / 2);
      if (row.kind !== "memory") continue;
      const shown = Math.ceil(this.memory.bytes / this.profile.chip.bankBytes), height = row.height / shown;
      c.textAlign = "right";
      for (let bank = 0; bank < shown && height >= 9; ++bank)
        c.fillText(`bank ${bank}`, GUTTER - 8, row.y + (bank + 0.5) * height);
    }
  }

  label(text, left, right, row, colour) {
    const room = right - left - 8;
    if (room < LEAST_LABEL) return;
    const c = this.context;
    const most = Math.floor(room / 6);
    c.fillStyle = colour;
    c.textAlign = "left";
    c.fillText(text.length > most ? `${text.slice(0, most - 1)}\u2026` : text, left + 4, row.y + row.height / 2);
  }

  // Returns the object at a position of the canvas: {command}, {span, row}, {hold, byte} or
  // nothing.
  hit(x, y) {
    if (x < GUTTER) return {};
    const row = this.rows.find((r) => y >= r.y && y < r.y + r.height);
    const time = this.time(x), near = this.view.span / this.plotWidth;
    if (!row) return {};
    if (row.kind === "engine") {
      const command = this.profile.commandAt(row.track, time);
      return { command: command >= 0 ? command : this.profile.commandAt(row.track, time + near) };
    }
    if (row.kind === "memory") {
      const byte = Math.floor(((y - row.y) / row.height) * this.memory.bytes);
      return { hold: this.memory.at(time, byte), byte };
    }
    return { row, span: row.spans.find((s) => s.begin <= time && time < s.end) };
  }
}

// All of time in one strip, with the load of each engine and the visible part.
export class Overview {
  constructor(canvas, profile, view, theme) {
    Object.assign(this, { canvas, profile, view, theme });
    this.context = canvas.getContext("2d");
    this.surface = document.createElement("canvas");
  }
  resize() {
    this.scale = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.surface]) {
      canvas.width = Math.round(this.canvas.clientWidth * this.scale);
      canvas.height = Math.round(this.canvas.clientHeight * this.scale);
    }
    this.paint();
  }
  paint() {
    const { profile, theme, surface } = this, c = surface.getContext("2d");
    const left = GUTTER * this.scale, width = surface.width - left, lane = surface.height / Math.max(1, profile.tracks.length);
    c.fillStyle = theme.track;
    c.fillRect(left, 0, width, surface.height);
    c.fillStyle = theme.accent;
    profile.tracks.forEach((track, row) => {
      let before = 0;
      for (let x = 0; x < width; ++x) {
        const until = profile.until(track, track.busy, ((x + 1) / width) * profile.total);
        const height = Math.min(1, ((until - before) * width) / profile.total) * (lane - 2);
        c.fillRect(left + x, (row + 1) * lane - height, 1, height);
        before = until;
      }
    });
  }
  draw() {
    const { context: c, canvas, view, theme } = this;
    if (canvas.width === 0 || canvas.height === 0) return; // nothing is visible yet
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.globalAlpha = 0.35;
    c.drawImage(this.surface, 0, 0);
    c.globalAlpha = 1;
    const left = GUTTER * this.scale, width = canvas.width - left;
    const x0 = left + (view.begin / view.total) * width, x1 = left + (view.end / view.total) * width;
    const shown = Math.max(2, x1 - x0);
    c.drawImage(this.surface, x0, 0, shown, canvas.height, x0, 0, shown, canvas.height);
    c.strokeStyle = theme.accent;
    c.lineWidth = 1.5 * this.scale;
    c.strokeRect(x0, 0.75 * this.scale, shown, canvas.height - 1.5 * this.scale);
  }
  time(x) {
    return ((x - GUTTER) / Math.max(1, this.canvas.clientWidth - GUTTER)) * this.view.total;
  }
}
