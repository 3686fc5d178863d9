// Makes synthetic profiles of any size: two engines, and layers that load, compute and store.

// Returns a generator of the same numbers every time (mulberry32).
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function syntheticProfile(count, perLayer = 24) {
  const next = random(1), names = [""], ids = new Map([["", 0]]);
  const id = (name) => {
    if (!ids.has(name)) ids.set(name, names.push(name) - 1);
    return ids.get(name);
  };
  const commands = { engine: [], begin: [], time: [], op: [], call: [], layer: [], launch: [], number: [], macs: [], bytes: [], reason: [], line: [], path: [] };
  const holds = { command: [], from: [], bytes: [], begin: [], time: [] };
  const free = [0, 0];
  let before = 0, heldBefore = 0;
  for (let i = 0; i < count; ++i) {
    const layer = Math.floor(i / perLayer), step = i % 3, engine = step === 1 ? 0 : 1;
    const begin = Math.max(free[engine], step === 1 ? free[1] - 2000 : 0);
    const time = Math.floor(300 + 9000 * next() * (layer % 7 === 3 ? 3 : 1));
    free[engine] = begin + time;
    const values = {
      engine, begin: begin - before, time, op: id(["gdma_load", ["conv", "depthwise", "max_pooling"][layer % 3], "gdma_store"][step]),
      call: id(["bmk_load", "bmk_compute", "bmk_store"][step]), layer: id(`res${Math.floor(layer / 4)}/branch${layer % 4}`), launch: 0,
      number: i + 1, macs: step === 1 ? time * 30 : 0, bytes: step === 1 ? 0 : Math.floor(time * 1.1),
      reason: id(next() < 0.5 ? "bandwidth" : "waits for the other engine"), line: id(`kernel (kernel.c:${20 + step})`), path: step === 1 ? 0 : id("on it"),
    };
    for (const [column, value] of Object.entries(values)) commands[column].push(value);
    before = begin;
    if (step === 2) continue;
    holds.command.push(i);
    holds.from.push((layer % 8) * 8192 + (i % 4) * 2048);
    holds.bytes.push(2048);
    holds.begin.push(begin - heldBefore);
    holds.time.push(time * 2);
    heldBefore = begin;
  }
  return {
    title: `${count} synthetic commands`, tick: 1e-10, names, engines: ["compute", "dma"],
    chip: { name: "BM1880", clock: 1e9, lanes: 32, laneBytes: 65536, banks: 8, bankBytes: 8192, peakMacs: 512e9, peakBytes: 16e9, peakType: "8-bit", roofs: [{ type: "8-bit", macs: 512e9 }] },
    launches: { name: [id("network")], begin: [0], end: [Math.max(...free)] },
    commands, holds,
    why: { text: "the critical path: 90 % dma", items: [{ title: "bmk_load of layer res0/branch0", text: "double-buffer", gain: 0.31, command: 0, search: "res0/branch0" }] },
  };
}
