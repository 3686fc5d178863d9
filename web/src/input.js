// Mouse and keyboard on the timeline.
import { GUTTER } from "./timeline.js";

// CLICK is the number of px that a click may move.
const WHEEL = 0.0016, STEP = 0.12, ZOOM = 0.7, CLICK = 4;

export function listen({ timeline, overview, view, hover, choose, neighbour }) {
  const { canvas } = timeline;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let grabbed = null;
  canvas.addEventListener("pointerdown", (event) => {
    grabbed = { x: event.clientX, begin: view.begin, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grabbed) return hover(timeline.hit(...at(event)), event);
    grabbed.moved = Math.max(grabbed.moved, Math.abs(event.clientX - grabbed.x));
    const begin = grabbed.begin - ((event.clientX - grabbed.x) / timeline.plotWidth) * view.span;
    view.show(begin, begin + view.span);
  });
  const release = (event) => {
    canvas.classList.remove("moving");
    if (grabbed && grabbed.moved < CLICK && event.type === "pointerup") choose(timeline.hit(...at(event)), false);
    grabbed = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", (event) => hover({}, event));
  canvas.addEventListener("dblclick", (event) => choose(timeline.hit(...at(event)), true));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) return view.move(sideways * 0.001);
    view.zoom(Math.exp(event.deltaY * WHEEL), Math.max(0, (at(event)[0] - GUTTER) / timeline.plotWidth));
  }, { passive: false });

  const jump = (event) => {
    if (event.buttons !== 1) return;
    const time = overview.time(event.clientX - overview.canvas.getBoundingClientRect().left);
    view.show(time - view.span / 2, time + view.span / 2);
  };
  overview.canvas.addEventListener("pointerdown", (event) => {
    overview.canvas.setPointerCapture(event.pointerId);
    jump(event);
  });
  overview.canvas.addEventListener("pointermove", jump);
  keys(view, neighbour);
}

function keys(view, neighbour) {
  const actions = {
    ArrowLeft: (shift) => (shift ? neighbour(-1) : view.move(-STEP)),
    ArrowRight: (shift) => (shift ? neighbour(1) : view.move(STEP)),
    "+": () => view.zoom(ZOOM),
    "=": () => view.zoom(ZOOM),
    "-": () => view.zoom(1 / ZOOM),
    0: () => view.all(),
    Home: () => view.show(0, view.span),
    End: () => view.show(view.total - view.span, view.total),
    t: () => document.getElementById("theme").click(),
    "/": () => document.getElementById("search").focus(),
    Escape: () => view.select(-1),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, [role=tab]");
    const action = actions[event.key];
    if (typing || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event.shiftKey);
  });
}
