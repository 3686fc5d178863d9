// Encodes the BM1684's operations with a sliding window, and matrix products.
#include "base/bits.h"
#include "isa/bm1684/writer.h"

namespace tputwin::isa::bm1684_streams {
namespace {

constexpr uint8_t kConv = 0, kDepthwise = 1, kMatmul = 2;
constexpr uint8_t kSum = 1, kMaximum = 4;

// Writes window, result and the extents of the input.
template <class Op>
void sides(const Op& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  w.shape(op.out.shape);
  write_window(op.window, w);
  c.opd0_c = op.in.shape.c;
  c.opd0_h = op.in.shape.h;
  c.opd0_w = op.in.shape.w;
}

void f32_sides(const TensorView& out, const TensorView& in, TiuWriter& w) {
  w.f32({&kRes0, &kOpd0, &kOpd1, &kOpd2});
  w.aligned(kRes0, out);
  w.aligned(kOpd0, in);
}

// Writes a result of 8 or 16 bits with four images per cell. Reverses packed_result() of
// decode_windows.cc.
void byte_result(const TensorView& out, TiuWriter& w) {
  const uint32_t bytes = element_bytes(out.dtype);
  TensorView cells = out;
  if (bytes != 1) {
    cells.dtype = DType::i8;
    cells.plane_stride = 0;
    for (uint32_t* stride : {&cells.stride.n, &cells.stride.c, &cells.stride.h, &cells.stride.w}) {
      w.require(*stride % bytes == 0, "output_addr", describe(out));
      *stride /= bytes;
    }
  }
  w.aligned(kRes0, cells);
  kRes0.type.set(w.command, bytes == 1 ? kInt8 : kInt16);
}

// ReLU makes the result of signed operands unsigned.
void byte_signs(DType out, DType in, bool weight_signed, const std::optional<TensorView>& bias,
                TiuWriter& w) {
  w.type(kOpd0, in);
  kOpd1.type.set(w.command, kInt8);
  kOpd1.sign.set(w.command, weight_signed ? 1 : 0);
  kOpd2.type.set(w.command, kInt16);
  const bool bias_signed = bias && is_signed(bias->dtype);
  kOpd2.sign.set(w.command, bias_signed ? 1 : 0);
  const bool any_sign = is_signed(in) || weight_signed || bias_signed;
  w.require(any_sign || !is_signed(out), "output_addr", to_string(out));
  w.command.opt_relu = any_sign && !is_signed(out) ? 1 : 0;
}

// Writes biases in a compact array, or one after the weights of each channel (stride c).
void byte_bias(const std::optional<TensorView>& bias, TiuWriter& w) {
  if (!bias) return;
  CommandReader reader(w.chip());
  if (reader.compact({"bias_addr", bias->address}, bias->shape, bias->dtype) == *bias) {
    kOpd2.layout.set(w.command, kPerChannel);
    return w.compact(kOpd2, *bias);
  }
  w.address(kOpd2, *bias);
  kOpd2.layout.set(w.command, kStrided);
  w.require(bias->stride.c % 2 == 0, "bias_addr", describe(*bias));
  w.command.opd2_c_str = bias->stride.c / 2;
}

}  // namespace

void encode(const Conv2dBm1684& op, TiuWriter& w) {
  constexpr uint8_t kPair = 2;
  w.operation(kConv, 0, op.bias ? 3 : 2);
  sides(op, w);
  w.f32({&kRes0, &kOpd0, &kOpd1, &kOpd2});
  w.aligned(kRes0, op.out);
  if (w.is_aligned(op.in))
    w.aligned(kOpd0, op.in);
  else
    w.strided(kOpd0, op.in);
  if (op.constant_weight)
    w.constant(kOpd1, *op.constant_weight);
  else
    w.strided(kOpd1, op.weight, kPair);
  kOpd2.layout.set(w.command, kPerChannel);
  if (op.bias) w.compact(kOpd2, *op.bias);
  w.command.opt_kernel_rotate = op.is_rotated;
  w.command.opt_res_add = op.accumulate;
}

void encode(const Conv2dBm1684Int8& op, TiuWriter& w) {
  constexpr uint8_t kCell = 4;
  w.operation(kConv, 0, op.bias ? 3 : 2);
  sides(op, w);
  byte_result(op.out, w);
  byte_signs(op.out.dtype, op.in.dtype, is_signed(op.weight.dtype), op.bias, w);
  w.strided(kOpd0, op.in, kCell);
  if (op.constant_weight)
    w.constant(kOpd1, static_cast<uint8_t>(*op.constant_weight));
  else
    w.strided(kOpd1, op.weight, kCell);
  byte_bias(op.bias, w);
  w.command.opt_kernel_rotate = op.is_rotated;
  w.command.opt_right_shift = op.rshift;
}

void encode(const Winograd2dBm1684& op, TiuWriter& w) {
  constexpr uint8_t kCell = 4;
  w.operation(kConv, 0, op.bias ? 3 : 2);
  sides(op, w);
  byte_result(op.out, w);
  byte_signs(op.out.dtype, op.in.dtype, /*weight_signed=*/true, op.bias, w);
  w.strided(kOpd0, op.in, kCell);
  w.compact(kOpd1, op.weight);
  kOpd1.layout.set(w.command, kCompact);
  byte_bias(op.bias, w);
  w.command.opd1_h = w.command.opd1_w = op.weight.shape.h;
  w.command.opt_winograd = 1;
  w.command.opt_right_shift = op.rshift;
}

void encode(const Depthwise2dBm1684& op, TiuWriter& w) {
  w.operation(kDepthwise, kSum, op.bias ? 3 : 2);
  sides(op, w);
  f32_sides(op.out, op.in, w);
  w.compact(kOpd1, op.weight);
  kOpd2.layout.set(w.command, kPerChannel);
  if (op.bias) w.compact(kOpd2, *op.bias);
}

void encode(const Depthwise2dBm1684Int8& op, TiuWriter& w) {
  w.operation(kDepthwise, kSum, op.bias ? 3 : 2);
  sides(op, w);
  byte_result(op.out, w);
  byte_signs(op.out.dtype, op.in.dtype, !op.weight.is_constant && is_signed(op.weight.view.dtype),
             op.bias, w);
  w.aligned(kOpd0, op.in);
  kOpd2.layout.set(w.command, kPerChannel);
  w.command.opt_right_shift = op.rshift;
  if (op.bias) w.compact(kOpd2, *op.bias);
  if (!op.weight.is_constant) return w.compact(kOpd1, op.weight.view);
  const uint64_t taps = uint64_t{op.window.h.kernel} * op.window.w.kernel;
  w.require(op.weight.constant == mean_factor(taps) && !op.bias, "factor",
            std::to_string(op.weight.constant));
  w.constant(kOpd1, op.weight.constant);
}

void encode(const Pool2dBm1684& op, TiuWriter& w) {
  const bool average = op.kind == Pool2dBm1684::Kind::average;
  w.require(average || (op.window.h.insert | op.window.w.insert) == 0, "insert", "maximum");
  w.operation(kDepthwise, average ? kSum : kMaximum, average ? 2 : 1);
  sides(op, w);
  f32_sides(op.out, op.in, w);
  if (average) w.constant(kOpd1, f32::bits(op.factor));
}

void encode(const Pool2dBm1684Int8& op, TiuWriter& w) {
  w.operation(kDepthwise, kMaximum, 1);
  sides(op, w);
  byte_result(op.out, w);
  w.type(kOpd0, op.in.dtype);
  w.aligned(kOpd0, op.in);
  w.command.opt_relu = op.relu;
}

namespace {

template <class Op>
void matrices(const Op& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  const Shape &left = op.left.tensor.shape, &out = op.out.tensor.shape;
  w.operation(kMatmul, 0, op.bias ? 3 : 2);
  w.shape({1, out.c, 1, out.w});
  w.matrix(kRes0, op.out);
  w.matrix(kOpd0, op.left);
  w.matrix(kOpd1, op.right);
  if (op.bias) w.matrix(kOpd2, *op.bias);
  c.opd0_n = op.left.rows;
  c.opd0_c = left.c;
  c.opd0_w = left.w;
  c.opd1_w = op.left.cols - (left.c - 1) * left.w;
}

}  // namespace

void encode(const MatmulBm1684& op, TiuWriter& w) {
  matrices(op, w);
  w.command.opt_res_add = op.accumulate;
}

void encode(const MatmulBm1684Int8& op, TiuWriter& w) {
  matrices(op, w);
  const std::optional<TensorView> bias = op.bias ? std::optional(op.bias->tensor) : std::nullopt;
  byte_signs(op.out.tensor.dtype, op.left.tensor.dtype, is_signed(op.right.tensor.dtype), bias, w);
  w.command.opt_right_shift = op.rshift;
}

}  // namespace tputwin::isa::bm1684_streams
