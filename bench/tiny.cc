// Instructions with next to no work: the cost of checks, bounds, dispatch and decoding.
#include <benchmark/benchmark.h>

#include "base/parallel.h"
#include "isa/bm1880_codec.h"
#include "machine/device.h"
#include "memory/layout.h"

namespace {

using namespace tputwin;
using Kind = Elementwise::Kind;

constexpr uint32_t kInstructions = 10000;

// 16 elements in one lane, or one element in each of 16 lanes.
std::vector<Instruction> program(const Shape& shape) {
  std::vector<Instruction> list;
  auto view = [&](uint64_t address, DType dtype) {
    TensorView v = local_tensor(bm1880(), address, shape, /*aligned=*/true, dtype);
    if (is_16bit(dtype)) v.plane_stride = 1024;
    return v;
  };
  constexpr Kind kKinds[] = {Kind::mul, Kind::add, Kind::max, Kind::bit_xor};
  for (uint32_t i = 0; i < kInstructions; ++i) {
    Elementwise op{.kind = kKinds[i % 4]};
    const DType type = op.kind == Kind::add ? DType::i16 : DType::i8;
    op.out = view(16 * (i % 64), DType::i8);
    op.a = view(8192 + 16 * (i % 61), type);
    op.b = view(16384 + 16 * (i % 59), type);
    list.push_back({.op = op, .engine = Engine::compute, .id = i + 1});
  }
  return list;
}

constexpr Shape kOneLane{1, 1, 1, 16}, kSixteenLanes{1, 16, 1, 1};

void run(benchmark::State& state, const Shape& shape) {
  auto device = Device::create({.chip = &bm1880()});
  const std::vector<Instruction> list = program(shape);
  for (auto _ : state)
    if (Status status = (*device)->run(list); !status.ok()) {
      state.SkipWithError(status.message().c_str());
      return;
    }
  state.SetItemsProcessed(state.iterations() * kInstructions);
}
BENCHMARK_CAPTURE(run, one_lane, kOneLane)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, sixteen_lanes, kSixteenLanes)->Unit(benchmark::kMillisecond);

std::vector<uint8_t> command_buffer() {
  std::vector<uint8_t> buffer;
  for (const Instruction& instruction : program(kOneLane)) {
    isa::Descriptor descriptor = isa::encode(instruction.op, bm1880());
    isa::set_ids(descriptor, instruction.id, instruction.wait);
    isa::append_record(descriptor, isa::kFlagNone, buffer);
  }
  return buffer;
}

void decode(benchmark::State& state) {
  const std::vector<uint8_t> buffer = command_buffer();
  for (auto _ : state) {
    auto list = isa::decode_program(buffer, bm1880());
    if (!list.ok()) {
      state.SkipWithError(list.error().message().c_str());
      return;
    }
    benchmark::DoNotOptimize(list->data());
  }
  state.SetItemsProcessed(state.iterations() * kInstructions);
}
BENCHMARK(decode)->Unit(benchmark::kMillisecond);

void decode_and_run(benchmark::State& state) {
  auto device = Device::create({.chip = &bm1880()});
  const std::vector<uint8_t> buffer = command_buffer();
  for (auto _ : state) {
    auto list = isa::decode_program(buffer, bm1880());
    if (!list.ok() || !(*device)->run(*list).ok()) {
      state.SkipWithError("decode or run failed");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * kInstructions);
}
BENCHMARK(decode_and_run)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
