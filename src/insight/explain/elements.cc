// Formulas of element-wise operations.
#include <algorithm>

#include "insight/explain/float_sums.h"
#include "insight/explain/formulas.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::explain {
namespace {

int64_t printed(Paper& paper, std::string_view name, int64_t value) {
  paper.line("{} {}", name, value);
  return value;
}
float printed_float(Paper& paper, std::string_view name, float value) {
  paper.line("{} {}", name, value);
  return value;
}

// Reads an integer operand.
int64_t integer(const Source& source, const Memory& memory, const Shape& at) {
  return read_integer(memory, source, at.n, at.c, at.h, at.w);
}

}  // namespace

int32_t formula(const Elementwise& op, const Memory& memory, const Shape& at, Paper& paper) {
  using Kind = Elementwise::Kind;
  const auto read = [&](const TensorView& v) { return memory.read(v, at.n, at.c, at.h, at.w); };
  const int64_t a = printed(paper, "a", read(op.a));
  if (op.kind == Kind::copy) return static_cast<int32_t>(a);
  const int64_t b = printed(paper, "b", op.b_is_constant ? op.constant : read(op.b));
  switch (op.kind) {
    case Kind::mul:
      return paper.shift_and_saturate(printed(paper, "a * b", a * b), op.rshift, op.out.dtype);
    case Kind::mac: {
      const int32_t old = read(as_16bit(op.out));
      paper.line("old result {} * 2^{}", old, op.lshift);
      const int64_t sum = wrap32(a * b + wrap_shift_left(old, op.lshift));
      return paper.shift_and_saturate(printed(paper, "a * b + that", sum), op.rshift, op.out.dtype);
    }
    case Kind::add:
      return paper.saturated(printed(paper, "a + b", a + b), op.out.dtype);
    case Kind::sub:
      return paper.saturated(printed(paper, "a - b", a - b), op.out.dtype);
    case Kind::max:
      return static_cast<int32_t>(printed(paper, "max(a, b)", std::max(a, b)));
    case Kind::min:
      return static_cast<int32_t>(printed(paper, "min(a, b)", std::min(a, b)));
    case Kind::bit_and:
      return static_cast<int32_t>(printed(paper, "a & b", a & b));
    case Kind::bit_or:
      return static_cast<int32_t>(printed(paper, "a | b", a | b));
    case Kind::bit_xor:
      return static_cast<int32_t>(printed(paper, "a ^ b", a ^ b));
    default:  // shift: left by b, right by -b
      return static_cast<int32_t>(printed(
          paper, "a shifted by b",
          b >= 0 ? wrap_shift_left(static_cast<int32_t>(a), static_cast<uint32_t>(b)) & 0xffff
                 : a >> std::min<int64_t>(-b, 31)));
  }
}

int32_t formula(const FixedPoint& op, const Memory& memory, const Shape& at, Paper& paper) {
  using Kind = FixedPoint::Kind;
  const int64_t a = printed(paper, "a", op.a.read(memory, at.n, at.c, at.h, at.w));
  const int64_t b = printed(paper, "b", op.b.read(memory, at.n, at.c, at.h, at.w));
  const auto end = [&](std::string_view what, int64_t value) {
    return paper.shift_and_saturate(printed(paper, what, value), op.rshift, op.out.dtype);
  };
  switch (op.kind) {
    case Kind::add:
      return end("a + b", a + b);
    case Kind::sub:
      return end("a - b", a - b);
    case Kind::mul:
      return end("a * b", a * b);
    case Kind::mac: {
      const int64_t old = memory.read(as(op.out, op.old_type), at.n, at.c, at.h, at.w);
      paper.line("old result {} * 2^{}", old, op.lshift);
      return end("a * b + that", (old << op.lshift) + a * b);
    }
    case Kind::max:
      return paper.saturated(printed(paper, "max(a, b)", std::max(a, b)), op.out.dtype);
    case Kind::min:
      return paper.saturated(printed(paper, "min(a, b)", std::min(a, b)), op.out.dtype);
    case Kind::bit_and:
      return wrap(printed(paper, "a & b", a & b), op.out.dtype);
    case Kind::bit_or:
      return wrap(printed(paper, "a | b", a | b), op.out.dtype);
    case Kind::bit_xor:
      return wrap(printed(paper, "a ^ b", a ^ b), op.out.dtype);
    case Kind::arithmetic_shift:
    case Kind::logical_shift: {
      const int64_t low_byte = static_cast<int8_t>(b);
      if (low_byte != b) paper.line("its low byte {}", low_byte);
      const int64_t amount = std::clamp<int64_t>(low_byte, -16, 16);
      const int64_t shifted = amount > 0 ? wrap_shift_left(static_cast<int32_t>(a), amount)
                                         : static_cast<int32_t>(a) >> -amount;
      return wrap(printed(paper, "a shifted by b", shifted), op.out.dtype);
    }
  }
  return 0;
}

