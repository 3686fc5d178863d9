// unary: contract, cost and reference kernel.
#include "ops/elementwise/unary.h"

#include <bit>

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {
namespace {

// Returns the number of zeros above the highest bit that is 1.
int32_t leading_zeros(uint32_t bits, DType dtype) {
  const int width = static_cast<int>(8 * element_bytes(dtype));
  const uint32_t ones = width == 32 ? UINT32_MAX : (uint32_t{1} << width) - 1;
  return std::countl_zero(bits & ones) - (32 - width);
}

int32_t of_integer(Unary::Kind kind, int32_t bits, DType dtype) {
  const int64_t x = integer_value(bits, dtype);
  switch (kind) {
    case Unary::Kind::abs:
      return wrap(x < 0 ? -x : x, dtype);
    case Unary::Kind::neg:
      return wrap(-x, dtype);
    case Unary::Kind::relu:
      return x > 0 ? bits : 0;
    case Unary::Kind::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Unary::Kind::leading_zeros:
      return leading_zeros(static_cast<uint32_t>(bits), dtype);
    case Unary::Kind::leading_ones:
      return leading_zeros(~static_cast<uint32_t>(bits), dtype);
    default:
      return 0;
  }
}

// Returns the sign bit of a floating-point type.
constexpr uint32_t sign_bit(DType dtype) { return dtype == DType::f32 ? f32::kSignBit : 0x8000; }

// Returns the position of the lowest bit of the exponent field of a type.
constexpr uint32_t fraction_bits(DType dtype) {
  return dtype == DType::f32 ? 23 : dtype == DType::bf16 ? 7 : 10;
}

// Positive numbers from about 4/3 of a power of 2 on count as the next power.
constexpr uint32_t rounding_of(DType dtype) {
  return dtype == DType::f32 ? 0x55'5554 : dtype == DType::bf16 ? 0x54 : 0x2aa;
}

// A NaN above that bound gets an exponent field one above the largest. An integer result shows it;
// a floating-point result has no bit for it.
int32_t exponent_of(uint32_t bits, DType in, DType out) {
  const uint32_t sign = bits & sign_bit(in), shift = fraction_bits(in);
  const uint32_t magnitude = bits & (sign_bit(in) - 1);
  const uint32_t field = (sign == 0 ? magnitude + rounding_of(in) : magnitude) >> shift;
  if (!is_float(out)) return static_cast<int32_t>(field);
  return static_cast<int32_t>(sign | (field << shift & (sign_bit(in) - 1)));
}

// A NaN is returned, quiet.
uint32_t inverse_root(uint32_t bits, uint32_t steps) {
  constexpr uint32_t kFirstGuess = 0x5f37'59df, kQuiet = 0x40'0000;
  if ((bits & 0x7fff'ffff) > 0x7f80'0000) return bits | kQuiet;
  const float half = f32::mul(f32::from_bits(bits), 0.5f);
  float y = f32::from_bits(kFirstGuess - static_cast<uint32_t>(static_cast<int32_t>(bits) >> 1));
  for (uint32_t i = 0; i < steps; ++i)
    y = f32::mul(y, f32::sub(1.5f, f32::mul(f32::mul(half, y), y)));
  return f32::bits(y);
}

int32_t of_float(const Unary& op, uint32_t bits) {
  const DType type = op.in.dtype;
  const float x = float_value(bits, type);
  auto number = [&](float value) { return static_cast<int32_t>(float_bits(value, type)); };
  switch (op.kind) {
    case Unary::Kind::abs:
      return static_cast<int32_t>(bits & ~sign_bit(type));
    case Unary::Kind::neg:
      return number(f32::sub(0.0f, x));
    case Unary::Kind::relu:
      return x > 0.0f ? static_cast<int32_t>(bits) : 0;
    case Unary::Kind::prelu:
      return x > 0.0f ? static_cast<int32_t>(bits)
                      : number(f32::mul(x, float_value(op.alpha, type)));
    case Unary::Kind::sign:
      return number(x > 0.0f ? 1.0f : x == 0.0f ? 0.0f : -1.0f);  // -1 for NaN
    case Unary::Kind::exponent:
      return exponent_of(bits, type, op.out.dtype);
    case Unary::Kind::inverse_root:
      return static_cast<int32_t>(inverse_root(bits, op.steps));
    case Unary::Kind::leading_zeros:
    case Unary::Kind::leading_ones:
      return 0;  // integers
  }
  return 0;
}

Status check_types(const Unary& op) {
  const DType in = op.in.dtype, out = op.out.dtype;
  if (op.kind == Unary::Kind::exponent)
    return require(is_float(in) && (out == in || (out == DType::i32 && in == DType::f32) ||
                                    (out == DType::i16 && is_half(in))),
                   errors::tpu_dtype_pair, "dst_dtype", op.out);
  TW_RETURN_IF_ERROR(
      require(in == out && in != DType::b32, errors::tpu_dtype_pair, "dtype", op.in));
  const bool counts = op.kind == Unary::Kind::leading_zeros || op.kind == Unary::Kind::leading_ones;
  const bool fits = counts ? !is_float(in)
                    : op.kind == Unary::Kind::inverse_root
                        ? in == DType::f32
                        : op.kind != Unary::Kind::prelu || is_float(in);
  return require(fits, errors::tpu_dtype, "dtype", op.in);
}

}  // namespace

std::string_view to_string(Unary::Kind kind) {
  constexpr std::string_view kNames[] = {"abs",           "neg",          "relu",
                                         "prelu",         "sign",         "exponent",
                                         "leading_zeros", "leading_ones", "inverse_root"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const Unary& op) {
  return op.kind == Unary::Kind::relu ? "relu_typed" : to_string(op.kind);
}

void attributes(const Unary& op, AttributeSink& to) {
  if (op.kind == Unary::Kind::prelu) to.bits("alpha", op.alpha);
  if (op.kind == Unary::Kind::inverse_root) to.number("steps", op.steps);
}

OperandList operands(const Unary& op) {
  return {{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
}

namespace {

// The BM1684 supports exponents only, in the aligned layout.
Status check_bm1684(const Unary& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_32bit(operands(op), op.out.shape, chip, chip.eu_bytes));
  TW_RETURN_IF_ERROR(require(op.kind == Unary::Kind::exponent && op.in.dtype == DType::f32 &&
                                 (op.out.dtype == DType::i32 || op.out.dtype == DType::f32),
                             errors::okk_element, "dst_addr", op.out));
  return advise_bm1684_same_npu(operands(op), chip);
}

}  // namespace

Status check(const Unary& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684) return check_bm1684(op, chip);
  TW_RETURN_IF_ERROR(check_bm1684x_elementwise(operands(op), chip));
  return check_types(op);
}

Cost cost(const Unary& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.in.dtype)),
                      op.out.shape.count(), operands(op), chip);
}

int32_t element(const Unary& op, int32_t bits) {
  if (!is_float(op.in.dtype)) return of_integer(op.kind, bits, op.in.dtype);
  return of_float(op, static_cast<uint32_t>(bits));
}

void execute(const Unary& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.out, n, c, h, w, element(op, memory.read(op.in, n, c, h, w)));
  });
}

}  // namespace tputwin
