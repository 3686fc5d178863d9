// elementwise: contract, cost and reference kernel.
#include "ops/elementwise/elementwise.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

bool has_tensor_b(const Elementwise& op) {
  return op.kind != Elementwise::Kind::copy && !op.b_is_constant;
}

bool b_signed(const Elementwise& op) {
  return op.b_is_constant ? op.b_signed : is_signed(op.b.dtype);
}

Status check_widths(const Elementwise& op) {
  const bool out_wide = is_16bit(op.out.dtype);
  bool a_wide = false, b_wide = false;
  switch (op.kind) {
    case Elementwise::Kind::mul:
    case Elementwise::Kind::mac:
      break;
    case Elementwise::Kind::add:
    case Elementwise::Kind::sub:
      a_wide = b_wide = true;
      break;
    case Elementwise::Kind::shift:
      a_wide = true;
      TW_RETURN_IF_ERROR(require(out_wide, errors::ops_width, "res", op.out));
      break;
    case Elementwise::Kind::max:
    case Elementwise::Kind::min:
    case Elementwise::Kind::copy:
      TW_RETURN_IF_ERROR(require(!out_wide, errors::ops_width, "res", op.out));
      break;
    case Elementwise::Kind::bit_and:
    case Elementwise::Kind::bit_or:
    case Elementwise::Kind::bit_xor:
      a_wide = b_wide = out_wide;
      break;
  }
  if (out_wide || op.kind == Elementwise::Kind::mac)
    TW_RETURN_IF_ERROR(check_bm1880_high_plane("res", op.out));
  TW_RETURN_IF_ERROR(a_wide ? check_bm1880_16bit("a", op.a) : check_bm1880_8bit("a", op.a));
  if (!has_tensor_b(op)) return {};
  return b_wide ? check_bm1880_16bit("b", op.b) : check_bm1880_8bit("b", op.b);
}

// A constant has as many bits as its tensor would: 8, or 16 if 16-bit values are added or combined.
Status check_constant(const Elementwise& op) {
  const bool wide = op.kind == Elementwise::Kind::add || op.kind == Elementwise::Kind::sub ||
                    is_16bit(op.out.dtype);
  const bool eight =
      op.kind == Elementwise::Kind::mul || op.kind == Elementwise::Kind::shift || !wide;
  const DType type = make_dtype(op.b_signed, eight);
  return require(saturate(op.constant, type) == op.constant, errors::ops_constant, "b",
                 op.constant);
}

Status check_signs(const Elementwise& op) {
  const bool out = is_signed(op.out.dtype), a = is_signed(op.a.dtype);
  switch (op.kind) {
    case Elementwise::Kind::mul:
    case Elementwise::Kind::mac:
    case Elementwise::Kind::add:
      return require(out == (a || b_signed(op)), errors::ops_result_sign, "res", op.out);
    case Elementwise::Kind::sub:
      return require(out, errors::ops_sub_sign, "res", op.out);
    case Elementwise::Kind::max:
    case Elementwise::Kind::min:
      return require(a == b_signed(op), errors::ops_compare_sign, "b", op.a);
    case Elementwise::Kind::shift:
      return require(out && a && b_signed(op), errors::ops_shift_sign, "a", op.a);
    default:
      return {};  // bit patterns have no sign
  }
}

Status advise(const Elementwise& op, const Chip& chip) {
  if (op.kind == Elementwise::Kind::max || op.kind == Elementwise::Kind::min)
    TW_RETURN_IF_ERROR(require(is_signed(op.out.dtype) == is_signed(op.a.dtype),
                               errors::ops_compare_result_sign, "res", op.out));
  TW_RETURN_IF_ERROR(advise_bm1880_start_lane("a", op.a, op.out, chip));
  return has_tensor_b(op) ? advise_bm1880_start_lane("b", op.b, op.out, chip) : Status();
}

// Positive counts shift left and keep 16 bits; negative counts shift right and round down.
int32_t arithmetic_shift(int32_t value, int32_t count) {
  if (count >= 16) return 0;
  if (count >= 0) return static_cast<int16_t>(value << count);
  return value >> std::min(-count, 31);
}

