#include "ops/fixed_point.h"

#include <algorithm>

#include "numerics/integer.h"
#include "ops/elements.h"
#include "ops/timing.h"

namespace tputwin {
namespace {

using Kind = FixedPoint::Kind;

// Left by amount > 0, right by -amount otherwise, of a 16-bit value.
int32_t shifted(int32_t value, int32_t amount) {
  amount = std::clamp(amount, -17, 17);
  return amount > 0 ? static_cast<int32_t>(static_cast<uint32_t>(value) << amount)
                    : value >> -amount;
}

int32_t result(const FixedPoint& op, int64_t a, int64_t b, int64_t old) {
  auto finish = [&](int64_t v) { return saturate(round_shift(v, op.rshift), op.out.dtype); };
  switch (op.kind) {
    case Kind::add:
      return finish(a + b);
    case Kind::sub:
      return finish(a - b);
    case Kind::mul:
      return finish(a * b);
    case Kind::mac:
      return finish((old << op.lshift) + a * b);
    case Kind::max:
      return static_cast<int32_t>(std::max(a, b));
    case Kind::min:
      return static_cast<int32_t>(std::min(a, b));
    case Kind::arithmetic_shift:
    case Kind::logical_shift:
      return shifted(static_cast<int32_t>(a), static_cast<int32_t>(b));
  }
  return 0;
}

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[] = {
      "add", "sub", "mul", "mac", "max", "min", "arithmetic_shift", "logical_shift"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const FixedPoint& op) {
  constexpr std::string_view kNames[] = {"packed_add",
                                         "packed_sub",
                                         "packed_mul",
                                         "packed_mac",
                                         "packed_max",
                                         "packed_min",
                                         "packed_arithmetic_shift",
                                         "packed_logical_shift"};
  return kNames[static_cast<size_t>(op.kind)];
}

OperandList operands(const FixedPoint& op) {
  OperandList list{
      {"dst_addr", &op.out, op.kind == Kind::mac ? Access::read_write : Access::write}};
  add_sources(list, op.a, op.b);
  return list;
}

Status check(const FixedPoint&, const Chip&) { return {}; }

Cost cost(const FixedPoint& op, const Chip& chip) {
  const uint32_t bytes = element_bytes(op.out.dtype);
  return compute_cost(lane_passes(op.out.shape, chip, bytes), op.out.shape.count(), operands(op),
                      chip);
}

void execute(const FixedPoint& op, const Memory& memory) {
  const TensorView old = as(op.out, op.old_type);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t a = op.a.read(memory, n, c, h, w), b = op.b.read(memory, n, c, h, w);
    const int32_t before = op.kind == Kind::mac ? memory.read(old, n, c, h, w) : 0;
    memory.write(op.out, n, c, h, w, result(op, a, b, before));
  });
}

}  // namespace tputwin
