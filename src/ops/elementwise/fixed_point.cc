// fixed_point: contract, cost and reference kernel.
#include "ops/elementwise/fixed_point.h"

#include <algorithm>

#include "base/errors/okkernel.h"
#include "numerics/integer.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {
namespace {

// Shifts a 16-bit value left by amount > 0, right by -amount otherwise. Only the low byte of an
// amount counts: 255 is -1, 256 is 0.
int32_t shifted(int32_t value, int32_t amount) {
  amount = std::clamp<int32_t>(static_cast<int8_t>(amount), -16, 16);
  return amount > 0 ? static_cast<int32_t>(static_cast<uint32_t>(value) << amount)
                    : value >> -amount;
}

int32_t result(const FixedPoint& op, int64_t a, int64_t b, int64_t old) {
  auto finish = [&](int64_t v) { return saturate(round_shift(v, op.rshift), op.out.dtype); };
  switch (op.kind) {
    case FixedPoint::Kind::add:
      return finish(a + b);
    case FixedPoint::Kind::sub:
      return finish(a - b);
    case FixedPoint::Kind::mul:
      return finish(a * b);
    case FixedPoint::Kind::mac:
      return finish((old << op.lshift) + a * b);
    case FixedPoint::Kind::max:
      return saturate(std::max(a, b), op.out.dtype);
    case FixedPoint::Kind::min:
      return saturate(std::min(a, b), op.out.dtype);
    case FixedPoint::Kind::arithmetic_shift:
    case FixedPoint::Kind::logical_shift:
      return shifted(static_cast<int32_t>(a), static_cast<int32_t>(b));
    case FixedPoint::Kind::bit_and:
      return static_cast<int32_t>(a & b);
    case FixedPoint::Kind::bit_or:
      return static_cast<int32_t>(a | b);
    case FixedPoint::Kind::bit_xor:
      return static_cast<int32_t>(a ^ b);
  }
  return 0;
}

}  // namespace

std::string_view to_string(FixedPoint::Kind kind) {
  constexpr std::string_view kNames[] = {
      "add",           "sub", "mul", "mac", "max", "min", "arithmetic_shift",
      "logical_shift", "and", "or",  "xor"};
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
                                         "packed_logical_shift",
                                         "packed_and",
                                         "packed_or",
                                         "packed_xor"};
  return kNames[static_cast<size_t>(op.kind)];
}

void attributes(const FixedPoint& op, AttributeSink& to) {
  to.constants(op.a, op.b);
  if (op.kind == FixedPoint::Kind::mac) {
    to.word("old", to_string(op.old_type));
    to.number("lshift", op.lshift);
  }
  if (op.kind <= FixedPoint::Kind::mac) to.number("rshift", op.rshift);
}

OperandList operands(const FixedPoint& op) {
  OperandList list{
      {"dst_addr", &op.out, op.kind == FixedPoint::Kind::mac ? Access::read_write : Access::write}};
  add_sources(list, op.a, op.b);
  return list;
}

namespace {

bool is_shift(FixedPoint::Kind kind) {
  return kind == FixedPoint::Kind::arithmetic_shift || kind == FixedPoint::Kind::logical_shift;
}

bool is_logic(FixedPoint::Kind kind) { return kind >= FixedPoint::Kind::bit_and; }

// A source must have the type that the operation states for it, and as many bits as its kind
// requires.
Status check_source(std::string_view name, const Source& source, DType type, const FixedPoint& op) {
  const bool narrow = op.kind == FixedPoint::Kind::mul || op.kind == FixedPoint::Kind::mac;
  const bool fits = element_bytes(type) == (narrow              ? 1u
                                            : is_shift(op.kind) ? 2u
                                            : is_logic(op.kind) ? element_bytes(op.out.dtype)
                                                                : element_bytes(type));
  return require(!is_32bit(type) && fits && (source.is_constant || source.view.dtype == type),
                 errors::okk_element, name, source.view);
}

}  // namespace

Status check(const FixedPoint& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_packed(operands(op), chip));
  TW_RETURN_IF_ERROR(
      check_source(op.b.is_constant ? "src_addr" : "src0_addr", op.a, op.a_type, op));
  TW_RETURN_IF_ERROR(
      check_source(op.a.is_constant ? "src_addr" : "src1_addr", op.b, op.b_type, op));
  if (op.kind == FixedPoint::Kind::mac || is_shift(op.kind))
    TW_RETURN_IF_ERROR(check_bm1684_packed_bits("dst_addr", op.out, 16));
  TW_RETURN_IF_ERROR(check_bm1684_rshift(op.rshift));
  const auto lshift = static_cast<int32_t>(op.lshift);
  TW_RETURN_IF_ERROR(require(op.lshift < 32, errors::okk_lshift_width, "lshift", lshift));
  TW_RETURN_IF_ERROR(advise_bm1684_npu_0(operands(op), chip));
  return require(op.lshift <= 14, errors::okk_lshift, "lshift", lshift);
}

Cost cost(const FixedPoint& op, const Chip& chip) {
  const uint32_t bytes = element_bytes(op.out.dtype);
  return compute_cost(lane_passes(op.out.shape, chip, bytes), op.out.shape.count(), operands(op),
                      chip);
}

void execute(const FixedPoint& op, const Memory& memory) {
  const TensorView old = as(op.out, op.old_type);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t a = op.a.read(memory, n, c, h, w), b = op.b.read(memory, n, c, h, w);
    const int32_t before = op.kind == FixedPoint::Kind::mac ? memory.read(old, n, c, h, w) : 0;
    memory.write(op.out, n, c, h, w, result(op, a, b, before));
  });
}

}  // namespace tputwin
