// Functions of fp32 tensors on the BM1684X compared with memcpy of the source and result: 64 lanes,
// each operand in a bank of its own.
#include "memory/layout.h"
#include "next_to_memcpy.h"
#include "numerics/function32.h"

namespace {

using namespace tputwin;
using Kind = FloatFunction::Kind;

constexpr Shape kShape{1, 64, 32, 64};  // 8 KiB a lane
constexpr uint64_t kBytes = kShape.count() * 4;

TensorView tensor(uint64_t bank, const Shape& shape = kShape, DType dtype = DType::f32) {
  const Chip& chip = bm1684x();
  return {.dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = bank * chip.bank_bytes(),
          .shape = shape,
          .stride = lane_stride(chip, shape, 0, element_bytes(dtype), /*aligned=*/true)};
}
TensorView table(uint64_t bank, uint32_t words) {
  return tensor(bank, {1, bm1684x().lanes, 1, words});
}

FloatFunction function(Kind kind) {
  FloatFunction op{.kind = kind};
  op.out = tensor(0);
  op.a = Source::tensor(tensor(1));
  if (kind == Kind::div || kind == Kind::pow) op.b = Source::tensor(tensor(2));
  op.parameters = {.iterations = 3, .corrections = 1, .alpha = 0.5f, .beta = 0.5f};
  op.coeff = table(3, function32::kPeriodTerms);
  if (!is_function32(kind) || !function32::is_exponential(function32_kind(kind))) return op;
  op.exp_coeff = table(4, function32::kExpTerms);
  op.exp_table = table(5, function32::kExpEntries);
  op.entries = tensor(0, kShape, DType::u16);
  return op;
}

constexpr Kind kKinds[] = {Kind::div,  Kind::rsqrt, Kind::sqrt, Kind::exp,   Kind::sigmoid,
                           Kind::tanh, Kind::silu,  Kind::gelu, Kind::mish,  Kind::pow,
                           Kind::log,  Kind::sin,   Kind::tan,  Kind::arcsin};

// Numbers in (0, 1): nothing is NaN, nothing overflows.
void fill_numbers(Device& device) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(0.001f, 0.999f);
  for (uint64_t bank = 1; bank <= 5; ++bank)
    for (uint32_t c = 0; c < kShape.c; ++c)
      for (uint32_t i = 0; i < kShape.h * kShape.w; ++i) {
        const float value = number(random);
        std::memcpy(device.memories().take_local().lane(c) + bank * bm1684x().bank_bytes() + i * 4,
                    &value, 4);
      }
}

void functions(benchmark::State& state) {
  const Kind kind = kKinds[state.range(0)];
  state.SetLabel(std::string(to_string(kind)));
  auto device = Device::create({.chip = &bm1684x()});
  if (!device.ok()) return state.SkipWithError(device.error().message().c_str());
  fill_numbers(**device);
  bench::next_to_memcpy(state, **device, function(kind), 2 * kBytes);
}
BENCHMARK(functions)->DenseRange(0, std::size(kKinds) - 1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
