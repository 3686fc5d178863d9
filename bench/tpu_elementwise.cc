// Arithmetic and logic of elements on the BM1684X compared with memcpy of the same bytes: 64 lanes,
// each operand in a bank of its own.
#include "memory/layout.h"
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;
using Float = FloatArithmetic::Kind;
using Int = IntArithmetic::Kind;

constexpr Shape kShape{1, 64, 64, 64};

TensorView operand(uint64_t bank, DType dtype) {
  const Chip& chip = bm1684x();
  return {.dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = bank * chip.bank_bytes(),
          .shape = kShape,
          .stride = lane_stride(chip, kShape, 0, element_bytes(dtype), /*aligned=*/true)};
}
Source tensor(uint64_t bank, DType dtype) { return Source::tensor(operand(bank, dtype)); }

Operation floats(Float kind, DType dtype) {
  return FloatArithmetic{
      .kind = kind, .out = operand(0, dtype), .a = tensor(1, dtype), .b = tensor(2, dtype)};
}
Operation integers(Int kind, DType out, DType in, int32_t shift = 0) {
  return IntArithmetic{.kind = kind,
                       .out = operand(0, out),
                       .a = tensor(1, in),
                       .b = tensor(2, in),
                       .shift = Source::value(static_cast<uint32_t>(shift), DType::i8)};
}
Operation logic(DType dtype) {
  return Bitwise{.kind = Bitwise::Kind::bit_xor,
                 .out = operand(0, dtype),
                 .a = tensor(1, dtype),
                 .b = tensor(2, dtype)};
}

// The requantization with which networks end a convolution of bytes.
Operation requantized(DType out) {
  return Requantize{.out = operand(0, out),
                    .in = operand(1, DType::i32),
                    .multiplier = Source::value(1'518'500'250u, DType::i32),
                    .shift = Source::value(static_cast<uint32_t>(-38), DType::i8),
                    .offset = Source::value(3u, DType::i16),
                    .rounding = Rounding::half_up};
}

struct Case {
  const char* name;
  Operation op;
};

const Case kCases[] = {
    {"fp_add f32", floats(Float::add, DType::f32)},
    {"fp_add f16", floats(Float::add, DType::f16)},
    {"fp_add bf16", floats(Float::add, DType::bf16)},
    {"fp_mul bf16", floats(Float::mul, DType::bf16)},
    {"max bf16", floats(Float::max, DType::bf16)},
    {"int_add i8", integers(Int::add, DType::i8, DType::i8)},
    {"int_add i8 to i16", integers(Int::add, DType::i16, DType::i8)},
    {"int_mul i8 >> 7", integers(Int::mul, DType::i8, DType::i8, -7)},
    {"int_mul i16 >> 15", integers(Int::mul, DType::i16, DType::i16, -15)},
    {"int_add i32", integers(Int::add, DType::i32, DType::i32)},
    {"int_mul i32 >> 31", integers(Int::mul, DType::i32, DType::i32, -31)},
    {"requantize i32 to i8", requantized(DType::i8)},
    {"requantize i32 to u8", requantized(DType::u8)},
    {"max u8", integers(Int::max, DType::u8, DType::u8)},
    {"xor u8", logic(DType::u8)},
};

uint64_t bytes_of(const Operation& op) {
  uint64_t bytes = 0;
  for (const Operand& operand : operands(op))
    bytes += operand.view->shape.count() * element_bytes(operand.view->dtype);
  return bytes;
}

void elementwise(benchmark::State& state) {
  const Case& item = kCases[state.range(0)];
  state.SetLabel(item.name);
  auto device = Device::create({.chip = &bm1684x()});
  if (!device.ok()) return state.SkipWithError(device.error().message().c_str());
  bench::fill_random((*device)->memories().take_local().host_bytes(), 1);
  bench::next_to_memcpy(state, **device, item.op, bytes_of(item.op));
}
BENCHMARK(elementwise)->DenseRange(0, std::size(kCases) - 1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