int32_t formula(const IntArithmetic& op, const Memory& memory, const Shape& at, Paper& paper) {
  using Kind = IntArithmetic::Kind;
  constexpr std::string_view kForms[] = {
      "a + b", "a - b", "a * b", "min(a, b)", "max(a, b)", "a * b + old * 2^lshift", "a"};
  const int64_t a = printed(paper, "a", integer(op.a, memory, at));
  const int64_t b = op.kind == Kind::shift ? 0 : printed(paper, "b", integer(op.b, memory, at));
  const int64_t old = op.kind == Kind::mac ? integer(Source::tensor(op.out), memory, at) : 0;
  if (op.kind == Kind::mac) paper.line("old {}, lshift {}", old, op.lshift);
  const int32_t shift = op.shift.read(memory, at.n, at.c, at.h, at.w);
  const int32_t result = int_arithmetic(op, a, b, old, shift);
  std::string form(kForms[static_cast<size_t>(op.kind)]);
  if (shift != 0) form = fmt::format("({}) * 2^{}, {}", form, shift, to_string(op.rounding));
  paper.line("{}, {} to {}: {}", form, op.saturates ? "saturated" : "wrapped",
             to_string(op.out.dtype), integer_value(result, op.out.dtype));
  return result;
}

int32_t formula(const FloatArithmetic& op, const Memory& memory, const Shape& at, Paper& paper) {
  using Kind = FloatArithmetic::Kind;
  constexpr std::string_view kForms[] = {"a + b",       "a - b",     "a * b",     "a / b",
                                         "old + a * b", "max(a, b)", "min(a, b)", "min(a, b)",
                                         "|a - b|",     "(a + b)^2", "(a - b)^2", "c + a * b"};
  const std::string_view form = kForms[static_cast<size_t>(op.kind)];
  const DType type = op.out.dtype;
  const auto read = [&](const Source& source) {
    return read_float(memory, source, at.n, at.c, at.h, at.w);
  };
  const float a = printed_float(paper, "a", read(op.a)), b = printed_float(paper, "b", read(op.b));
  if (is_choice(op.kind)) {
    const auto bits = [&](const Source& s) {
      return static_cast<uint32_t>(s.read(memory, at.n, at.c, at.h, at.w));
    };
    const uint32_t result = float_choice(op, bits(op.a), bits(op.b));
    printed_float(paper, form, float_value(result, type));
    return static_cast<int32_t>(result);
  }
  float third = 0;
  if (op.kind == Kind::mac) third = printed_float(paper, "old", read(Source::tensor(op.out)));
  if (op.kind == Kind::mul_add) third = printed_float(paper, "c", read(op.c));
  const bool multiplies = op.kind == Kind::mac || op.kind == Kind::mul_add;
  if (multiplies) printed_float(paper, "a * b", round_to(f32::mul(a, b), type));
  return rounded(paper, printed_float(paper, form, float_arithmetic(op, a, b, third)), type);
}

int32_t formula(const ChannelAffine& op, const Memory& memory, const Shape& at, Paper& paper) {
  const float in = printed_float(paper, "in", memory.read_f32(op.in, at.n, at.c, at.h, at.w));
  float scale = 0, bias = 0, old = 0;
  if (op.scale) scale = printed_float(paper, "scale", op.scale->read_f32(memory, 0, at.c, 0, 0));
  if (op.scale) printed_float(paper, "in * scale", f32::mul(in, scale));
  if (op.bias) bias = printed_float(paper, "bias", op.bias->read_f32(memory, 0, at.c, 0, 0));
  if (op.accumulate)
    old = printed_float(paper, "old result", memory.read_f32(op.out, at.n, at.c, at.h, at.w));
  const float result = affine(op, in, scale, bias, old);
  return static_cast<int32_t>(f32::bits(printed_float(paper, "sum", result)));
}

int32_t formula(const Requantize& op, const Memory& memory, const Shape& at, Paper& paper) {
  using Kind = Requantize::Kind;
  constexpr std::string_view kForms[] = {
      "in * multiplier * 2^shift + offset", "(in - offset) * multiplier * 2^shift",
      "float(in) * multiplier + offset", "(in - offset) * multiplier"};
  const auto bits = [&](const Source& s) { return s.read(memory, at.n, at.c, at.h, at.w); };
  const int64_t in = printed(paper, "in", integer(Source::tensor(op.in), memory, at));
  const bool real = op.kind == Kind::f32_narrow || op.kind == Kind::f32_wide;
  const int32_t multiplier = bits(op.multiplier), offset = bits(op.offset);
  const int32_t shift = real ? 0 : bits(op.shift);
  const auto number = [](int32_t x) { return f32::from_bits(static_cast<uint32_t>(x)); };
  if (real)
    paper.line("multiplier {}", number(multiplier));
  else
    paper.line("multiplier {}, shift {}", multiplier, shift);
  if (op.kind == Kind::f32_narrow)
    paper.line("offset {}", number(offset));
  else
    paper.line("offset {}", offset);
  const int32_t result = element(op, in, multiplier, shift, offset);
  paper.line("{}, {}, as {}:", kForms[static_cast<size_t>(op.kind)], to_string(op.rounding),
             to_string(op.out.dtype));
  if (is_float(op.out.dtype))
    printed_float(paper, "=", number(result));
  else
    printed(paper, "=", integer_value(result, op.out.dtype));
  return result;
}

int32_t formula(const Convert& op, const Memory& memory, const Shape& at, Paper& paper) {
  const int32_t in = memory.read(op.in, at.n, at.c, at.h, at.w);
  const auto text = [](int32_t bits, DType type) {
    return is_float(type) ? fmt::format("{}", float_value(static_cast<uint32_t>(bits), type))
                          : fmt::format("{}", integer_value(bits, type));
  };
  const bool casts = op.kind == Convert::Kind::cast;
  const int32_t result = convert_element(op, in);
  const DType type = casts ? op.out.dtype : op.in.dtype;
  paper.line("in {} as {}, {}: {}", text(in, op.in.dtype), to_string(type), to_string(op.rounding),
             text(result, type));
  return result;
}

}  // namespace tputwin::explain
