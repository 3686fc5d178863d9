// Formats numbers for readers.

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

function digits(value) {
  const size = Math.abs(value);
  return size >= 100 || size === 0 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

// 1234567, "B" -> "1.23 MB"
export function quantity(value, unit = "") {
  const [factor, prefix] = PREFIXES.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  const text = factor === 1 && Number.isInteger(value) ? `${value}` : digits(value / factor);
  return `${text} ${prefix}${unit}`.trim();
}

// Formats nanoseconds.
export function time(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return `${digits(ns / 1e9)} s`;
  if (size >= 1e6) return `${digits(ns / 1e6)} ms`;
  if (size >= 1e3) return `${digits(ns / 1e3)} \u00b5s`;
  return `${digits(ns)} ns`;
}

// Formats a position on the time axis, exactly enough to distinguish it from one `step` later.
export function instant(ns, step) {
  const [factor, unit] = step >= 1e5 ? [1e6, "ms"] : Math.abs(ns) >= 1e3 || step >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  const places = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / factor) + 1e-9)));
  return `${(ns / factor).toFixed(places)} ${unit}`;
}

export function percent(share) {
  const value = 100 * share;
  return `${value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

export function hex(value) {
  return `0x${value.toString(16)}`;
}

// Returns the least of 1, 2 or 5 times a power of ten that is not less than `least`.
export function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9));
}
