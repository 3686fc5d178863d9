// Operations of shared kernels as commands of the BM1684.
#include "bmnet/targets/bm1684/commands.h"

#include <utility>

#include "base/errors/bmnet.h"
#include "isa/streams/reader.h"

namespace tputwin::net::bm1684 {
namespace {

using Commands = Result<std::vector<Operation>>;

constexpr uint32_t kAllButSign = 0x7fff'ffff;

template <class Op>
Error no_command(const Op& op) {
  return Error(errors::net_target)
      .argument("command", std::string(name(op)))
      .detail("the BM1684 has no command for this operation on these operands")
      .see("docs/compiler-bm1684.md");
}

// A convolution of the BM1684X has its weights in a compact tensor (1, OC, pairs * taps, 2). The
// BM1684 reads the same bytes as pairs of input channels.
TensorView pairs(const TensorView& weight, const Window& window, uint32_t inputs,
                 const Chip& chip) {
  const uint32_t taps = window.h.kernel * window.w.kernel;
  const isa::ElementStrides strides{taps, weight.shape.h, window.w.kernel, 1};
  return isa::CommandReader(chip).placed({"weight", weight.address}, {"layout", isa::kStrided},
                                         {inputs, weight.shape.c, window.h.kernel, window.w.kernel},
                                         DType::f32, strides, kPair);
}

Commands commands(const Conv2dBm1684xFloat& op, const Chip& chip) {
  if (op.weight.is_constant || op.constant_bias != 0 || (op.padding | op.insertion) != 0)
    return no_command(op);
  return std::vector<Operation>{
      Conv2dBm1684{.out = op.out,
                   .in = op.in,
                   .weight = pairs(op.weight.view, op.window, op.in.shape.c, chip),
                   .bias = op.bias,
                   .window = op.window,
                   .is_rotated = op.is_rotated,
                   .accumulate = op.accumulate}};
}

Commands commands(const Depthwise2dBm1684xFloat& op, const Chip&) {
  if (op.weight.is_constant || op.constant_bias != 0 || (op.padding | op.insertion) != 0 ||
      op.is_rotated)
    return no_command(op);
  return std::vector<Operation>{Depthwise2dBm1684{
      .out = op.out, .in = op.in, .weight = op.weight.view, .bias = op.bias, .window = op.window}};
}

// The padding never is the maximum.
Commands commands(const Pool2dBm1684xFloat& op, const Chip&) {
  const bool is_average = op.kind == Pool2dBm1684xFloat::Kind::average;
  return std::vector<Operation>{
      Pool2dBm1684{.kind = is_average ? Pool2dBm1684::Kind::average : Pool2dBm1684::Kind::maximum,
                   .out = op.out,
                   .in = op.in,
                   .window = op.window,
                   .factor = f32::from_bits(op.factor)}};
}

Commands commands(const MatmulBm1684xFp32& op, const Chip&) {
  if (op.left.is_constant || op.right.is_constant || op.right.transposed || op.constant_bias != 0)
    return no_command(op);
  return std::vector<Operation>{MatmulBm1684{.out = op.out.matrix,
                                             .left = op.left.matrix,
                                             .right = op.right.matrix,
                                             .bias = op.bias,
                                             .accumulate = op.accumulate}};
}

Commands commands(FloatArithmetic op, const Chip&) {
  using Kind = FloatArithmetic::Kind;
  if (op.kind == Kind::lesser) op.kind = Kind::min;
  if (op.kind > Kind::min) return no_command(op);
  return std::vector<Operation>{std::move(op)};
}

Commands commands(const FloatFunction& op, const Chip&) {
  if (op.kind != FloatFunction::Kind::div) return no_command(op);
  return std::vector<Operation>{
      FloatArithmetic{.kind = FloatArithmetic::Kind::div, .out = op.out, .a = op.a, .b = op.b}};
}

Commands commands(const Unary& op, const Chip&) {
  if (op.kind == Unary::Kind::exponent) return std::vector<Operation>{op};
  if (op.kind != Unary::Kind::abs) return no_command(op);
  return std::vector<Operation>{Bitwise{.kind = Bitwise::Kind::bit_and,
                                        .out = op.out,
                                        .a = Source::tensor(op.in),
                                        .b = Source::value(kAllButSign)}};
}

Commands commands(Select op, const Chip&) {
  using Compare = Select::Compare;
  if (op.compare == Compare::less) {
    std::swap(op.a, op.b);
    op.compare = Compare::greater;
  }
  if (op.compare != Compare::greater && op.compare != Compare::equal_bits) return no_command(op);
  return std::vector<Operation>{std::move(op)};
}

Commands commands(const Conv2dBm1684Int8& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const Depthwise2dBm1684Int8& op, const Chip&) {
  return std::vector<Operation>{op};
}
Commands commands(const Pool2dBm1684Int8& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const FixedPoint& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const Rearrange& op, const Chip&) {
  if (op.kind != Rearrange::Kind::swap_cw || op.engine != Engine::dma) return no_command(op);
  return std::vector<Operation>{op};
}
Commands commands(const Copy& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const Bitwise& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const UnaryF32& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const L2Function& op, const Chip&) { return std::vector<Operation>{op}; }
Commands commands(const ChannelAffine& op, const Chip&) { return std::vector<Operation>{op}; }

}  // namespace

Result<std::vector<Operation>> commands_of(const Operation& op, const Chip& chip) {
  return std::visit(
      [&](const auto& held) -> Commands {
        if constexpr (requires { commands(held, chip); })
          return commands(held, chip);
        else
          return no_command(held);
      },
      static_cast<const AnyOperation&>(op));
}

}  // namespace tputwin::net::bm1684
