// bitwise: contract, cost and reference kernel.
#include "ops/elementwise/bitwise.h"

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x_elementwise.h"

namespace tputwin {
namespace {

// Returns the low 6 bits as a signed number.
constexpr int32_t signed_6bit(int32_t amount) { return ((amount & 63) ^ 32) - 32; }

int32_t shifted(const Bitwise& op, int32_t value, int32_t amount) {
  if (amount < -32 || amount > 32) amount = signed_6bit(amount);
  if ((amount == 32 || amount == -32) && op.keeps_at_32) return value;
  const bool arithmetic = op.kind == Bitwise::Kind::arithmetic_shift;
  // 64 bits are enough for the bits shifted in and out.
  const int64_t wide = arithmetic ? int64_t{value} : int64_t{static_cast<uint32_t>(value)};
  const uint64_t moved =
      amount > 0 ? static_cast<uint64_t>(wide) << amount : static_cast<uint64_t>(wide >> -amount);
  return static_cast<int32_t>(static_cast<uint32_t>(moved));
}

int32_t rotated(const Bitwise& op, int32_t value, int32_t amount) {
  const int bits = static_cast<int>(8 * element_bytes(op.out.dtype));
  constexpr int kHalfword = 16;
  if (bits == kHalfword) {
    amount %= 2 * kHalfword;
    if (amount < -kHalfword || amount > kHalfword) return 0;
  }
  const auto left = static_cast<uint32_t>((amount % bits + bits) % bits);
  const uint64_t ones = (uint64_t{1} << bits) - 1, kept = static_cast<uint32_t>(value) & ones;
  return wrap(
      static_cast<int64_t>((kept << left | kept >> (static_cast<uint32_t>(bits) - left)) & ones),
      op.out.dtype);
}

int32_t result(const Bitwise& op, int32_t a, int32_t b) {
  switch (op.kind) {
    case Bitwise::Kind::bit_and:
      return a & b;
    case Bitwise::Kind::bit_or:
      return a | b;
    case Bitwise::Kind::bit_xor:
      return a ^ b;
    case Bitwise::Kind::arithmetic_shift:
    case Bitwise::Kind::logical_shift:
      return shifted(op, a, b);
    case Bitwise::Kind::rotate:
      return rotated(op, a, b);
  }
  return 0;
}

bool is_shift(Bitwise::Kind kind) {
  return kind == Bitwise::Kind::arithmetic_shift || kind == Bitwise::Kind::logical_shift;
}

Status check_bm1684x(const Bitwise& op, const Chip& chip) {
  const OperandList list = operands(op);
  const DType dtype = op.out.dtype;
  TW_RETURN_IF_ERROR(
      require(!is_float(dtype) && !is_shift(op.kind), errors::tpu_dtype, "dst_addr", op.out));
  // Amounts may have any integer type.
  const bool rotates = op.kind == Bitwise::Kind::rotate;
  for (const Operand& operand : list) {
    const bool is_amount = rotates && operand.view == &op.b.view;
    const bool fits = is_amount ? !is_float(operand.view->dtype) : operand.view->dtype == dtype;
    TW_RETURN_IF_ERROR(require(fits, errors::tpu_dtype_pair, operand.name, *operand.view));
  }
  return check_bm1684x_sources(list, {&op.a, &op.b}, chip);
}

}  // namespace

std::string_view to_string(Bitwise::Kind kind) {
  constexpr std::string_view kNames[] = {"and",           "or",    "xor", "arithmetic_shift",
                                         "logical_shift", "rotate"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const Bitwise& op) {
  constexpr std::string_view kNames[] = {
      "and32", "or32", "xor32", "arithmetic_shift32", "logical_shift32", "rotate32"};
  if (!is_32bit(op.out.dtype)) return to_string(op.kind);
  return kNames[static_cast<size_t>(op.kind)];
}

void attributes(const Bitwise& op, AttributeSink& to) {
  to.constants(op.a, op.b);
  to.flag("keeps_at_32", op.keeps_at_32);
}

OperandList operands(const Bitwise& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}};
  add_sources(list, op.a, op.b);
  return list;
}

Status check(const Bitwise& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x) return check_bm1684x(op, chip);
  TW_RETURN_IF_ERROR(check_bm1684_32bit(operands(op), op.out.shape, chip));
  return advise_bm1684_same_npu(operands(op), chip);
}

Cost cost(const Bitwise& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)),
                      op.out.shape.count(), operands(op), chip);
}

void execute(const Bitwise& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t a = op.a.read(memory, n, c, h, w), b = op.b.read(memory, n, c, h, w);
    memory.write(op.out, n, c, h, w, result(op, a, b));
  });
}

}  // namespace tputwin
