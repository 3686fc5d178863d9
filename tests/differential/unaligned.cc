// Operands at any byte address, as recordings and foreign streams may have them. Every instruction
// set must give the reference kernel's bytes, and must not load elements as if they were aligned.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "memory/layout.h"
#include "numerics/float_mode.h"
#include "ops/fast/fast.h"
#include "ops/operation.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

constexpr Shape kShape{1, 70, 3, 5};
constexpr uint64_t kLaneBytes = 4096;

TensorView at(uint64_t address, DType dtype) {
  return {.dtype = dtype,
          .address = address,
          .shape = kShape,
          .stride = lane_stride(bm1684x(), kShape, 0, element_bytes(dtype), /*aligned=*/true)};
}

void fill(TestMemory& memory) {
  std::mt19937 random(3);
  for (uint32_t lane = 0; lane < bm1684x().lanes; ++lane)
    for (uint64_t i = 0; i < kLaneBytes; ++i)
      memory.local().lane(lane)[i] = static_cast<uint8_t>(random());
}

std::vector<uint8_t> lanes_of(TestMemory& memory) {
  std::vector<uint8_t> bytes;
  for (uint32_t lane = 0; lane < bm1684x().lanes; ++lane)
    bytes.insert(bytes.end(), memory.local().lane(lane), memory.local().lane(lane) + kLaneBytes);
  return bytes;
}

void expect_reference_bytes(const std::string& name, const Operation& op) {
  static TestMemory memory(bm1684x());
  const ScopedFloatMode mode;
  fill(memory);
  execute(op, memory.memory(), KernelChoice::reference);
  const std::vector<uint8_t> expected = lanes_of(memory);
  for (const std::string& isa : fast::available_isas()) {
    fast::select_isa(isa);
    fill(memory);
    if (!execute_fast(op, memory.memory())) execute(op, memory.memory(), KernelChoice::reference);
    EXPECT_TRUE(lanes_of(memory) == expected) << name << " on " << isa;
  }
  fast::select_isa("");
}

TEST(Unaligned, UnaryOperations) {
  using Kind = Unary::Kind;
  for (const Kind kind : {Kind::abs, Kind::neg, Kind::sign, Kind::leading_zeros})
    for (const DType dtype : {DType::i32, DType::f32}) {
      if (dtype == DType::f32 && (kind == Kind::neg || kind == Kind::leading_zeros)) continue;
      const Unary op{.kind = kind, .out = at(1027, dtype), .in = at(2049, dtype)};
      expect_reference_bytes(std::string(to_string(kind)), op);
    }
}

TEST(Unaligned, SumsOfIntegersAndOfFloats) {
  for (const bool saturates : {false, true})
    expect_reference_bytes("int", IntArithmetic{.kind = IntArithmetic::Kind::add,
                                                .out = at(1027, DType::i32),
                                                .a = Source::tensor(at(2049, DType::i32)),
                                                .b = Source::tensor(at(2570, DType::i32)),
                                                .saturates = saturates});
  expect_reference_bytes("float", FloatArithmetic{.kind = FloatArithmetic::Kind::add,
                                                  .out = at(1027, DType::f32),
                                                  .a = Source::tensor(at(2049, DType::f32)),
                                                  .b = Source::tensor(at(2570, DType::f32))});
}

}  // namespace
}  // namespace tputwin::testing
