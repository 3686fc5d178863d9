// Networks on the BM1684: fp32 convolutions, pooling and matrix products in the chip's own order of
// additions, compared with the processor's peak rate of separate multiplications and additions.
// Also convolutions and products of bytes. One thread: TPUTWIN_THREADS=1.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/parallel.h"
#include "machine/device.h"
#include "one_instruction.h"
#include "ops/fast/fast.h"
#include "selftest/lanes.h"

namespace {

using namespace tputwin;
using bench::Clock;
using bench::Layer;
using testing::Lanes;

const Chip& chip = bm1684();

constexpr Layer kConvolutions[] = {
    {"64->64 3x3 56x56", {1, 64, 56, 56}, 64, 3, 1, 1},
    {"256->256 3x3 14x14", {1, 256, 14, 14}, 256, 3, 1, 1},
    {"512->128 3x3 7x7", {1, 512, 7, 7}, 128, 3, 1, 1},
    {"3->64 7x7 112x112 stride 2", {1, 3, 112, 112}, 64, 7, 2, 3},
    {"64->128 3x3 56x56 stride 2", {1, 64, 56, 56}, 128, 3, 2, 1},
    {"64->64 1x1 56x56", {1, 64, 56, 56}, 64, 1, 1, 0},
    {"256->64 1x1 56x56", {1, 256, 56, 56}, 64, 1, 1, 0},
    {"64->3 3x3 56x56", {1, 64, 56, 56}, 3, 3, 1, 1},
    {"2048->1000 1x1 1x1", {1, 2048, 1, 1}, 1000, 1, 1, 0},
    {"64 images 512->256 1x1 1x1", {64, 512, 1, 1}, 256, 1, 1, 0},
};
constexpr Layer kPlanes[] = {
    {"64x56x56 3x3", {1, 64, 56, 56}, 64, 3, 1, 1},
    {"256x28x28 3x3", {1, 256, 28, 28}, 256, 3, 1, 1},
    {"64x112x112 3x3 stride 2", {1, 64, 112, 112}, 64, 3, 2, 1},
    {"2048x7x7 7x7", {1, 2048, 7, 7}, 2048, 7, 1, 0},
};

void fill_random(Device& device) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  bench::fill_lanes(device, sizeof(float), [&] { return std::bit_cast<uint32_t>(value(random)); });
}

// "per_thread" is the rate by processor time, on which other load of the host has less effect.
template <class Run>
bench::LeastSeconds measure_run(benchmark::State& state, const char* name, double products,
                                const Run& run) {
  auto device = std::move(Device::create({.chip = &chip, .global_bytes = 1 << 20}).value());
  fill_random(*device);
  const auto least = bench::run_repeatedly(state, *device, run);
  state.SetLabel(fmt::format("{}, {} threads, {}", name, thread_count(), fast::selected_isa()));
  state.counters["GMAC/s"] = products / least.time * 1e-9;
  state.counters["per_thread"] = products / least.processor * 1e-9;
  return least;
}

void measure(benchmark::State& state, const char* name, Operation op, double products,
             double bytes) {
  const Instruction instruction{.op = std::move(op), .engine = Engine::compute, .id = 1};
  const auto least = measure_run(state, name, products, instruction);
  state.counters["GB/s"] = bytes / least.time * 1e-9;
  state.counters["us"] = least.time * 1e6;
}

// Measures operations issued in sequence, as kernels do.
void measure_chain(benchmark::State& state, const char* name, std::span<const Operation> chain,
                   double products) {
  const auto run = [&](Device& device) -> Status {
    for (const Operation& op : chain)
      TW_RETURN_IF_ERROR(device.issue({.op = op, .engine = Engine::compute}, {.call = "bench"}));
    return device.drain();
  };
  const auto least = measure_run(state, name, products, run);
  state.counters["us"] = least.time * 1e6 / static_cast<double>(chain.size());
}

double bytes_of(const TensorView& a, const TensorView& b) {
  return static_cast<double>(element_bytes(a.dtype)) *
         static_cast<double>(a.shape.count() + b.shape.count());
}

void conv2d(benchmark::State& state) {
  const Layer& layer = kConvolutions[state.range(0)];
  Lanes lanes(chip);
  Conv2dBm1684 op{
      .out = lanes.aligned(layer.out(layer.oc)),
      .in = lanes.aligned(layer.in),
      .weight = lanes.compact({layer.in.c, layer.oc, layer.kernel, layer.kernel}, DType::f32, 2),
      .bias = lanes.compact({1, layer.oc, 1, 1}),
      .window = layer.window()};
  const double taps = double{1} * layer.in.c * layer.kernel * layer.kernel;
  measure(state, layer.name, op, taps * static_cast<double>(op.out.shape.count()),
          bytes_of(op.in, op.out));
}
BENCHMARK(conv2d)->DenseRange(0, std::size(kConvolutions) - 1)->UseManualTime();

