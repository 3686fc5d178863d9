// The page: reads its profile and keeps all views of it synchronized.
import { Profile } from "./data.js";
import { commandText, holdText, showFigures, showWhy, spanText } from "./details.js";
import { instant, time } from "./format.js";
import { listen } from "./input.js";
import { Colouring, Theme } from "./palette.js";
import { Roofline } from "./roofline.js";
import { Tables } from "./tables.js";
import { Overview, Timeline } from "./timeline.js";
import { Usage } from "./usage.js";
import { View } from "./view.js";

const element = (id) => document.getElementById(id);
const MOST_LEGEND = 10;

const profile = new Profile(JSON.parse(element("profile").textContent));
const view = new View(profile.total);
const theme = new Theme();
const timeline = new Timeline(element("timeline"), profile, view, theme);
const overview = new Overview(element("overview"), profile, view, theme);
const usage = new Usage(element("use"), profile, view, theme);
const roofline = new Roofline(element("roofline"), profile, theme, search);
new Tables(element("tables"), profile, search);
let colouring = new Colouring(profile, "op");
// The commands that the search found, in order of time.
let matches = [];

function draw() {
  timeline.draw(colouring);
  overview.draw();
  usage.draw();
  element("span").textContent = `${instant(view.begin, view.span / 100)} to ${instant(view.end, view.span / 100)}, ${time(view.span)}`;
}

function resize() {
  for (const part of [timeline, overview, usage, roofline]) part.resize();
  view.changed();
}

function search(text) {
  element("search").value = text;
  view.found = profile.find(text);
  matches = view.found ? [...view.found.keys()].filter((i) => view.found[i]).sort((a, b) => profile.begin[a] - profile.begin[b]) : [];
  const taken = matches.reduce((sum, i) => sum + profile.end[i] - profile.begin[i], 0);
  element("matches").textContent = view.found ? `${matches.length} command${matches.length === 1 ? "" : "s"}, ${time(taken)}` : "";
  view.changed();
}

function select(command) {
  view.select(command);
  element("selected").hidden = command < 0;
  if (command >= 0) element("selected").replaceChildren(...commandText(profile, command));
}

function goTo(command) {
  select(command);
  const length = profile.end[command] - profile.begin[command];
  const isSeen = profile.begin[command] >= view.begin && profile.end[command] <= view.end;
  if (!isSeen || length < view.span / 200) view.showAround(profile.begin[command], profile.end[command], 12);
}

// Goes to the next match; without a search, to the next command on the selected command's engine.
function neighbour(step) {
  let commands = matches;
  if (!view.found) {
    const engine = view.selected >= 0 ? profile.columns.engine[view.selected] : profile.tracks[0].engine;
    commands = profile.tracks.find((track) => track.engine === engine).commands;
  }
  if (commands.length === 0) return;
  const at = commands.indexOf(view.selected);
  goTo(commands[at < 0 ? 0 : (at + step + commands.length) % commands.length]);
}

function choose(hit, zoom) {
  const command = hit.command >= 0 ? hit.command : hit.hold >= 0 ? profile.holds.command[hit.hold] : -1;
  if (hit.span && zoom) return view.showAround(hit.span.begin, hit.span.end, 0.05);
  select(command);
  if (command >= 0 && zoom) view.showAround(profile.begin[command], profile.end[command]);
}

function hover(hit, event) {
  const tip = element("tip");
  let content = null;
  if (hit.command >= 0) content = commandText(profile, hit.command);
  if (hit.hold >= 0) content = holdText(profile, hit.hold, hit.byte);
  if (hit.span) content = spanText(profile, hit.row.kind, hit.span);
  tip.hidden = content === null;
  if (tip.hidden) return;
  tip.replaceChildren(...content);
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
}

function colourBy(column) {
  colouring = new Colouring(profile, column);
  element("legend").replaceChildren(...colouring.entries.slice(0, MOST_LEGEND).map((entry) => {
    const button = document.createElement("button"), name = profile.names[entry.name];
    button.type = "button";
    button.innerHTML = "<i></i><span></span>";
    button.firstChild.style.background = colouring.of[entry.name];
    button.lastChild.textContent = `${name || "(none)"} ${Math.round((100 * entry.time) / profile.total)} %`;
    button.addEventListener("click", () => search(element("search").value === name ? "" : name));
    return button;
  }));
  view.changed();
}

function describe() {
  const { chip } = profile;
  document.title = `${profile.title} \u2013 tputwin profile`;
  element("title").textContent = profile.title;
  element("subtitle").textContent = `${chip.name}, ${chip.lanes} lanes of ${chip.laneBytes / 1024} KiB, ${(chip.clock / 1e6).toFixed(0)} MHz: predicted time, not measured`;
  for (const option of element("colour").options) option.hidden = !profile.columns[option.value].some((name) => name !== 0);
}

view.listeners.push(draw);
theme.listeners.push(() => {
  overview.paint();
  usage.create();
  if (roofline.plot) roofline.create();
  view.changed();
});
element("theme").addEventListener("click", () => theme.toggle());
element("colour").addEventListener("change", (event) => colourBy(event.target.value));
element("search").addEventListener("input", (event) => search(event.target.value));
element("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") neighbour(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") search(""), element("timeline").focus();
});
element("previous").addEventListener("click", () => neighbour(-1));
element("next").addEventListener("click", () => neighbour(1));
element("in").addEventListener("click", () => view.zoom(0.5));
element("out").addEventListener("click", () => view.zoom(2));
element("fit").addEventListener("click", () => view.all());
addEventListener("resize", resize);
listen({ timeline, overview, view, hover, choose, neighbour });
describe();
showFigures(element("figures"), profile);
showWhy(element("why"), profile, (item) => {
  search(item.search ?? "");
  if (item.command >= 0) goTo(item.command);
});
colourBy("op");
resize();
// for tests
globalThis.tputwin = { profile, view, timeline, draw };
