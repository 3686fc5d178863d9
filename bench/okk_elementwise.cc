// fp32 element-wise operations of the BM1684 compared with memcpy of the same bytes: 64 lanes, each
// operand in a bank of its own.
#include "memory/layout.h"
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;
using Arithmetic = FloatArithmetic::Kind;
using Unary = UnaryF32::Kind;

constexpr Shape kShape{1, 64, 32, 64};  // 8 KiB a lane
constexpr uint64_t kBytes = kShape.count() * 4;

TensorView operand(uint64_t bank, const Shape& shape = kShape, bool aligned = true) {
  const Chip& chip = bm1684();
  return {.dtype = DType::f32,
          .address = bank * chip.bank_bytes(),
          .shape = shape,
          .stride = lane_stride(chip, shape, 0, 4, aligned)};
}
Source tensor(uint64_t bank) { return Source::tensor(operand(bank)); }

Operation arithmetic(Arithmetic kind, Source b) {
  return FloatArithmetic{.kind = kind, .out = operand(0), .a = tensor(1), .b = b};
}
Operation unary(Unary kind) {
  UnaryF32 op{.kind = kind, .out = operand(0), .in = operand(1), .terms = 32};
  if (has_work(kind)) op.work = operand(2);
  return op;
}
Operation affine(bool scale, bool bias) {
  const Shape channels{1, kShape.c, 1, 1};
  ChannelAffine op{.out = operand(0), .in = operand(1)};
  if (scale) op.scale = Source::tensor(operand(2, channels, /*aligned=*/false));
  if (bias) op.bias = Source::tensor(operand(3, channels, /*aligned=*/false));
  return op;
}
Operation select() {
  return Select{.out = operand(0),
                .a = tensor(1),
                .b = tensor(2),
                .if_true = Source::value(1.0f),
                .if_false = Source::value(0.0f)};
}

struct Case {
  const char* name;
  Operation op;
  uint64_t tensors;  // read and written
};

const Case kCases[] = {
    {"add", arithmetic(Arithmetic::add, tensor(2)), 3},
    {"add_C", arithmetic(Arithmetic::add, Source::value(0.5f)), 2},
    {"mul", arithmetic(Arithmetic::mul, tensor(2)), 3},
    {"mac", arithmetic(Arithmetic::mac, tensor(2)), 4},
    {"max", arithmetic(Arithmetic::max, tensor(2)), 3},
    {"relu", unary(Unary::relu), 2},
    {"greater_select_value", select(), 3},
    {"bias", affine(false, true), 2},
    {"scale", affine(true, false), 2},
    {"scale_bias", affine(true, true), 2},
    {"fp32_to_int32", unary(Unary::to_int32), 2},
    {"div", arithmetic(Arithmetic::div, tensor(2)), 3},
    {"rsqrt", unary(Unary::rsqrt), 2},
    {"taylor_exp", unary(Unary::taylor_exp), 2},
    {"exp", unary(Unary::exp), 3},
    {"sigmoid", unary(Unary::sigmoid), 3},
    {"tanh", unary(Unary::tanh), 3},
};

// Fills memory with numbers around 1: random bytes would put NaN into every vector.
void fill_numbers(Device& device) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-4, 4);
  for (uint64_t bank : {1, 2, 3})
    for (uint32_t c = 0; c < kShape.c; ++c)
      for (uint32_t i = 0; i < kShape.h * kShape.w; ++i) {
        const float value = number(random);
        std::memcpy(device.memories().take_local().lane(c) + bank * bm1684().bank_bytes() + i * 4,
                    &value, 4);
      }
}

void elementwise(benchmark::State& state) {
  const Case& c = kCases[state.range(0)];
  state.SetLabel(c.name);
  auto device = Device::create({.chip = &bm1684()});
  if (!device.ok()) return state.SkipWithError(device.error().message().c_str());
  fill_numbers(**device);
  bench::next_to_memcpy(state, **device, c.op, c.tensors * kBytes);
}
BENCHMARK(elementwise)->DenseRange(0, std::size(kCases) - 1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
