// Measures one instruction that runs repeatedly; holds the layers whose windows are measured so.
#pragma once

#include <benchmark/benchmark.h>

#include <cstring>

#include "machine/device.h"
#include "ops/contract/window.h"
#include "times.h"

namespace tputwin::bench {

// A convolution, depthwise convolution or pooling as benchmarks name it.
struct Layer {
  const char* name;
  Shape in;
  uint32_t oc, kernel, stride, pad;
  Window window() const {
    const Axis axis{.kernel = kernel, .stride = stride, .pad_before = pad, .pad_after = pad};
    return {axis, axis};
  }
  Shape out(uint32_t channels) const {
    const Window w = window();
    return {in.n, channels, w.h.output(in.h), w.w.output(in.w)};
  }
};

// Fills all lanes with elements of `bytes` bytes. Only lane 0 is drawn and then copied to the other
// lanes, because drawing takes longer than the measured operation.
template <class Draw>
void fill_lanes(Device& device, uint32_t bytes, const Draw& draw) {
  LocalMemory& local = device.memories().take_local();
  for (uint32_t at = 0; at < local.lane_bytes(); at += bytes) {
    const uint32_t bits = draw();
    std::memcpy(local.lane(0) + at, &bits, bytes);
  }
  for (uint32_t lane = 1; lane < local.lanes(); ++lane)
    std::memcpy(local.lane(lane), local.lane(0), local.lane_bytes());
}

// The least times of all runs: other load on the host can only make a run slower. It has less
// effect on processor time than on wall time.
struct LeastSeconds {
  double time = 1e9, processor = 1e9;
};

// Measures `run`, which takes a Device and returns a Status.
template <class Run>
LeastSeconds run_repeatedly(benchmark::State& state, Device& device, const Run& run) {
  LeastSeconds least;
  for (auto _ : state) {
    const double processor = cpu_seconds();
    const auto start = Clock::now();
    if (Status status = run(device); !status.ok()) {
      state.SkipWithError(status.message().c_str());
      return least;
    }
    const double seconds = seconds_since(start);
    least.processor = std::min(least.processor, cpu_seconds() - processor);
    least.time = std::min(least.time, seconds);
    state.SetIterationTime(seconds);
  }
  return least;
}

inline LeastSeconds run_repeatedly(benchmark::State& state, Device& device,
                                   const Instruction& instruction) {
  return run_repeatedly(state, device, [&](Device& d) { return d.run({&instruction, 1}); });
}

}  // namespace tputwin::bench
