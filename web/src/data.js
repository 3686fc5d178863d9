// The profile in the form that the page uses. Times are nanoseconds.

// Returns the first index in [from, count) whose value is not less; values ascend.
export function lowerBound(value, count, at, from = 0) {
  let low = from, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sums(deltas, factor) {
  const values = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; ++i) values[i] = (sum += deltas[i]) * factor;
  return values;
}

// The commands of one engine in order of time: `commands`, and sums over those before each.
class Track {
  constructor(engine, name, profile) {
    this.name = name;
    this.engine = engine;
    const all = [];
    for (let i = 0; i < profile.count; ++i) if (profile.columns.engine[i] === engine) all.push(i);
    this.commands = Uint32Array.from(all).sort((a, b) => profile.begin[a] - profile.begin[b] || a - b);
    const { begin, end, columns } = profile;
    this.busy = this.sum((i) => end[i] - begin[i]);
    this.bytes = this.sum((i) => columns.bytes[i]);
    this.macs = this.sum((i) => columns.macs[i]);
  }
  sum(of) {
    const before = new Float64Array(this.commands.length + 1);
    this.commands.forEach((command, i) => (before[i + 1] = before[i] + of(command)));
    return before;
  }
}

export class Profile {
  constructor(json) {
    Object.assign(this, { title: json.title, chip: json.chip, names: json.names, why: json.why });
    const factor = json.tick * 1e9;
    const columns = json.commands;
    this.columns = columns;
    this.count = columns.engine.length;
    this.begin = sums(columns.begin, factor);
    this.end = this.begin.map((begin, i) => begin + columns.time[i] * factor);
    this.inOrder = Uint32Array.from(this.begin.keys()).sort((a, b) => this.begin[a] - this.begin[b]);
    this.total = Math.max(1, this.end.reduce((a, b) => Math.max(a, b), 0), ...json.launches.end.map((end) => end * factor));
    this.launches = json.launches.name.map((name, i) => ({
      name, begin: json.launches.begin[i] * factor, end: json.launches.end[i] * factor,
    }));
    this.tracks = json.engines.map((name, engine) => new Track(engine, name, this)).filter((t) => t.commands.length);
    this.holds = { ...json.holds, begin: sums(json.holds.begin, factor) };
    this.holds.end = this.holds.begin.map((begin, i) => begin + json.holds.time[i] * factor);
    columns.kernel = columns.launch.map((launch) => this.launches[launch]?.name ?? 0);
  }

  name(column, command) {
    return this.names[this.columns[column][command]];
  }

  launchName(launch) {
    const name = this.names[this.launches[launch].name] || "commands";
    return this.launches.length > 1 ? `${name}, launch ${launch + 1}` : name;
  }

  // Returns for each value of a column the number of commands, their macs and bytes, and the time in
  // which at least one of them runs; of a kernel the time of its launches.
  totals(column) {
    const ids = this.columns[column], rows = new Map();
    for (const i of this.inOrder) {
      let row = rows.get(ids[i]);
      if (!row) rows.set(ids[i], (row = { name: ids[i], count: 0, time: 0, until: 0, compute: 0, dma: 0, macs: 0, bytes: 0 }));
      const begin = this.begin[i], end = this.end[i];
      row.count++;
      row.time += Math.max(0, end - Math.max(begin, row.until));
      row.until = Math.max(row.until, end);
      if (this.columns.bytes[i] > 0) row.dma += end - begin;
      else row.compute += end - begin;
      row.macs += this.columns.macs[i];
      row.bytes += this.columns.bytes[i];
    }
    if (column === "kernel") this.setTimesOfKernels(rows);
    return [...rows.values()];
  }

  setTimesOfKernels(rows) {
    for (const row of rows.values()) row.time = 0;
    for (const { name, begin, end } of this.launches) if (rows.has(name)) rows.get(name).time += end - begin;
  }

  // Returns flags of the commands that have the text in one of their names; null: no search.
  find(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return null;
    const has = this.names.map((name) => name.toLowerCase().includes(wanted));
    const found = new Uint8Array(this.count);
    const searched = ["op", "call", "layer", "kernel", "line", "reason"].map((name) => this.columns[name]);
    for (let i = 0; i < this.count; ++i) found[i] = searched.some((ids) => has[ids[i]]) ? 1 : 0;
    return found;
  }

  // Returns spans of one name of a column: consecutive commands on the compute engine, or on
  // another engine if the compute engine has none of them. Overlapping spans get different rows.
  spans(column, mostRows) {
    const ids = this.columns[column], spans = [], computed = new Set();
    for (const track of [...this.tracks].sort((a, b) => a.engine - b.engine)) {
      const known = new Set(computed);
      let last = null;
      for (const command of track.commands) {
        const name = ids[command], key = name + this.columns.launch[command] * this.names.length;
        if (last && last.key === key) {
          last.end = this.end[command];
          continue;
        }
        last = name && !known.has(key) ? { key, name, begin: this.begin[command], end: this.end[command] } : null;
        if (last) spans.push(last), computed.add(key);
      }
    }
    spans.sort((a, b) => a.begin - b.begin);
    const rows = [];
    for (const span of spans) {
      let row = rows.findIndex((list) => list.at(-1).end <= span.begin + 1e-6);
      if (row < 0 && rows.length < mostRows) row = rows.push([]) - 1;
      if (row >= 0) rows[row].push(span);
    }
    return rows;
  }

  // Returns the command of a track at a time, or -1.
  commandAt(track, time) {
    const at = lowerBound(time, track.commands.length, (i) => this.end[track.commands[i]]);
    const command = track.commands[at];
    return at < track.commands.length && this.begin[command] <= time ? command : -1;
  }

  // Returns one of a track's sums (busy, bytes, macs) from time 0 to `time`; a command's share is
  // distributed evenly over its time.
  until(track, sum, time) {
    const at = lowerBound(time, track.commands.length, (i) => this.end[track.commands[i]]);
    if (at === track.commands.length) return sum[at];
    const command = track.commands[at], begin = this.begin[command], length = this.end[command] - begin;
    const part = length > 0 ? Math.max(0, Math.min(1, (time - begin) / length)) : 0;
    return sum[at] + part * (sum[at + 1] - sum[at]);
  }
}
