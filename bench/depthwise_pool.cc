// Depthwise convolution and pooling in operations per second (a multiply-add is two, a comparison
// or addition one).
#include <benchmark/benchmark.h>

#include "base/parallel.h"
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;

struct Layer {
  const char* name;
  Shape in;
  uint32_t kernel, stride, pad;
};

constexpr Layer kLayers[] = {
    {"64x56x56 3x3", {1, 64, 56, 56}, 3, 1, 1},
    {"32x112x112 3x3 stride 2", {1, 32, 112, 112}, 3, 2, 1},
    {"512x14x14 3x3", {1, 512, 14, 14}, 3, 1, 1},
    {"96x28x28 5x5", {1, 96, 28, 28}, 5, 1, 2},
    {"1024x7x7 7x7", {1, 1024, 7, 7}, 7, 1, 0},
};

Window window_of(const Layer& layer) {
  Axis axis{.kernel = layer.kernel,
            .stride = layer.stride,
            .pad_before = layer.pad,
            .pad_after = layer.pad};
  return {axis, axis};
}

// Places the input and then the result; returns the first free byte.
uint64_t place(const Layer& layer, const Window& window, TensorView& in, TensorView& out) {
  const Shape& s = layer.in;
  const Shape result{s.n, s.c, window.h.output(s.h), window.w.output(s.w)};
  in = local_tensor(bm1880(), 0, s, /*aligned=*/true, DType::i8);
  const uint64_t middle = local_lane_bytes(bm1880(), s, true);
  out = local_tensor(bm1880(), middle, result, /*aligned=*/true, DType::i8);
  return middle + local_lane_bytes(bm1880(), result, true);
}

void measure(benchmark::State& state, const Layer& layer, Operation op, const Shape& out,
             double per_tap) {
  auto device = bench::make_device(0);
  const Instruction instruction{.op = std::move(op), .engine = Engine::compute, .id = 1};
  state.SetLabel(layer.name);
  std::vector<double> seconds;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    if (Status status = device->run({&instruction, 1}); !status.ok()) {
      state.SkipWithError(status.message().c_str());
      return;
    }
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(time.count());
    seconds.push_back(time.count());
  }
  double operations = per_tap * static_cast<double>(out.count()) * layer.kernel * layer.kernel;
  state.counters["GOPS"] = operations * 1e-9 / bench::median(seconds);
  state.counters["threads"] = thread_count();
}

void depthwise(benchmark::State& state) {
  const Layer& layer = kLayers[state.range(0)];
  Depthwise2dBm1880 op{.window = window_of(layer), .rshift = 7};
  uint64_t end = place(layer, op.window, op.in, op.out);
  op.weight = local_tensor(bm1880(), end, {1, layer.in.c, layer.kernel, layer.kernel},
                           /*aligned=*/true, DType::i8);
  measure(state, layer, op, op.out.shape, 2);
}
BENCHMARK(depthwise)->DenseRange(0, std::size(kLayers) - 1)->UseManualTime();

void pool(benchmark::State& state, Pool2dBm1880::Kind kind) {
  const Layer& layer = kLayers[state.range(0)];
  Pool2dBm1880 op{.kind = kind, .window = window_of(layer), .multiplier = 57, .rshift = 9};
  if (kind == Pool2dBm1880::Kind::maximum) op.multiplier = 1, op.rshift = 0;
  place(layer, op.window, op.in, op.out);
  measure(state, layer, op, op.out.shape, 1);
}
BENCHMARK_CAPTURE(pool, maximum, Pool2dBm1880::Kind::maximum)
    ->DenseRange(0, std::size(kLayers) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(pool, average, Pool2dBm1880::Kind::average)
    ->DenseRange(0, std::size(kLayers) - 1)
    ->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