// Measures the convolution 512->512 3x3 as 4608 accumulating ones over one channel and one tap
// each.
void conv2d_accumulating(benchmark::State& state) {
  constexpr uint32_t kTimes = 4608, kChannels = 512;
  const Layer layer{"4 images 1->512 1x1 28x28, accumulating", {4, 1, 28, 28}, 512, 1, 1, 0};
  Lanes lanes(chip);
  const TensorView out = lanes.aligned(layer.out(layer.oc));
  const TensorView inputs = lanes.aligned({4, kChannels, 28, 28});
  const TensorView weights = lanes.compact({kTimes, layer.oc, 1, 1});
  std::vector<Operation> chain;
  for (uint32_t i = 0; i < kTimes; ++i) {
    Conv2dBm1684 op{
        .out = out, .in = inputs, .weight = weights, .window = layer.window(), .accumulate = true};
    const uint32_t channel = i % kChannels;
    op.in.shape.c = 1;
    op.in.address +=
        uint64_t{channel % chip.lanes} * chip.lane_bytes + channel / chip.lanes * op.in.stride.c;
    op.weight.shape.n = 1;
    op.weight.pack = 2;
    op.weight.address += i / 2 * 2 * weights.stride.n;
    chain.emplace_back(op);
  }
  measure_chain(state, layer.name, chain, kTimes * static_cast<double>(out.shape.count()));
}
BENCHMARK(conv2d_accumulating)->UseManualTime();

void depthwise2d(benchmark::State& state) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  Depthwise2dBm1684 op{.out = lanes.aligned(layer.out(layer.in.c)),
                       .in = lanes.aligned(layer.in),
                       .weight = lanes.compact({1, layer.in.c, layer.kernel, layer.kernel}),
                       .window = layer.window()};
  const double taps = double{1} * layer.kernel * layer.kernel;
  measure(state, layer.name, op, taps * static_cast<double>(op.out.shape.count()),
          bytes_of(op.in, op.out));
}
BENCHMARK(depthwise2d)->DenseRange(0, std::size(kPlanes) - 1)->UseManualTime();

void pool2d(benchmark::State& state, Pool2dBm1684::Kind kind) {
  const Layer& layer = kPlanes[state.range(0)];
  Lanes lanes(chip);
  Pool2dBm1684 op{.kind = kind,
                  .out = lanes.aligned(layer.out(layer.in.c)),
                  .in = lanes.aligned(layer.in),
                  .window = layer.window()};
  op.factor = share_of(op.window);
  const double taps = double{1} * layer.kernel * layer.kernel;
  measure(state, layer.name, op, taps * static_cast<double>(op.out.shape.count()),
          bytes_of(op.in, op.out));
}
BENCHMARK_CAPTURE(pool2d, maximum, Pool2dBm1684::Kind::maximum)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(pool2d, average, Pool2dBm1684::Kind::average)
    ->DenseRange(0, std::size(kPlanes) - 1)
    ->UseManualTime();

struct Product {
  uint32_t rows, depth, cols, left_per_channel, right_per_channel;
};
constexpr Product kProducts[] = {{256, 1024, 1024, 32, 32},
                                 {256, 1024, 1024, 16, 64},
                                 {64, 1024, 256, 16, 4},
                                 {1, 2048, 1000, 32, 32}};

void matmul(benchmark::State& state) {
  const Product& p = kProducts[state.range(0)];
  Lanes lanes(chip);
  MatmulBm1684 op{.out = lanes.matrix(p.rows, p.cols, p.right_per_channel),
                  .left = lanes.matrix(p.rows, p.depth, p.left_per_channel),
                  .right = lanes.matrix(p.depth, p.cols, p.right_per_channel)};
  op.out.cols = op.right.cols = align_up(p.cols, p.right_per_channel);
  const std::string name = fmt::format("{}x{}x{}, {} and {} columns per channel", p.rows, p.depth,
                                       p.cols, p.left_per_channel, p.right_per_channel);
  measure(state, name.c_str(), op, 1.0 * p.rows * p.depth * p.cols,
          bytes_of(op.right.tensor, op.left.tensor) + bytes_of(op.out.tensor, op.out.tensor) / 2);
}
BENCHMARK(matmul)->DenseRange(0, std::size(kProducts) - 1)->UseManualTime();

// Measures a product over a large depth in steps of 3.
void matmul_accumulating(benchmark::State& state) {
  constexpr uint32_t kTimes = 64;
  Lanes lanes(chip);
  MatmulBm1684 op{.out = lanes.matrix(256, 27648, 32), .accumulate = true};
  std::vector<Operation> chain;
  const MatrixView left = lanes.matrix(256, 3, 3), right = lanes.matrix(3, 27648, 32);
  for (uint32_t i = 0; i < kTimes; ++i) {
    op.left = left, op.right = right;
    op.left.tensor.address += i % 32 * chip.lane_bytes;
    chain.emplace_back(op);
  }
  measure_chain(state, "256x3x27648, accumulating", chain, kTimes * 256.0 * 3 * 27648);
}
BENCHMARK(matmul_accumulating)->UseManualTime();

