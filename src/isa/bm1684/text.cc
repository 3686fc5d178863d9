// The OKKernel functions that become the BM1684's commands.
#include "isa/bm1684/decode.h"
#include "isa/bm1684/format.h"
#include "numerics/l2_tables.h"

namespace tputwin::isa::bm1684_streams {
namespace {

// Returns the memories of a transfer, for example "S2L".
std::string sides(const TensorView& to, const TensorView& from) {
  return fmt::format("{}2{}", from.space == Space::local ? 'L' : 'S',
                     to.space == Space::local ? 'L' : 'S');
}

std::string of(const Copy& op) {
  if (op.engine == Engine::compute) return op.src.is_constant ? "bdc_32bit_set_C" : "bdc_32bit_cpy";
  const uint32_t bits = 8 * element_bytes(op.dst.dtype);
  if (op.src.is_constant)
    return fmt::format("gdma_{}bit_set_C_{}", bits,
                       op.dst.space == Space::local ? "local" : "system");
  return fmt::format("gdma_{}bit_cpy_{}", bits, sides(op.dst, op.src.view));
}

std::string of(const CopyMatrix& op) {
  if (element_bytes(op.dst.tensor.dtype) != 4) return "";
  return fmt::format("gdma_32bit_matrix_{}", sides(op.dst.tensor, op.src.tensor));
}

// Returns the function, or its variant with a constant.
std::string with_form(std::string_view function, const Source& a, const Source& b) {
  if (a.is_constant) return fmt::format("bdc_C_{}", function);
  return fmt::format("bdc_{}{}", function, b.is_constant ? "_C" : "");
}

std::string of(const FloatArithmetic& op) { return with_form(to_string(op.kind), op.a, op.b); }

std::string of(const Bitwise& op) {
  std::string_view kind = to_string(op.kind);
  if (kind.starts_with("bit_")) kind.remove_prefix(4);
  if (op.a.is_constant) return fmt::format("bdc_32bit_C_{}", kind);
  return fmt::format("bdc_32bit_{}{}", kind, op.b.is_constant ? "_C" : "");
}

std::string of(const FixedPoint& op) {
  if (op.kind >= FixedPoint::Kind::bit_and) return "";
  const bool shifts = op.kind >= FixedPoint::Kind::arithmetic_shift;
  const std::string prefix = shifts ? "fixed_point_packed_16bit_" : "fixed_point_packed_";
  if (op.a.is_constant) return fmt::format("bdc_{}C_{}", prefix, to_string(op.kind));
  return fmt::format("bdc_{}{}{}", prefix, to_string(op.kind), op.b.is_constant ? "_C" : "");
}

std::string of(const Select& op) {
  if (op.extreme) return "";
  const bool value = op.if_true.is_constant && op.if_false.is_constant && op.if_false.constant == 0;
  const std::string_view compare = op.compare == Select::Compare::greater ? "greater" : "equal";
  if (!value) return fmt::format("bdc_{}_select", compare);
  if (op.a.is_constant) return fmt::format("bdc_C_{}_select_value", compare);
  return fmt::format("bdc_{}{}_select_value", compare, op.b.is_constant ? "_C" : "");
}

std::string of(const UnaryF32& op) {
  if (op.kind == UnaryF32::Kind::to_int32) return "bdc_fp32_to_int32";
  return fmt::format("bdc_{}", to_string(op.kind));
}

std::string of(const ChannelAffine& op) {
  const bool constants = (op.scale && op.scale->is_constant) || (op.bias && op.bias->is_constant);
  return constants ? "" : fmt::format("bdc_{}", name(op));
}

// Returns true if a function covers the window: functions insert no zeros, and compute all results
// of a window.
template <class Op>
bool has_window_of_functions(const Op& op) {
  const Axis &h = op.window.h, &w = op.window.w;
  const Shape &in = op.in.shape, &out = op.out.shape;
  return (h.insert | w.insert) == 0 && h.output(in.h) == out.h && w.output(in.w) == out.w;
}

std::string of(const Conv2dBm1684& op) {
  const bool plain = has_window_of_functions(op) && !op.is_rotated && !op.constant_weight;
  return plain ? "bdc_conv2d" : "";
}
std::string of(const Depthwise2dBm1684& op) {
  return has_window_of_functions(op) ? "bdc_depthwise2d" : "";
}
std::string of(const Pool2dBm1684& op) {
  if (!has_window_of_functions(op)) return "";
  if (op.kind == Pool2dBm1684::Kind::maximum) return "bdc_max_pool2d";
  return f32::bits(op.factor) == f32::bits(share_of(op.window)) ? "bdc_avg_pool2d" : "";
}
std::string of(const MatmulBm1684&) { return "bdc_matmul"; }

}  // namespace

std::string function_name(const Instruction& in, const Chip&) {
  const std::string function = std::visit(
      [&](const auto& op) -> std::string {
        if constexpr (requires { of(op); }) return of(op);
        return "";
      },
      static_cast<const AnyOperation&>(in.op));
  return function.empty() ? std::string(name(in.op)) : "okk_" + function;
}

}  // namespace tputwin::isa::bm1684_streams