int32_t result(const Elementwise& op, int32_t a, int32_t b, int32_t old) {
  switch (op.kind) {
    case Elementwise::Kind::mul:
      return saturate(round_shift(int64_t{a} * b, op.rshift), op.out.dtype);
    case Elementwise::Kind::mac:
      return saturate(
          round_shift(wrap32(int64_t{a} * b + wrap_shift_left(old, op.lshift)), op.rshift),
          op.out.dtype);
    case Elementwise::Kind::add:
      return saturate(int64_t{a} + b, op.out.dtype);
    case Elementwise::Kind::sub:
      return saturate(int64_t{a} - b, op.out.dtype);
    case Elementwise::Kind::max:
      return std::max(a, b);
    case Elementwise::Kind::min:
      return std::min(a, b);
    case Elementwise::Kind::shift:
      return arithmetic_shift(a, b);
    case Elementwise::Kind::bit_and:
      return a & b;
    case Elementwise::Kind::bit_or:
      return a | b;
    case Elementwise::Kind::bit_xor:
      return a ^ b;
    case Elementwise::Kind::copy:
      return a;
  }
  return 0;
}

struct KindNames {
  std::string_view tensor, constant;
};
constexpr KindNames kNames[] = {
    {"mul", "mul_const"},
    {"mac", "mac_const"},
    {"add", "add_const"},
    {"sub", "sub_const"},
    {"max", "max_const"},
    {"min", "min_const"},
    {"arith_shift", "arith_shift_const"},
    {"and", "and_const"},
    {"or", "or_const"},
    {"xor", "xor_const"},
    {"copy", "copy"},
};
const KindNames& names(Elementwise::Kind kind) { return kNames[static_cast<size_t>(kind)]; }

}  // namespace

std::string_view to_string(Elementwise::Kind kind) { return names(kind).tensor; }

std::string_view name(const Elementwise& op) {
  return op.b_is_constant ? names(op.kind).constant : names(op.kind).tensor;
}

void attributes(const Elementwise& op, AttributeSink& to) {
  if (op.b_is_constant && op.kind != Elementwise::Kind::copy) to.number("constant", op.constant);
  if (op.kind == Elementwise::Kind::mac) to.number("lshift", op.lshift);
  if (op.kind == Elementwise::Kind::mac || op.kind == Elementwise::Kind::mul)
    to.number("rshift", op.rshift);
}

OperandList operands(const Elementwise& op) {
  bool accumulates = op.kind == Elementwise::Kind::mac;
  // Names with their lengths: a choice between literals would be measured at each call.
  using namespace std::string_view_literals;
  OperandList list{{op.kind == Elementwise::Kind::copy ? "dst"sv : "res"sv, &op.out,
                    accumulates ? Access::read_write : Access::write},
                   {op.kind == Elementwise::Kind::copy ? "src"sv : "a"sv, &op.a, Access::read}};
  if (has_tensor_b(op))
    list.push_back({op.kind == Elementwise::Kind::shift ? "bits"sv : "b"sv, &op.b, Access::read});
  return list;
}

Footprint footprint(const Elementwise& op, const Chip& chip) {
  Footprint f;
  add_ranges(op.out, chip, f.writes);
  add_ranges(op.a, chip, f.reads);
  if (has_tensor_b(op)) add_ranges(op.b, chip, f.reads);
  if (op.kind == Elementwise::Kind::mac) add_ranges(as_16bit(op.out), chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const Elementwise& op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    TW_RETURN_IF_ERROR(check_bm1880_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(
        check_shape(operand.name, *operand.view, op.out.shape, errors::ops_shape_mismatch));
    TW_RETURN_IF_ERROR(check_bm1880_stride_fields(operand.name, *operand.view));
  }
  TW_RETURN_IF_ERROR(check_widths(op));
  if (has_tensor_b(op)) TW_RETURN_IF_ERROR(check_bm1880_lane_zero("b", op.b, chip));
  if (op.b_is_constant) TW_RETURN_IF_ERROR(check_constant(op));
  TW_RETURN_IF_ERROR(check_signs(op));
  TW_RETURN_IF_ERROR(check_bm1880_lshift(op.lshift));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  return advise(op, chip);
}

// A unit makes one result per cycle; 16-bit values take one pass per plane.
Cost cost(const Elementwise& op, const Chip& chip) {
  const bool wide =
      is_16bit(op.out.dtype) || is_16bit(op.a.dtype) || op.kind == Elementwise::Kind::mac;
  return compute_cost(lane_passes(op.out.shape, chip) * (wide ? 2 : 1), op.out.shape.count(),
                      operands(op), chip);
}

void execute(const Elementwise& op, const Memory& memory) {
  const TensorView old = as_16bit(op.out);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    int32_t a = memory.read(op.a, n, c, h, w);
    int32_t b = has_tensor_b(op) ? memory.read(op.b, n, c, h, w) : op.constant;
    int32_t before = op.kind == Elementwise::Kind::mac ? memory.read(old, n, c, h, w) : 0;
    memory.write(op.out, n, c, h, w, result(op, a, b, before));
  });
}

}  // namespace tputwin
