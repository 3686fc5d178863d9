// Text about one command, one hold or one span; the totals; advice.
import { hex, instant, percent, quantity, time } from "./format.js";

function list(pairs) {
  const all = document.createElement("dl");
  for (const [term, text] of pairs) {
    if (!text) continue;
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = term;
    dd.textContent = text;
    all.append(dt, dd);
  }
  return all;
}

function titled(title, pairs) {
  const head = document.createElement("b");
  head.textContent = title;
  return [head, list(pairs)];
}

export function commandText(profile, command) {
  const { columns, chip } = profile, of = (column) => profile.name(column, command);
  const length = profile.end[command] - profile.begin[command];
  const rate = length > 0 ? (columns.macs[command] / length) * 1e9 : 0, speed = length > 0 ? (columns.bytes[command] / length) * 1e9 : 0;
  const engine = profile.tracks.find((track) => track.engine === columns.engine[command]).name;
  return titled(of("op"), [
    ["call", of("call")],
    ["line", of("line")],
    ["layer", of("layer")],
    ["kernel", of("kernel")],
    ["command", `${columns.number[command]} of its launch, ${engine}`],
    ["begins", instant(profile.begin[command], Math.max(1, length / 100))],
    ["takes", time(length)],
    ["moves", columns.bytes[command] ? `${quantity(columns.bytes[command], "B")}, ${quantity(speed, "B/s")}, ${percent(speed / chip.peakBytes)} of the bandwidth` : ""],
    ["products", columns.macs[command] ? `${quantity(columns.macs[command], "MAC")}, ${quantity(rate, "MAC/s")}, ${percent(rate / chip.peakMacs)} of ${chip.peakType}` : ""],
    ["bound by", of("reason")],
    ["critical path", of("path")],
  ]);
}

export function holdText(profile, hold, byte) {
  const { holds, chip } = profile, from = holds.from[hold], end = from + holds.bytes[hold];
  const first = Math.floor(from / chip.bankBytes), last = Math.floor((end - 1) / chip.bankBytes);
  const command = holds.command[hold];
  return titled(`${hex(from)} to ${hex(end)} of its lanes`, [
    ["bytes", `${quantity(end - from, "B")} of each lane, bank${first === last ? ` ${first}` : `s ${first} to ${last}`}`],
    ["written by", [profile.name("op", command), profile.name("layer", command)].filter(Boolean).join(", ")],
    ["line", profile.name("line", command) || profile.name("call", command)],
    ["needed for", time(holds.end[hold] - holds.begin[hold])],
    ["here", hex(byte)],
  ]);
}

export function spanText(profile, kind, span) {
  return titled(profile.names[span.name], [[kind, ""], ["takes", time(span.end - span.begin)], ["of all", percent((span.end - span.begin) / profile.total)]]);
}

export function showFigures(root, profile) {
  const { chip, total, tracks, columns } = profile;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const bytes = sum(columns.bytes), macs = sum(columns.macs);
  const figures = [
    [time(total), "predicted time", null],
    [profile.count.toLocaleString("en"), `commands in ${quantity(profile.launches.length)} launch${profile.launches.length === 1 ? "" : "es"}`, null],
    ...tracks.filter((track) => track.busy.at(-1) > 0).map((track) => [percent(track.busy.at(-1) / total), `${track.name} busy`, track.busy.at(-1) / total]),
    [quantity((bytes / total) * 1e9, "B/s"), `global memory, of ${quantity(chip.peakBytes, "B/s")}`, (bytes / total) * 1e9 / chip.peakBytes],
    [quantity((macs / total) * 1e9, "MAC/s"), `of ${quantity(chip.peakMacs, "MAC/s")} (${chip.peakType})`, (macs / total) * 1e9 / chip.peakMacs],
  ];
  root.replaceChildren(...figures.map(([value, text, share]) => {
    const figure = document.createElement("div");
    figure.className = "figure";
    figure.innerHTML = "<b></b><span></span>";
    figure.children[0].textContent = value;
    figure.children[1].textContent = text;
    if (share !== null) {
      const bar = document.createElement("i");
      bar.style.setProperty("--share", percent(Math.min(1, share)).replace(" ", ""));
      figure.append(bar);
    }
    return figure;
  }));
}

// Shows the causes of lost time, and the changes with the largest gains.
export function showWhy(root, profile, goTo) {
  const { why } = profile;
  root.hidden = !why || why.items.length === 0;
  if (root.hidden) return;
  root.innerHTML = `<div class="bar"><h2>Why slow</h2><span class="quiet"></span></div><ol></ol>`;
  root.querySelector("span").textContent = why.text ?? "";
  root.querySelector("ol").append(...why.items.map((item) => {
    const entry = document.createElement("li"), button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: item.title });
    button.addEventListener("click", () => goTo(item));
    if (item.gain) {
      const gain = document.createElement("span");
      gain.className = "gain";
      gain.textContent = `\u2212${percent(item.gain)}`;
      entry.append(gain);
    }
    const text = document.createElement("div");
    text.className = "quiet";
    text.textContent = item.text ?? "";
    entry.append(button, text);
    return entry;
  }));
}
