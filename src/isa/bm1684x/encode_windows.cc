// Encodes the BM1684X's operations with a sliding window: classes CONV and PorD.
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"
#include "isa/streams/writer.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

void window(const Window& window, TiuWriter& w) {
  write_window(window, w);
  w.command.pad_mode = static_cast<uint64_t>(window.pads);
}

// Writes window, result and the extents of the input.
template <class Op>
void sides(const Op& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  window(op.window, w);
  w.shape(op.out.shape);
  w.aligned(kRes0, op.out);
  w.type(kOpd0, op.in.dtype);
  c.opd0_c = op.in.shape.c;
  c.opd0_h = op.in.shape.h;
  c.opd0_w = op.in.shape.w;
  if constexpr (requires { op.is_rotated; }) c.kernel_rotate = op.is_rotated;
}

// Writes a constant, or a tensor in the compact layout.
void compact_source(const OperandFields& fields, const Source& source, TiuWriter& w) {
  w.type(fields, source.view.dtype);
  if (source.is_constant) return w.constant(fields, source.constant);
  w.fixed(fields, source.view, source.view.shape, &CommandReader::compact);
}

// A negative constant is signed.
template <class Op>
void channel_bias(const Op& op, TiuWriter& w) {
  if (!op.bias) {
    if constexpr (std::is_signed_v<decltype(op.constant_bias)>)
      w.command.opd2_sign = op.constant_bias < 0;
    return w.constant(kOpd2, static_cast<uint32_t>(op.constant_bias));
  }
  w.type(kOpd2, op.bias->dtype);
  w.fixed(kOpd2, *op.bias, op.bias->shape, &CommandReader::compact);
}

// Writes the values of padding and inserted elements: constants, or adjacent pairs of bytes.
void outside(const Source& padding, const Source& insertion, TiuWriter& w) {
  if (padding.is_constant) {
    w.require(insertion.is_constant, "insertion", "");
    w.constant(kOpd3, padding.constant);
    w.command.res1_addr |= insertion.constant & 0xff;
    return;
  }
  constexpr uint32_t kValues = 2;
  const Shape pairs{1, padding.view.shape.c, 1, kValues};
  CommandReader reader(w.chip());
  TensorView expected =
      reader.compact({"opd3_addr", padding.view.address}, pairs, padding.view.dtype);
  expected.shape.w = 1;
  expected.stride.w = 0;
  w.require(expected == padding.view, "padding", describe(padding.view));
  w.require(insertion.is_constant || insertion.view.address == padding.view.address + 1,
            "insertion", describe(insertion.view));
  w.command.opd3_addr = padding.view.address;
}

// Writes padding and insertion as constants. They are bits of the input's type already.
template <class Op>
void constants_outside(const Op& op, TiuWriter& w) {
  w.constant(kOpd3, static_cast<uint32_t>(op.padding));
  w.command.res1_addr = static_cast<uint32_t>(op.insertion);
}

uint64_t is_wide(DType dtype) { return element_bytes(dtype) == 4; }

}  // namespace

void encode(const Conv2dBm1684xFloat& op, TiuWriter& w) {
  sides(op, w);
  w.place(kOpd0, op.in);
  compact_source(kOpd1, op.weight, w);
  channel_bias(op, w);
  constants_outside(op, w);
  w.command.res_add = op.accumulate;
  w.operation(kConv, conv2d);
}

void encode(const Conv2dBm1684xInt8& op, TiuWriter& w) {
  sides(op, w);
  w.place(kOpd0, op.in);
  compact_source(kOpd1, op.weight, w);
  if (is_wide(op.out.dtype)) {
    w.require(!op.bias && op.rshift == 0 && !op.relu, "bias", "");
    compact_source(kOpd2, op.zero_point, w);
    w.command.opd2_sign = w.command.opd1_sign;
    outside(op.padding, op.insertion, w);
    w.command.res_add = op.accumulate;
    return w.operation(kConv, conv2d);
  }
  channel_bias(op, w);
  // For unsigned terms, only a signed bias makes the result signed.
  const bool unsigned_terms = (w.command.opd0_sign | w.command.opd1_sign) == 0;
  if (!op.bias && unsigned_terms && is_signed(op.out.dtype)) w.command.opd2_sign = 1;
  w.command.opd3_const = 1;
  w.command.opd3_addr = op.rshift;
  w.operation(kConv, conv2d_symmetric, [&](const TiuVariant& v) { return v.relu == op.relu; });
}

void encode(const Depthwise2dBm1684xFloat& op, TiuWriter& w) {
  sides(op, w);
  w.aligned(kOpd0, op.in);
  compact_source(kOpd1, op.weight, w);
  channel_bias(op, w);
  constants_outside(op, w);
  w.operation(kPord, depthwise2d, [](const TiuVariant& v) { return !v.relu; });
}

void encode(const Depthwise2dBm1684xInt8& op, TiuWriter& w) {
  sides(op, w);
  w.aligned(kOpd0, op.in);
  compact_source(kOpd1, op.weight, w);
  channel_bias(op, w);
  w.command.res1_addr = op.rshift << 8;
  w.command.opd2_n_str = static_cast<uint64_t>(op.rounding);
  outside(op.padding, op.insertion, w);
  w.operation(kPord, depthwise2d, [&](const TiuVariant& v) { return v.relu == op.relu; });
}

void encode(const Pool2dBm1684xFloat& op, TiuWriter& w) {
  sides(op, w);
  w.aligned(kOpd0, op.in);
  const bool average = op.kind == Pool2dBm1684xFloat::Kind::average;
  constants_outside(op, w);
  if (average) w.constant(kOpd1, op.factor);
  w.operation(kPord, average ? average_pool2d : max_pool2d);
}

void encode(const Pool2dBm1684xInt8& op, TiuWriter& w) {
  sides(op, w);
  w.aligned(kOpd0, op.in);
  const bool average = op.kind == Pool2dBm1684xInt8::Kind::average;
  constants_outside(op, w);
  if (average) {
    w.constant(kOpd1, op.multiplier);
    w.command.opd2_addr = op.rshift;
  }
  w.operation(kPord, average ? average_pool2d : max_pool2d);
}

}  // namespace tputwin::isa::bm1684x_streams