constexpr Layer kOfBytes[] = {
    {"4 images 64->64 3x3 56x56", {4, 64, 56, 56}, 64, 3, 1, 1},
    {"4 images 256->256 3x3 14x14", {4, 256, 14, 14}, 256, 3, 1, 1},
    {"4 images 512->128 3x3 7x7", {4, 512, 7, 7}, 128, 3, 1, 1},
};

// Counts products as in the plain convolution.
template <class Op>
void conv2d_of_bytes(benchmark::State& state) {
  constexpr uint8_t kInCell = 4;
  constexpr bool kWinograd = std::is_same_v<Op, Winograd2dBm1684>;
  const Layer& layer = kOfBytes[state.range(0)];
  const uint32_t extent = kWinograd ? 4 : layer.kernel;
  Lanes lanes(chip);
  Op op{.window = layer.window(), .rshift = 9};
  op.out = lanes.aligned(layer.out(layer.oc), DType::i8, kInCell);
  op.in = lanes.aligned(layer.in, DType::i8, kInCell);
  op.weight = lanes.compact({layer.in.c, layer.oc, extent, extent}, DType::i8, kInCell);
  const double taps = double{1} * layer.in.c * layer.kernel * layer.kernel;
  measure(state, layer.name, op, taps * static_cast<double>(op.out.shape.count()),
          bytes_of(op.in, op.out));
}
BENCHMARK_TEMPLATE(conv2d_of_bytes, Conv2dBm1684Int8)
    ->DenseRange(0, std::size(kOfBytes) - 1)
    ->UseManualTime();
BENCHMARK_TEMPLATE(conv2d_of_bytes, Winograd2dBm1684)
    ->DenseRange(0, std::size(kOfBytes) - 1)
    ->UseManualTime();

void matmul_of_bytes(benchmark::State& state) {
  const Product& p = kProducts[state.range(0)];
  const DType type = DType::i8;
  Lanes lanes(chip);
  const uint32_t cols = align_up(p.cols, p.right_per_channel);
  const MatmulBm1684Int8 op{.out = lanes.matrix(p.rows, cols, p.right_per_channel, type),
                            .left = lanes.matrix(p.rows, p.depth, p.left_per_channel, type),
                            .right = lanes.matrix(p.depth, cols, p.right_per_channel, type),
                            .rshift = 9};
  measure(state, fmt::format("{}x{}x{}", p.rows, p.depth, p.cols).c_str(), op,
          1.0 * p.rows * p.depth * p.cols, bytes_of(op.right.tensor, op.left.tensor));
}
BENCHMARK(matmul_of_bytes)->DenseRange(0, std::size(kProducts) - 1)->UseManualTime();

#if defined(__x86_64__)

// Separate multiplications and additions in registers: 12 sums hide the latency. Empty assembly
// keeps the compiler from hoisting the products out of the loop.
#define TPUTWIN_PEAK(name, isa, V, set1, mul, add, store)               \
  __attribute__((target(isa))) float name(uint64_t rounds) {            \
    V sums[12];                                                         \
    for (int i = 0; i < 12; ++i) sums[i] = set1(static_cast<float>(i)); \
    V a = set1(0.5f), b = set1(0.25f);                                  \
    for (uint64_t round = 0; round < rounds; ++round) {                 \
      _Pragma("GCC unroll 12") for (int i = 0; i < 12; ++i) {           \
        asm volatile("" : "+v"(a));                                     \
        sums[i] = add(sums[i], mul(a, b));                              \
      }                                                                 \
    }                                                                   \
    V total = sums[0];                                                  \
    for (int i = 1; i < 12; ++i) total = add(total, sums[i]);           \
    float lanes[16];                                                    \
    store(lanes, total);                                                \
    return lanes[0];                                                    \
  }
TPUTWIN_PEAK(peak_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_mul_ps, _mm512_add_ps,
             _mm512_storeu_ps)
TPUTWIN_PEAK(peak_avx2, "avx2", __m256, _mm256_set1_ps, _mm256_mul_ps, _mm256_add_ps,
             _mm256_storeu_ps)
#undef TPUTWIN_PEAK

void peak(benchmark::State& state) {
  constexpr uint64_t kRounds = 100'000;
  const bool wide = __builtin_cpu_supports("avx512f");
  const auto threads = static_cast<uint64_t>(thread_count());
  double best = 1e9;
  for (auto _ : state) {
    const auto start = Clock::now();
    std::vector<std::jthread> workers;
    for (uint64_t t = 0; t < threads; ++t)
      workers.emplace_back(
          [wide] { benchmark::DoNotOptimize(wide ? peak_avx512(kRounds) : peak_avx2(kRounds)); });
    workers.clear();
    const std::chrono::duration<double> time = Clock::now() - start;
    best = std::min(best, time.count());
    state.SetIterationTime(time.count());
  }
  state.SetLabel(fmt::format("multiply, then add, in registers, {} threads", threads));
  state.counters["GMAC/s"] =
      1e-9 * 12.0 * (wide ? 16 : 8) * static_cast<double>(kRounds * threads) / best;
}
BENCHMARK(peak)->UseManualTime();

#endif

}  // namespace

BENCHMARK_MAIN();
