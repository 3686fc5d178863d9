// Element-wise instructions compared with memcpy of the same bytes: 32 lanes, one bank per byte
// plane.
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;
using Kind = Elementwise::Kind;

constexpr Shape kShape{1, 32, 64, 128};  // 8 KiB a lane: a whole bank
constexpr uint64_t kBank = 8 << 10;

TensorView operand(uint64_t bank, DType dtype) {
  TensorView view = local_tensor(bm1880(), bank * kBank, kShape, /*aligned=*/true, dtype);
  if (is_16bit(dtype)) view.plane_stride = kBank;
  return view;
}

struct Case {
  const char* name;
  Kind kind;
  DType out, a, b;
  bool constant;
  uint64_t planes;  // byte planes read and written
};

constexpr Case kCases[] = {
    {"mul i8", Kind::mul, DType::i8, DType::i8, DType::i8, false, 3},
    {"mul i8 u8 -> i16", Kind::mul, DType::i16, DType::i8, DType::u8, false, 4},
    {"mul_const i8", Kind::mul, DType::i8, DType::i8, DType::i8, true, 2},
    {"mac i8 -> i16", Kind::mac, DType::i16, DType::i8, DType::i8, false, 6},
    {"add i16 -> i8", Kind::add, DType::i8, DType::i16, DType::i16, false, 5},
    {"add i16", Kind::add, DType::i16, DType::i16, DType::i16, false, 6},
    {"sub i16", Kind::sub, DType::i16, DType::i16, DType::i16, false, 6},
    {"max i8", Kind::max, DType::i8, DType::i8, DType::i8, false, 3},
    {"relu i8", Kind::max, DType::i8, DType::i8, DType::i8, true, 2},
    {"arith_shift i16", Kind::shift, DType::i16, DType::i16, DType::i8, false, 5},
    {"and i8", Kind::bit_and, DType::i8, DType::i8, DType::i8, false, 3},
    {"xor i16", Kind::bit_xor, DType::i16, DType::i16, DType::i16, false, 6},
    {"copy i8", Kind::copy, DType::i8, DType::i8, DType::i8, false, 2},
};

void elementwise(benchmark::State& state) {
  const Case& c = kCases[state.range(0)];
  state.SetLabel(c.name);
  auto device = bench::make_device(0);
  Elementwise op{.kind = c.kind,
                 .out = operand(0, c.out),
                 .a = operand(2, c.a),
                 .b = operand(4, c.b),
                 .b_is_constant = c.constant,
                 .rshift = c.kind == Kind::mul || c.kind == Kind::mac ? 5u : 0u};
  if (c.constant && c.kind == Kind::mul) op.constant = 77;
  if (c.constant || c.kind == Kind::copy) op.b = {};
  bench::next_to_memcpy(state, *device, op, c.planes * kShape.count());
}
BENCHMARK(elementwise)->DenseRange(0, std::size(kCases) - 1)->UseManualTime();

void lut(benchmark::State& state) {
  auto device = bench::make_device(0);
  Lut op{.out = operand(0, DType::u8),
         .in = operand(2, DType::u8),
         .table = local_tensor(bm1880(), 4 * kBank, {1, 32, 16, 16}, true, DType::u8)};
  bench::next_to_memcpy(state, *device, op, 2 * kShape.count());
}
BENCHMARK(lut)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
