// GDMA transfers, fills, bitwise and fixed point operations of the BM1684 compared with memcpy of
// the same bytes.
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;

constexpr uint64_t kGlobalBytes = 96 << 20;

void run(benchmark::State& state, Operation op, uint64_t bytes) {
  auto created = Device::create({.chip = &bm1684()});
  if (!created.ok()) return state.SkipWithError("no device");
  Device& device = **created;
  bench::fill_random(device.memories().take_local().host_bytes(), 1);
  bench::fill_random({device.memories().take_global().data(), kGlobalBytes}, 2);
  bench::next_to_memcpy(state, device, std::move(op), bytes);
}

TensorView lanes(uint32_t offset, Shape shape, DType dtype, uint8_t pack = 1) {
  const Shape cells{(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
  const uint32_t bytes = pack * element_bytes(dtype);
  return {.dtype = dtype,
          .pack = pack,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = offset,
          .shape = shape,
          .stride = lane_stride(bm1684(), cells, 0, bytes, /*aligned=*/true)};
}
TensorView global(uint64_t address, Shape shape, DType dtype) {
  return {.space = Space::global,
          .dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = address,
          .shape = shape,
          .stride = system_stride(shape, element_bytes(dtype))};
}

void copy(benchmark::State& state, const TensorView& dst, const TensorView& src) {
  run(state, Copy{.dst = dst, .src = Source::tensor(src)},
      2 * dst.shape.count() * element_bytes(dst.dtype));
}

const Shape kMaps{1, 256, 56, 56};  // 3 MB of 32-bit elements

void load_maps(benchmark::State& state) {
  copy(state, lanes(0, kMaps, DType::b32), global(0, kMaps, DType::b32));
}
void store_maps(benchmark::State& state) {
  copy(state, global(0, kMaps, DType::b32), lanes(0, kMaps, DType::b32));
}
// The whole local memory at once.
void store_everything(benchmark::State& state) {
  const Shape s{1, 64, 256, 512};
  copy(state, global(0, s, DType::b32), lanes(0, s, DType::b32));
}
void load_small_maps(benchmark::State& state) {
  const Shape s{2, 1024, 7, 7};
  copy(state, lanes(0, s, DType::b32), global(0, s, DType::b32));
}
// Rows of a larger feature map.
void load_strided_rows(benchmark::State& state) {
  const Shape s{1, 64, 64, 112};
  TensorView src = global(0, {1, 64, 224, 224}, DType::b32);
  src.shape = s;
  copy(state, lanes(0, s, DType::b32), src);
}
void load_bytes(benchmark::State& state) {
  const Shape s{4, 64, 112, 112};
  copy(state, lanes(0, s, DType::u8), global(0, s, DType::u8));
}
void copy_lanes(benchmark::State& state) {
  copy(state, lanes(256 << 10, kMaps, DType::b32), lanes(0, kMaps, DType::b32));
}
void copy_global(benchmark::State& state) {
  const Shape s{1, 16, 1024, 512};
  copy(state, global(s.count() * 4, s, DType::b32), global(0, s, DType::b32));
}
// Columns become rows.
void load_transposed(benchmark::State& state) {
  const Shape s{1, 64, 512, 1};
  TensorView src = global(0, s, DType::b32);
  src.stride.h = 64 * 4, src.stride.c = 4;
  copy(state, lanes(0, s, DType::b32), src);
}
void load_matrix(benchmark::State& state) {
  const uint32_t rows = 1024, cols = 1024, width = 32;
  const MatrixView dst{lanes(0, {rows, cols / width, 1, width}, DType::b32), rows, cols};
  const MatrixView src{global(0, {rows, 1, 1, cols}, DType::b32), rows, cols};
  run(state, CopyMatrix{dst, src}, uint64_t{8} * rows * cols);
}
void fill_local(benchmark::State& state) {
  const Shape s{64, 64, 64, 32};
  run(state, Copy{.dst = lanes(0, s, DType::b32), .src = Source::value(0x3f80'0000u)},
      4 * s.count());
}
void fill_global(benchmark::State& state) {
  const Shape s{1, 64, 512, 256};
  run(state, Copy{.dst = global(0, s, DType::u16), .src = Source::value(0x1234u)}, 2 * s.count());
}
BENCHMARK(load_maps)->UseManualTime();
BENCHMARK(store_maps)->UseManualTime();
BENCHMARK(store_everything)->UseManualTime();
BENCHMARK(load_small_maps)->UseManualTime();
BENCHMARK(load_strided_rows)->UseManualTime();
BENCHMARK(load_bytes)->UseManualTime();
BENCHMARK(copy_lanes)->UseManualTime();
BENCHMARK(copy_global)->UseManualTime();
BENCHMARK(load_transposed)->UseManualTime();
BENCHMARK(load_matrix)->UseManualTime();
BENCHMARK(fill_local)->UseManualTime();
BENCHMARK(fill_global)->UseManualTime();

constexpr uint32_t kA = 128 << 10, kB = 256 << 10;

void bitwise(benchmark::State& state, Bitwise::Kind kind) {
  run(state,
      Bitwise{.kind = kind,
              .out = lanes(0, kMaps, DType::b32),
              .a = Source::tensor(lanes(kA, kMaps, DType::b32)),
              .b = Source::tensor(lanes(kB, kMaps, DType::b32))},
      12 * kMaps.count());
}
BENCHMARK_CAPTURE(bitwise, logic, Bitwise::Kind::bit_xor)->UseManualTime();
BENCHMARK_CAPTURE(bitwise, shift, Bitwise::Kind::arithmetic_shift)->UseManualTime();

const Shape kPacked{4, 256, 56, 56};

TensorView packed(uint32_t offset, DType dtype) {
  return lanes(offset, kPacked, dtype, is_16bit(dtype) ? 2 : 4);
}

void fixed_point(benchmark::State& state, FixedPoint::Kind kind, DType in, DType out) {
  const uint64_t bytes =
      2 * element_bytes(in) + (kind == FixedPoint::Kind::mac ? 2 : 1) * element_bytes(out);
  run(state,
      FixedPoint{.kind = kind,
                 .out = packed(0, out),
                 .a = Source::tensor(packed(kA, in)),
                 .b = Source::tensor(packed(kB, in)),
                 .a_type = in,
                 .b_type = in,
                 .rshift = 3},
      bytes * kPacked.count());
}
using Kind = FixedPoint::Kind;
BENCHMARK_CAPTURE(fixed_point, add_8_8, Kind::add, DType::i8, DType::i8)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, mul_8_8, Kind::mul, DType::i8, DType::i8)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, mul_8_16, Kind::mul, DType::u8, DType::u16)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, mac_8_16, Kind::mac, DType::i8, DType::i16)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, add_16_16, Kind::add, DType::i16, DType::i16)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, add_16_8, Kind::add, DType::i16, DType::i8)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, max_8_8, Kind::max, DType::u8, DType::u8)->UseManualTime();
BENCHMARK_CAPTURE(fixed_point, shift_16, Kind::arithmetic_shift, DType::i16, DType::i16)
    ->UseManualTime();

void split_low(benchmark::State& state) {
  run(state,
      SplitByte{.out = packed(0, DType::u8),
                .in = packed(kA, DType::u16),
                .work = packed(kB, DType::u16)},
      5 * kPacked.count());
}
BENCHMARK(split_low)->UseManualTime();

void mul_16_by_8(benchmark::State& state) {
  run(state,
      Mul16By8{.out = packed(0, DType::i16),
               .high = packed(kA, DType::i8),
               .low = packed(kB, DType::u8),
               .b = packed(kB + kA, DType::i8),
               .rshift = 7},
      5 * kPacked.count());
}
BENCHMARK(mul_16_by_8)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
