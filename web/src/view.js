// The part of time that is shown, and which command is selected.

const LEAST_SPAN = 10; // ns

export class View {
  constructor(total) {
    this.total = total;
    this.begin = 0;
    this.end = total;
    this.selected = -1;
    this.found = null; // Uint8Array of the commands that the search found
    this.listeners = [];
    this.pending = false;
  }

  get span() {
    return this.end - this.begin;
  }

  // Everybody draws once before the next frame.
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
  // Around a place between 0 and 1 of what is shown.
  zoom(factor, place = 0.5) {
    const at = this.begin + place * this.span, span = Math.min(this.total, this.span * factor);
    this.show(at - place * span, at - place * span + span);
  }
  // By a share of what is shown.
  move(share) {
    const by = share * this.span;
    this.show(this.begin + by, this.end + by);
  }
  // So that there is some room at both sides.
  showAround(begin, end, room = 1.5) {
    const margin = room * Math.max(end - begin, LEAST_SPAN);
    this.show(begin - margin, end + margin);
  }
  select(command) {
    this.selected = command;
    this.changed();
  }
}
