// Colours that colour-blind readers can distinguish, with dark text readable on each.

export const COLOURS = [
  "#6f9fd8", "#e58a63", "#45b08c", "#dcbf4a", "#e897ae", "#83c5ec", "#aabb3d", "#a08fd9", "#bd9672", "#5fb9b5",
];
export const OTHER = "#a3abb6";
export const INK = "#10151c"; // text on colours

// The dark or light theme, and its listeners.
export class Theme {
  constructor(root = document.documentElement) {
    this.root = root;
    this.listeners = [];
    const system = matchMedia("(prefers-color-scheme: dark)");
    this.set(system.matches);
    system.addEventListener("change", () => this.set(system.matches));
  }
  set(dark) {
    this.dark = dark;
    this.root.dataset.theme = dark ? "dark" : "light";
    const style = getComputedStyle(this.root);
    for (const name of ["back", "card", "text", "quiet", "line", "track", "accent", "mark"])
      this[name] = style.getPropertyValue(`--${name}`).trim();
    for (const listener of this.listeners) listener();
  }
  toggle() {
    this.set(!this.dark);
  }
}

// Colours for the names of a column: those with most time have their own, the others share one.
export class Colouring {
  constructor(profile, column) {
    const totals = profile.totals(column);
    totals.sort((a, b) => b.time - a.time);
    this.entries = totals;
    this.of = new Array(profile.names.length).fill(OTHER);
    totals.slice(0, COLOURS.length).forEach((entry, i) => (this.of[entry.name] = COLOURS[i]));
    this.of[0] = OTHER;
    this.ids = profile.columns[column];
  }
  command(index) {
    return this.of[this.ids[index]];
  }
}
