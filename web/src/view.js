// The visible part of time, and the selected command.

const LEAST_SPAN = 10; // ns

export class View {
  constructor(total) {
    this.total = total;
    this.begin = 0;
    this.end = total;
    this.selected = -1;
    // Uint8Array of flags: the commands that the search found.
    this.found = null;
    this.listeners = [];
    this.pending = false;
  }

  get span() {
    return this.end - this.begin;
  }

  // Every listener draws once before the next frame.
  changed() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      for (const listener of this.listeners) listener();
    });
  }

  show(begin, end) {
    const span = Math.max(Math.min(LEAST_SPAN, this.total), Math.min(this.total, end - begin));
    this.begin = Math.max(0, Math.min(this.total - span, begin));
    this.end = this.begin + span;
    this.changed();
  }
  all() {
    this.show(0, this.total);
  }
  // Zooms around a position between 0 and 1 of the visible part.
  zoom(factor, place = 0.5) {
    const at = this.begin + place * this.span, span = Math.min(this.total, this.span * factor);
    this.show(at - place * span, at - place * span + span);
  }
  // Moves by a share of the visible part.
  move(share) {
    const by = share * this.span;
    this.show(this.begin + by, this.end + by);
  }
  // Shows the range with a margin on both sides.
  showAround(begin, end, room = 1.5) {
    const margin = room * Math.max(end - begin, LEAST_SPAN);
    this.show(begin - margin, end + margin);
  }
  select(command) {
    this.selected = command;
    this.changed();
  }
}
