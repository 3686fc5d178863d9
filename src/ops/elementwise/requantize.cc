// requantize: contract, cost and reference kernel.
#include "ops/elementwise/requantize.h"

#include <algorithm>

#include "base/errors/tpukernel.h"
#include "numerics/convert.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {
namespace {

constexpr int64_t kLowestShift = -64, kHighestShift = 31;

constexpr bool has_shift(Requantize::Kind kind) {
  return kind == Requantize::Kind::to_narrow || kind == Requantize::Kind::to_wide;
}

// Returns value * 2^amount, rounded. The amount is the low byte of the value in memory. Left shifts
// have 64 bits and use the low 6 bits of the amount.
int64_t scaled(int64_t value, int32_t word, Rounding mode) {
  const int64_t amount = static_cast<int8_t>(word);
  if (amount < 0)
    return shift_right(value, static_cast<uint32_t>(-std::max(amount, kLowestShift)), mode);
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (amount % 64));
}

// Returns the low 16 bits, signed as the narrow type is.
int64_t offset_of(const Requantize& op, int64_t offset) {
  const bool wide = op.kind == Requantize::Kind::to_wide || op.kind == Requantize::Kind::f32_wide;
  const bool negative = is_signed(wide ? op.in.dtype : op.out.dtype);
  return negative ? int64_t{static_cast<int16_t>(offset)} : int64_t{static_cast<uint16_t>(offset)};
}

// Checks a parameter in memory: one element per channel.
Status check_parameter(std::string_view name, const Source& source, const Requantize& op,
                       const Chip& chip) {
  if (source.is_constant) return {};
  TW_RETURN_IF_ERROR(check_bm1684x_operand(name, source.view, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_shape(name, source.view, op.out.shape));
  return check_bm1684x_start(name, source.view, op.out, chip);
}

Status check_types(const Requantize& op) {
  const DType in = op.in.dtype, out = op.out.dtype;
  const bool wide_in = in == DType::i32 || is_16bit(in);
  const bool wide_out = out == DType::i32 || is_16bit(out);
  const bool narrow_out = !is_float(out) && element_bytes(out) <= 2;
  switch (op.kind) {
    case Requantize::Kind::to_narrow:
    case Requantize::Kind::f32_narrow:
      TW_RETURN_IF_ERROR(require(wide_in, errors::tpu_dtype, "src_dtype", op.in));
      return require(narrow_out, errors::tpu_dtype, "dst_dtype", op.out);
    case Requantize::Kind::to_wide:
      TW_RETURN_IF_ERROR(require(!is_float(in), errors::tpu_dtype, "src_dtype", op.in));
      return require(wide_out, errors::tpu_dtype, "dst_dtype", op.out);
    case Requantize::Kind::f32_wide:
      TW_RETURN_IF_ERROR(require(!is_float(in), errors::tpu_dtype, "src_dtype", op.in));
      return require(out == DType::f32, errors::tpu_dtype, "dst_dtype", op.out);
  }
  return {};
}

}  // namespace

std::string_view to_string(Requantize::Kind kind) {
  constexpr std::string_view kNames[] = {"requantize", "dequantize", "requantize_f32",
                                         "dequantize_f32"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const Requantize& op) { return to_string(op.kind); }

void attributes(const Requantize& op, AttributeSink& to) {
  to.constant(has_shift(op.kind) ? "multiplier" : "scale", op.multiplier);
  if (has_shift(op.kind)) to.constant("shift", op.shift);
  to.parameter("offset", op.offset);
  to.word("rounding", to_string(op.rounding));
  if (!has_shift(op.kind)) to.word("in_rounding", to_string(op.in_rounding));
}

OperandList operands(const Requantize& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
  for (const Source* parameter : {&op.multiplier, &op.shift, &op.offset})
    if (!parameter->is_constant && (parameter != &op.shift || has_shift(op.kind)))
      list.push_back({"quant_addr", &parameter->view, Access::read});
  return list;
}

Status check(const Requantize& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand("dst_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_operand("src_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_shape("src_addr", op.in, op.out.shape));
  TW_RETURN_IF_ERROR(check_bm1684x_start("src_addr", op.in, op.out, chip));
  TW_RETURN_IF_ERROR(check_types(op));
  TW_RETURN_IF_ERROR(check_parameter("quant_addr", op.multiplier, op, chip));
  TW_RETURN_IF_ERROR(check_parameter("quant_addr", op.offset, op, chip));
  if (has_shift(op.kind)) {
    TW_RETURN_IF_ERROR(check_parameter("quant_addr", op.shift, op, chip));
    const auto amount = static_cast<int32_t>(op.shift.constant);
    TW_RETURN_IF_ERROR(
        require(!op.shift.is_constant || (kLowestShift <= amount && amount <= kHighestShift),
                errors::tpu_shift, "shift", amount));
  }
  return {};
}

Cost cost(const Requantize& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4), op.out.shape.count(), operands(op), chip);
}

int32_t element(const Requantize& op, int64_t in, int32_t multiplier, int32_t shift,
                int32_t offset) {
  const auto number = [](int32_t bits) { return f32::from_bits(static_cast<uint32_t>(bits)); };
  switch (op.kind) {
    case Requantize::Kind::to_narrow:
      return saturate(scaled(in * multiplier, shift, op.rounding) + offset_of(op, offset),
                      op.out.dtype);
    case Requantize::Kind::to_wide:
      return saturate(scaled((in - offset_of(op, offset)) * multiplier, shift, op.rounding),
                      op.out.dtype);
    case Requantize::Kind::f32_narrow: {
      const int32_t real =
          convert(static_cast<int32_t>(in), op.in.dtype, DType::f32, op.in_rounding);
      return float_to_integer(f32::mac(number(real), number(multiplier), number(offset)),
                              op.out.dtype, op.rounding);
    }
    case Requantize::Kind::f32_wide:
      return static_cast<int32_t>(
          f32::bits(f32::mul(integer_to_float(in - offset_of(op, offset)), number(multiplier))));
  }
  return 0;
}

void execute(const Requantize& op, const Memory& memory) {
  const Source in = Source::tensor(op.in);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const auto read = [&](const Source& source) { return source.read(memory, n, c, h, w); };
    const int32_t shift = has_shift(op.kind) ? read(op.shift) : 0;
    memory.write(op.out, n, c, h, w,
                 element(op, read_integer(memory, in, n, c, h, w), read(op.multiplier), shift,
                         read(op.offset)));
  });
}

}  // namespace tputwin
