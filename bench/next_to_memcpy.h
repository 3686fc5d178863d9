// Speed of an instruction as a ratio to memcpy. Both move the same number of bytes on the same
// threads, alternately in one loop. The ratios use medians, because other load on the host makes
// single rounds many times longer. On a host with constant load, the least times ("least") are more
// reliable.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "base/copy_run.h"
#include "base/parallel.h"
#include "machine/device.h"
#include "memory/layout.h"

namespace tputwin::bench {

// Pages that were never written all map to one page of zeros and seem faster than they are.
inline void fill_random(std::span<uint8_t> bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    uint64_t value = random();
    std::memcpy(bytes.data() + i, &value, 8);
  }
}

// A device whose local memory and first global bytes hold random data.
inline std::unique_ptr<Device> make_device(uint64_t global_bytes) {
  auto device = Device::create({.chip = &bm1880()});
  if (!device.ok()) return nullptr;
  fill_random((*device)->memories().take_local().host_bytes(), 1);
  fill_random({(*device)->memories().take_global().data(), global_bytes}, 2);
  return std::move(*device);
}

inline double median(std::vector<double>& values) {
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Runs one instruction per iteration. `bytes` is the number of bytes it reads and writes.
inline void next_to_memcpy(benchmark::State& state, Device& device, Operation op, uint64_t bytes) {
  using Clock = std::chrono::steady_clock;
  const Instruction instruction{.op = std::move(op), .engine = engine(op), .id = 1};
  std::vector<uint8_t> from(bytes / 2), to(bytes / 2);
  fill_random(from, 3);
  fill_random(to, 4);
  auto copy = [&] {
    parallel_for(from.size(), 256 << 10, [&](size_t begin, size_t end) {
      copy_run(to.data() + begin, from.data() + begin, end - begin);
    });
    benchmark::ClobberMemory();
  };
  std::vector<double> ours, memcpys;
  for (auto _ : state) {
    auto start = Clock::now();
    if (Status status = device.run({&instruction, 1}); !status.ok()) {
      state.SkipWithError(status.message().c_str());
      return;
    }
    auto middle = Clock::now();
    copy();
    auto end = Clock::now();
    double seconds = std::chrono::duration<double>(middle - start).count();
    state.SetIterationTime(seconds);
    ours.push_back(seconds);
    memcpys.push_back(std::chrono::duration<double>(end - middle).count());
  }
  const double our_time = median(ours), memcpy_time = median(memcpys);
  state.counters["GB/s"] = static_cast<double>(bytes) / our_time * 1e-9;
  state.counters["memcpy_GB/s"] = static_cast<double>(bytes) / memcpy_time * 1e-9;
  state.counters["ratio"] = memcpy_time / our_time;
  state.counters["least"] = *std::ranges::min_element(memcpys) / *std::ranges::min_element(ours);
  state.counters["threads"] = thread_count();
}

}  // namespace tputwin::bench
