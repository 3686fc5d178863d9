// int_arithmetic: contract, cost and reference kernel.
#include "ops/elementwise/int_arithmetic.h"

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source_operands.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x_elementwise.h"

namespace tputwin {
namespace {

// A product of 32-bit numbers, and its left shift, may need more than 64 bits.
struct Exact {
  bool negative;
  uint64_t magnitude;
};

uint64_t magnitude_of(int64_t x) {
  return x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
}
Exact exact(int64_t x) { return {x < 0, magnitude_of(x)}; }
Exact product(int64_t a, int64_t b) {
  return {(a < 0) != (b < 0), magnitude_of(a) * magnitude_of(b)};
}

Exact combined(const IntArithmetic& op, int64_t a, int64_t b, int64_t old) {
  switch (op.kind) {
    case IntArithmetic::Kind::add:
      return exact(a + b);
    case IntArithmetic::Kind::sub:
      return exact(a - b);
    case IntArithmetic::Kind::mul:
      return product(a, b);
    case IntArithmetic::Kind::mac:
      return exact((old << op.lshift) + a * b);
    case IntArithmetic::Kind::min:
      return exact(std::min(a, b));
    case IntArithmetic::Kind::max:
      return exact(std::max(a, b));
    case IntArithmetic::Kind::shift:
      return exact(a);
  }
  return {};
}

// Returns x * 2^shift, rounded. Numbers that are too large become the largest one, or keep their
// low bits. The amount is the low byte of the value in memory. A left shift of the chip has 64 bits
// for 32-bit results and 32 bits for narrower ones, so amounts repeat.
Exact shifted(const IntArithmetic& op, const Exact& x, int32_t amount) {
  int32_t shift = static_cast<int8_t>(amount);
  if (shift >= 0) {
    shift %= is_32bit(op.out.dtype) ? 64 : 32;
    const bool fits = x.magnitude <= UINT64_MAX >> shift;
    if (!fits && op.saturates) return {x.negative, UINT64_MAX};
    return {x.negative, x.magnitude << shift};
  }
  const uint32_t right = 0u - static_cast<uint32_t>(shift);
  const uint64_t kept = right < 64 ? x.magnitude >> right : 0;
  return {x.negative,
          kept + rounds_away(op.rounding, x.negative, (kept & 1) != 0, cut_of(x.magnitude, right))};
}

int32_t limited(const IntArithmetic& op, const Exact& x) {
  const uint64_t magnitude = op.saturates ? std::min(x.magnitude, uint64_t{1} << 32) : x.magnitude;
  const auto value = static_cast<int64_t>(x.negative ? uint64_t{0} - magnitude : magnitude);
  return op.saturates ? saturate(value, op.out.dtype) : wrap(value, op.out.dtype);
}

bool is_integer(DType dtype) { return !is_float(dtype) && dtype != DType::b32; }

// Returns true if the function accepts the type of the result with those of its operands.
bool types_agree(const IntArithmetic& op) {
  const DType out = op.out.dtype, a = op.a.view.dtype, b = op.b.view.dtype;
  switch (op.kind) {
    case IntArithmetic::Kind::add:
    case IntArithmetic::Kind::mul:
      return is_signed(out) == (is_signed(a) || is_signed(b));
    case IntArithmetic::Kind::sub:
      return is_signed(out);
    case IntArithmetic::Kind::min:
    case IntArithmetic::Kind::max:
      return out == a && out == b;
    case IntArithmetic::Kind::mac:
      return is_16bit(out) && is_signed(out) == (is_signed(a) || is_signed(b)) &&
             element_bytes(a) == 1 && element_bytes(b) == 1;
    case IntArithmetic::Kind::shift:
      return is_signed(out) == is_signed(a);
  }
  return false;
}

Status check_shift(const IntArithmetic& op) {
  TW_RETURN_IF_ERROR(require(op.lshift < 32, errors::tpu_rshift, "lshift", uint32_t{op.lshift}));
  if (!op.shift.is_constant)
    return require(is_signed(op.shift.view.dtype), errors::tpu_dtype, "shift_addr", op.shift.view);
  const auto amount = static_cast<int32_t>(op.shift.constant);
  return require(-32 <= amount && amount <= 31, errors::tpu_shift, "shift", amount);
}

}  // namespace

int32_t int_arithmetic(const IntArithmetic& op, int64_t a, int64_t b, int64_t old, int32_t shift) {
  return limited(op, shifted(op, combined(op, a, b, old), shift));
}

std::string_view to_string(IntArithmetic::Kind kind) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "min", "max", "mac", "shift"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const IntArithmetic& op) {
  constexpr std::string_view kNames[] = {"int_add", "int_sub", "int_mul",  "int_min",
                                         "int_max", "int_mac", "int_shift"};
  return kNames[static_cast<size_t>(op.kind)];
}

void attributes(const IntArithmetic& op, AttributeSink& to) {
  to.constants(op.a, op.b);
  if (op.shift.is_constant) to.number("shift", static_cast<int32_t>(op.shift.constant));
  to.word("rounding", to_string(op.rounding));
  to.flag("saturate", op.saturates);
  if (op.kind == IntArithmetic::Kind::mac) to.number("lshift", op.lshift);
}

OperandList operands(const IntArithmetic& op) {
  OperandList list{{"dst_addr", &op.out,
                    op.kind == IntArithmetic::Kind::mac ? Access::read_write : Access::write}};
  if (op.kind == IntArithmetic::Kind::shift)
    list.push_back({"src_addr", &op.a.view, Access::read});
  else
    add_sources(list, op.a, op.b);
  add_source(list, "shift_addr", op.shift);
  return list;
}

Status check(const IntArithmetic& op, const Chip& chip) {
  const OperandList list = operands(op);
  for (const Operand& operand : list)
    TW_RETURN_IF_ERROR(
        require(is_integer(operand.view->dtype), errors::tpu_dtype, operand.name, *operand.view));
  TW_RETURN_IF_ERROR(require(types_agree(op), errors::tpu_dtype_pair, "dst_addr", op.out));
  TW_RETURN_IF_ERROR(check_shift(op));
  TW_RETURN_IF_ERROR(check_bm1684x_sources(list, {&op.a, &op.b}, chip));
  if (op.kind == IntArithmetic::Kind::shift && !op.shift.is_constant)
    TW_RETURN_IF_ERROR(require(element_bytes(op.shift.view.dtype) <= element_bytes(op.a.view.dtype),
                               errors::tpu_shift_type, "shift_addr", op.shift.view));
  return {};
}

Cost cost(const IntArithmetic& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)),
                      op.out.shape.count(), operands(op), chip);
}

void execute(const IntArithmetic& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int64_t a = read_integer(memory, op.a, n, c, h, w);
    const int64_t b =
        op.kind == IntArithmetic::Kind::shift ? 0 : read_integer(memory, op.b, n, c, h, w);
    const int64_t old = op.kind == IntArithmetic::Kind::mac
                            ? read_integer(memory, Source::tensor(op.out), n, c, h, w)
                            : 0;
    const int32_t shift = op.shift.read(memory, n, c, h, w);
    memory.write(op.out, n, c, h, w, int_arithmetic(op, a, b, old, shift));
  });
}

}  // namespace tputwin
