// Convolution, depthwise convolution and pooling of the BM1684X for every type, in the chip's own
// order of additions. One thread: TPUTWIN_THREADS=1.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>

#include "base/bits.h"
#include "base/parallel.h"
#include "machine/device.h"
#include "numerics/float16.h"
#include "one_instruction.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "selftest/lanes.h"

namespace {

using namespace tputwin;
using bench::Layer;
using testing::Lanes;

const Chip& chip = bm1684x();

constexpr Layer kConvolutions[] = {
    {"64->64 3x3 56x56", {1, 64, 56, 56}, 64, 3, 1, 1},
    {"256->256 3x3 14x14", {1, 256, 14, 14}, 256, 3, 1, 1},
    {"512->128 3x3 7x7", {1, 512, 7, 7}, 128, 3, 1, 1},
    {"3->64 7x7 112x112 stride 2", {1, 3, 112, 112}, 64, 7, 2, 3},
    {"256->64 1x1 56x56", {1, 256, 56, 56}, 64, 1, 1, 0},
    {"64->3 3x3 56x56", {1, 64, 56, 56}, 3, 3, 1, 1},
};
constexpr Layer kPlanes[] = {
    {"64x56x56 3x3", {1, 64, 56, 56}, 64, 3, 1, 1},
    {"256x28x28 3x3", {1, 256, 28, 28}, 256, 3, 1, 1},
    {"64x112x112 3x3 stride 2", {1, 64, 112, 112}, 64, 3, 2, 1},
};

// Numbers near 1 in all floating-point types.
void fill_random(Device& device) {
  std::mt19937 random(1);
  std::uniform_int_distribution<uint16_t> value(0x3c00, 0x3fff);
  bench::fill_lanes(device, sizeof(uint16_t),
                    [&]() -> uint32_t { return value(random) | (random() & 1) << 15; });
}

void measure(benchmark::State& state, const char* name, Operation op, double products) {
  auto device = std::move(Device::create({.chip = &chip, .global_bytes = 1 << 20}).value());
  fill_random(*device);
  const Instruction instruction{.op = std::move(op), .engine = Engine::compute, .id = 1};
  const double seconds = bench::run_repeatedly(state, *device, instruction).time;
  state.SetLabel(fmt::format("{}, {} threads, {}", name, thread_count(), fast::selected_isa()));
  state.counters["GMAC/s"] = products / seconds * 1e-9;
  state.counters["us"] = seconds * 1e6;
}

void conv2d_float(benchmark::State& state, DType dtype) {
  const Layer& layer = kConvolutions[state.range(0)];
  Lanes lanes(chip);
  const Conv2dBm1684xFloat op{
      .out = lanes.aligned(layer.out(layer.oc), DType::f32),
      .in = lanes.aligned(layer.in, dtype),
      .weight = Source::tensor(
          lanes.compact(weight_shape(layer.in.c, layer.oc, layer.window(), dtype), dtype)),
      .bias = lanes.compact({1, layer.oc, 1, 1}, DType::f32),
      .window = layer.window()};
  measure(state, layer.name, op,
          1.0 * layer.in.c * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK_CAPTURE(conv2d_float, f32, DType::f32)
    ->DenseRange(0, std::size(kConvolutions) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(conv2d_float, bf16, DType::bf16)
    ->DenseRange(0, std::size(kConvolutions) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(conv2d_float, f16, DType::f16)
    ->DenseRange(0, std::size(kConvolutions) - 1)
    ->UseManualTime();

// 8-bit results are requantized here, 32-bit results by a separate command.
void conv2d_quant(benchmark::State& state, DType out) {
  const Layer& layer = kConvolutions[state.range(0)];
  Lanes lanes(chip);
  const Conv2dBm1684xInt8 op{
      .out = lanes.aligned(layer.out(layer.oc), out),
      .in = lanes.aligned(layer.in, DType::i8),
      .weight = Source::tensor(
          lanes.compact(weight_shape(layer.in.c, layer.oc, layer.window(), DType::i8), DType::i8)),
      .bias = lanes.compact({1, layer.oc, 1, 1}, DType::i16),
      .window = layer.window(),
      .rshift = is_32bit(out) ? 0u : 7u};
  measure(state, layer.name, op,
          1.0 * layer.in.c * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK_CAPTURE(conv2d_quant, i8, DType::i8)
    ->DenseRange(0, std::size(kConvolutions) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(conv2d_quant, i32, DType::i32)
    ->DenseRange(0, std::size(kConvolutions) - 1)
    ->UseManualTime();

void depthwise2d_float(benchmark::State& state, DType dtype) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  const Depthwise2dBm1684xFloat op{
      .out = lanes.aligned(layer.out(layer.in.c), dtype),
      .in = lanes.aligned(layer.in, dtype),
      .weight = Source::tensor(lanes.compact({1, layer.in.c, layer.kernel, layer.kernel}, dtype)),
      .window = layer.window()};
  measure(state, layer.name, op,
          1.0 * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK_CAPTURE(depthwise2d_float, f32, DType::f32)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(depthwise2d_float, f16, DType::f16)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(depthwise2d_float, bf16, DType::bf16)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();

void depthwise2d_quant(benchmark::State& state) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  const Depthwise2dBm1684xInt8 op{.out = lanes.aligned(layer.out(layer.in.c), DType::i8),
                                  .in = lanes.aligned(layer.in, DType::i8),
                                  .weight = Source::tensor(lanes.compact(
                                      {1, layer.in.c, layer.kernel, layer.kernel}, DType::i8)),
                                  .window = layer.window(),
                                  .rshift = 7};
  measure(state, layer.name, op,
          1.0 * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK(depthwise2d_quant)->DenseRange(0, std::size(kPlanes) - 1)->UseManualTime();

void pool2d_float(benchmark::State& state, Pool2dBm1684xFloat::Kind kind, DType dtype) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  const Pool2dBm1684xFloat op{.kind = kind,
                              .out = lanes.aligned(layer.out(layer.in.c), dtype),
                              .in = lanes.aligned(layer.in, dtype),
                              .window = layer.window(),
                              .factor = float_bits(0.125f, dtype)};
  measure(state, layer.name, op,
          1.0 * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK_CAPTURE(pool2d_float, maximum_f16, Pool2dBm1684xFloat::Kind::maximum, DType::f16)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(pool2d_float, average_f32, Pool2dBm1684xFloat::Kind::average, DType::f32)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();

void pool2d_quant(benchmark::State& state, Pool2dBm1684xInt8::Kind kind) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  const Pool2dBm1684xInt8 op{.kind = kind,
                             .out = lanes.aligned(layer.out(layer.in.c), DType::i8),
                             .in = lanes.aligned(layer.in, DType::i8),
                             .window = layer.window(),
                             .multiplier = 28,
                             .rshift = 8};
  measure(state, layer.name, op,
          1.0 * taps_of(op.window) * static_cast<double>(op.out.shape.count()));
}
BENCHMARK_CAPTURE(pool2d_quant, maximum, Pool2dBm1684xInt8::Kind::maximum)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(pool2d_quant, average, Pool2dBm1684xInt8::Kind::average)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
