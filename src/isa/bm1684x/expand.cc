// Expands programs of operations to programs of commands.
#include "isa/bm1684x/expand.h"

#include <algorithm>

#include "isa/bm1684x/function_steps.h"
#include "numerics/constant_tables.h"
#include "numerics/float16.h"

namespace tputwin::isa {
namespace {

using Steps = std::vector<Operation>;

// Returns a view of the same bytes as unsigned integers.
TensorView bits_of(TensorView view) {
  const uint32_t bytes = element_bytes(view.dtype);
  view.dtype = bytes == 4 ? DType::u32 : bytes == 2 ? DType::u16 : DType::u8;
  view.plane_stride = bytes == 2 ? 1 : 0;
  return view;
}

Source number(float x, DType dtype) {
  return Source::value(is_float(dtype) ? float_bits(x, dtype) : static_cast<uint32_t>(int32_t(x)),
                       dtype);
}

// In a sum, the first operand determines the NaN of the result, so `b_first` exchanges the
// operands.
Steps steps(FloatArithmetic op, const Chip&) {
  if (op.b_first) std::swap(op.a, op.b);
  op.b_first = false;
  return {std::move(op)};
}

// Conditions without a command are computed as their opposites. An XOR then exchanges the value and
// 0.
Steps steps(Select op, const Chip&) {
  using Compare = Select::Compare;
  constexpr std::pair<Compare, Compare> kOpposites[] = {{Compare::at_least, Compare::less},
                                                        {Compare::at_most, Compare::greater},
                                                        {Compare::not_equal, Compare::equal_value}};
  const auto* opposite =
      std::ranges::find(kOpposites, op.compare, &std::pair<Compare, Compare>::first);
  const bool leaves_0 = op.if_false.is_constant && op.if_false.constant == 0;
  if (opposite == std::end(kOpposites) || !leaves_0 || !op.if_true.is_constant)
    return {std::move(op)};
  op.compare = opposite->second;
  const TensorView out = bits_of(op.out);
  const Bitwise flip{.kind = Bitwise::Kind::bit_xor,
                     .out = out,
                     .a = Source::tensor(out),
                     .b = Source::value(op.if_true.constant, out.dtype)};
  return {std::move(op), flip};
}

Operation difference_from_0(const TensorView& out, const TensorView& in) {
  if (is_float(out.dtype))
    return FloatArithmetic{.kind = FloatArithmetic::Kind::sub,
                           .out = out,
                           .a = number(0, out.dtype),
                           .b = Source::tensor(in)};
  return IntArithmetic{.kind = IntArithmetic::Kind::sub,
                       .out = out,
                       .a = number(0, out.dtype),
                       .b = Source::tensor(in),
                       .saturates = false};
}

Operation at_least_0(const TensorView& out, const TensorView& in) {
  const Source x = Source::tensor(in), zero = number(0, out.dtype);
  if (is_float(out.dtype))
    return FloatArithmetic{.kind = FloatArithmetic::Kind::max, .out = out, .a = x, .b = zero};
  return IntArithmetic{.kind = IntArithmetic::Kind::max, .out = out, .a = x, .b = zero};
}

Select choice(Select::Compare compare, const TensorView& out, const TensorView& in,
              const Source& if_true, const Source& if_false) {
  return {.compare = compare,
          .out = out,
          .a = Source::tensor(in),
          .b = number(0, in.dtype),
          .if_true = if_true,
          .if_false = if_false,
          .type = in.dtype};
}

Steps steps(const Unary& op, const Chip&) {
  using Kind = Unary::Kind;
  using Compare = Select::Compare;
  const DType type = op.out.dtype;
  const Source x = Source::tensor(op.in), y = Source::tensor(op.out);
  switch (op.kind) {
    case Kind::neg:
      return {difference_from_0(op.out, op.in)};
    case Kind::relu:
      return {at_least_0(op.out, op.in)};
    case Kind::prelu:
      return {FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                              .out = op.out,
                              .a = x,
                              .b = Source::value(op.alpha, type)},
              choice(Compare::greater, op.out, op.in, x, y)};
    case Kind::sign: {
      const bool has_sign = is_float(type) || is_signed(type);
      Steps list{choice(Compare::greater, op.out, op.in, number(1, type),
                        number(has_sign ? -1 : 0, type))};
      if (has_sign) list.push_back(choice(Compare::equal_value, op.out, op.in, number(0, type), y));
      return list;
    }
    default:
      return {op};
  }
}

// Static memory holds the numbers 0 to 63. Further columns, or channels, repeat them with 64, 128,
// ... added.
Steps steps(const Sequence& op, const Chip& chip) {
  constexpr uint32_t kNumbers = kSequence.address, kCount = kSequence.words;
  const Shape& s = op.out.shape;
  const bool along_w = op.step_c == 0, along_c = op.step_w == 0 && s.w == 1;
  const bool known = is_32bit(op.out.dtype) && !op.by_lane && s.n == 1 && s.h == 1;
  if (!known || (!along_w && !along_c)) return {op};
  const uint32_t all = along_w ? s.w : s.c;
  auto part = [&](uint32_t first) {
    TensorView view = op.out;
    const uint32_t count = std::min(kCount, all - first);
    (along_w ? view.shape.w : view.shape.c) = count;
    if (along_w)
      view.address += uint64_t{first} * view.stride.w;
    else  // channel + kCount is in the same lane
      view.address += uint64_t{first / chip.lanes} * view.stride.c;
    if (!along_w && count <= chip.lanes) view.stride.c = 0;
    return view;
  };
  auto plus = [&](IntArithmetic::Kind kind, const TensorView& out, const TensorView& a,
                  uint32_t b) {
    return IntArithmetic{.kind = kind,
                         .out = out,
                         .a = Source::tensor(a),
                         .b = Source::value(b, out.dtype),
                         .saturates = false};
  };
  TensorView first = part(0);
  Steps list{LoadTable{.out = first, .address = kNumbers, .distributed = !along_w}};
  for (uint32_t at = kCount; at < all; at += kCount) {
    const TensorView out = part(at);
    first.shape = out.shape;
    list.push_back(plus(IntArithmetic::Kind::add, out, first, at));
  }
  list.push_back(plus(IntArithmetic::Kind::mul, op.out, op.out, along_w ? op.step_w : op.step_c));
  list.push_back(plus(IntArithmetic::Kind::add, op.out, op.out, op.start));
  return list;
}

Steps steps(const FloatFunction& op, const Chip& chip) {
  return bm1684x_streams::function_steps(op, chip);
}

}  // namespace

std::vector<Operation> steps_of(const Operation& op, const Chip& chip) {
  return std::visit(
      [&](const auto& alternative) -> Steps {
        if constexpr (requires { steps(alternative, chip); })
          return steps(alternative, chip);
        else
          return {op};
      },
      static_cast<const AnyOperation&>(op));
}

std::vector<Instruction> expand(std::span<const Instruction> program, const Chip& chip) {
  std::vector<Instruction> commands;
  // numbers[i] is the new number of tensor-engine command i. If the command becomes several steps,
  // it is the number of the last step.
  std::vector<uint32_t> numbers{0};
  uint32_t computed = 0;
  for (const Instruction& instruction : program) {
    Instruction command = instruction;
    if (command.engine == Engine::dma) {
      command.wait = numbers.at(command.wait);
      commands.push_back(std::move(command));
      continue;
    }
    for (Operation& step : steps_of(instruction.op, chip)) {
      command.op = std::move(step);
      command.id = ++computed;
      commands.push_back(command);
    }
    numbers.push_back(computed);
  }
  return commands;
}

}  // namespace tputwin::isa
