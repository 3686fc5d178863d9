// Matrix products on the BM1684X in its order of additions. One thread: TPUTWIN_THREADS=1.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <random>

#include "base/bits.h"
#include "base/parallel.h"
#include "machine/device.h"
#include "memory/layout.h"
#include "numerics/float16.h"
#include "one_instruction.h"
#include "ops/fast/fast.h"

namespace {

using namespace tputwin;

const Chip& chip = bm1684x();

struct Extents {
  uint32_t rows, depth, cols;
};
constexpr Extents kExtents[] = {{256, 1024, 1024}, {64, 512, 512}, {1, 1024, 1000}};

TensorView tensor(const Shape& shape, DType type, uint64_t& next, uint64_t quantum) {
  next = align_up(next, quantum);
  TensorView view{.dtype = type,
                  .plane_stride = is_16bit(type) ? 1u : 0u,
                  .address = next,
                  .shape = shape,
                  .stride = lane_stride(chip, shape, 0, element_bytes(type), /*aligned=*/true)};
  next += uint64_t{shape.n} * view.stride.n;
  return view;
}

// Rows in channels, each matrix in banks of its own.
MatrixOperand by_rows(uint32_t rows, uint32_t cols, DType type, uint64_t& next) {
  return {.matrix = {tensor({1, rows, 1, cols}, type, next, chip.bank_bytes()), rows, cols},
          .row_per_channel = true};
}
MatrixOperand by_columns(uint32_t rows, uint32_t cols, DType type, uint64_t& next) {
  constexpr uint32_t kWidth = 32;
  const Shape shape{rows, ceil_div(cols, kWidth), 1, kWidth};
  return {.matrix = {tensor(shape, type, next, chip.eu_bytes), rows, shape.c * kWidth}};
}

void fill_random(Device& device, DType type) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  bench::fill_lanes(device, element_bytes(type), [&]() -> uint32_t {
    return is_float(type) ? float_bits(value(random), type) : random();
  });
}

template <class Op>
void measure(benchmark::State& state, Op op, DType type, bool transposed,
             MatrixOperand (*place)(uint32_t, uint32_t, DType, uint64_t&), DType output) {
  const Extents& e = kExtents[state.range(0)];
  uint64_t next = 0;
  op.left = place(e.rows, e.depth, type, next);
  op.right = transposed ? place(e.cols, e.depth, type, next) : place(e.depth, e.cols, type, next);
  op.right.transposed = transposed;
  op.out = place(e.rows, e.cols, output, next);
  auto device = std::move(Device::create({.chip = &chip, .global_bytes = 1 << 20}).value());
  fill_random(*device, type);
  const Instruction instruction{.op = op, .engine = Engine::compute, .id = 1};
  const double seconds = bench::run_repeatedly(state, *device, instruction).time;
  state.SetLabel(fmt::format("{} {}x{}x{}, {} threads, {}", to_string(type), e.rows, e.depth,
                             e.cols, thread_count(), fast::selected_isa()));
  state.counters["GMAC/s"] = 1e-9 * e.rows * e.depth * e.cols / seconds;
  state.counters["us"] = seconds * 1e6;
}

void fp32_mm(benchmark::State& state) {
  measure(state, MatmulBm1684xFp32{}, DType::f32, false, by_columns, DType::f32);
}
BENCHMARK(fp32_mm)->DenseRange(0, std::size(kExtents) - 1)->UseManualTime();

void fp_mm(benchmark::State& state, DType type, bool transposed) {
  measure(state, MatmulBm1684xHalf{}, type, transposed, by_rows, DType::f32);
}
BENCHMARK_CAPTURE(fp_mm, fp16, DType::f16, false)
    ->DenseRange(0, std::size(kExtents) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(fp_mm, bf16, DType::bf16, false)
    ->DenseRange(0, std::size(kExtents) - 1)
    ->UseManualTime();
BENCHMARK_CAPTURE(fp_mm, fp16_R_trans, DType::f16, true)
    ->DenseRange(0, std::size(kExtents) - 1)
    ->UseManualTime();

void int8_mm(benchmark::State& state) {
  MatmulBm1684xInt op{.rounding = Rounding::half_up};
  op.shift = MatrixOperand{.is_constant = true, .constant = static_cast<uint32_t>(-8)};
  measure(state, op, DType::i8, false, by_columns, DType::i8);
}
BENCHMARK(int8_mm)->DenseRange(0, std::size(kExtents) - 1)->UseManualTime();

void int8_zp_mm(benchmark::State& state) {
  const MatmulBm1684xInt op{.zero_point = Source::value(3, DType::i8)};
  measure(state, op, DType::i8, false, by_rows, DType::i32);
}
BENCHMARK(int8_zp_mm)->DenseRange(0, std::size(kExtents) - 1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
