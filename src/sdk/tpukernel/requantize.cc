// tpu_bdc_int_requant ... tpu_bdc_fp32_pc_dequant: quantization.
#include "ops/elementwise/requantize.h"

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

constexpr Types kWide = kI32 | k16Bit, kNarrow = k8Bit | k16Bit;

constexpr bool is_wide(Requantize::Kind kind) {
  return kind == Requantize::Kind::to_wide || kind == Requantize::Kind::f32_wide;
}

// Returns the operation without its parameters.
Requantize tensors(Call& call, Requantize::Kind kind, local_addr_t dst_addr, local_addr_t src_addr,
                   const Shape& s, data_type_t dst_dtype, data_type_t src_dtype) {
  const bool wide = is_wide(kind);
  const DType out = call.type("dst_dtype", dst_dtype,
                              kind == Requantize::Kind::f32_wide ? kF32
                              : wide                             ? kWide
                                                                 : kNarrow);
  const DType in = call.type("src_dtype", src_dtype, wide ? kNarrow : kWide);
  return {.kind = kind,
          .out = call.aligned("dst_addr", dst_addr, s, out),
          .in = call.aligned("src_addr", src_addr, s, in)};
}

Source number(int32_t value) { return Source::value(static_cast<uint32_t>(value), DType::i32); }

// Returns parameter `index` of the `count` that a channel has in a [1,C,1,count] tensor.
Source parameter(Call& call, local_addr_t address, const Shape& shape, uint32_t count,
                 uint32_t index, DType dtype) {
  TensorView view = call.aligned("quant_addr", address, {1, shape.c, 1, count}, dtype);
  view.address += uint64_t{index} * element_bytes(dtype);
  view.shape = shape;
  view.stride.n = view.stride.h = view.stride.w = 0;
  return Source::tensor(view);
}

// Arguments of all these functions.
struct Ends {
  local_addr_t dst_addr, src_addr;
  const dim4* shape;
  data_type_t dst_dtype, src_dtype;
};

Requantize tensors(Call& call, Requantize::Kind kind, const Ends& e, const Shape& shape) {
  return tensors(call, kind, e.dst_addr, e.src_addr, shape, e.dst_dtype, e.src_dtype);
}

void with_integers(Call call, Requantize::Kind kind, const Ends& ends, int multiplier, char shift,
                   scalar_t offset, rounding_mode_t rounding_mode) {
  Requantize op = tensors(call, kind, ends, call.shape(ends.shape));
  op.multiplier = number(multiplier);
  op.shift = number(static_cast<signed char>(shift));
  op.offset = number(offset.s16);
  op.rounding = call.rounding(rounding_mode);
  call.issue(op);
}

// Positions of a channel's three integers.
struct Order {
  uint32_t multiplier, shift, offset;
};

void with_integers_of_channels(Call call, Requantize::Kind kind, const Ends& ends,
                               local_addr_t quant_addr, const Order& order,
                               rounding_mode_t rounding_mode) {
  const Shape s = call.shape(ends.shape);
  Requantize op = tensors(call, kind, ends, s);
  op.multiplier = parameter(call, quant_addr, s, 3, order.multiplier, DType::i32);
  op.shift = parameter(call, quant_addr, s, 3, order.shift, DType::i32);
  op.offset = parameter(call, quant_addr, s, 3, order.offset, DType::i32);
  op.rounding = call.rounding(rounding_mode);
  call.issue(op);
}

void set_rounding(Call& call, Requantize& op, rounding_mode_t out, rounding_mode_t in) {
  op.rounding = call.rounding(out, /*of_floats=*/true, "dst_rounding_mode");
  op.in_rounding = call.rounding(in, /*of_floats=*/true, "src_rounding_mode");
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_bdc_int_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         int multiplier, char shift, scalar_t offset, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode) {
  with_integers(Call(__func__), Requantize::Kind::to_narrow,
                {dst_addr, src_addr, shape, dst_dtype, src_dtype}, multiplier, shift, offset,
                rounding_mode);
}

void tpu_bdc_fp32_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          float scale, float offset, data_type_t dst_dtype, data_type_t src_dtype,
                          rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode) {
  Call call(__func__);
  Requantize op = tensors(call, Requantize::Kind::f32_narrow, dst_addr, src_addr, call.shape(shape),
                          dst_dtype, src_dtype);
  op.multiplier = constant(scale);
  op.offset = constant(offset);
  set_rounding(call, op, dst_rounding_mode, src_rounding_mode);
  call.issue(op);
}

void tpu_bdc_fp32_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                             rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  Requantize op =
      tensors(call, Requantize::Kind::f32_narrow, dst_addr, src_addr, s, dst_dtype, src_dtype);
  op.multiplier = parameter(call, quant_addr, s, 2, 0, DType::f32);
  op.offset = parameter(call, quant_addr, s, 2, 1, DType::f32);
  set_rounding(call, op, dst_rounding_mode, src_rounding_mode);
  call.issue(op);
}

void tpu_bdc_int_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode) {
  with_integers_of_channels(Call(__func__), Requantize::Kind::to_narrow,
                            {dst_addr, src_addr, shape, dst_dtype, src_dtype}, quant_addr,
                            {.multiplier = 0, .shift = 1, .offset = 2}, rounding_mode);
}

void tpu_bdc_int_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         scalar_t offset, int multiplier, char shift, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode) {
  with_integers(Call(__func__), Requantize::Kind::to_wide,
                {dst_addr, src_addr, shape, dst_dtype, src_dtype}, multiplier, shift, offset,
                rounding_mode);
}

void tpu_bdc_int_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode) {
  with_integers_of_channels(Call(__func__), Requantize::Kind::to_wide,
                            {dst_addr, src_addr, shape, dst_dtype, src_dtype}, quant_addr,
                            {.multiplier = 1, .shift = 2, .offset = 0}, rounding_mode);
}

void tpu_bdc_fp32_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          scalar_t offset, float scale, data_type_t src_dtype,
                          rounding_mode_t rounding_mode) {
  Call call(__func__);
  Requantize op = tensors(call, Requantize::Kind::f32_wide, dst_addr, src_addr, call.shape(shape),
                          DT_FP32, src_dtype);
  op.multiplier = constant(scale);
  op.offset = number(offset.s16);
  op.rounding = call.rounding(rounding_mode, /*of_floats=*/true);
  call.issue(op);
}

void tpu_bdc_fp32_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t src_dtype,
                             rounding_mode_t rounding_mode) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  Requantize op =
      tensors(call, Requantize::Kind::f32_wide, dst_addr, src_addr, s, DT_FP32, src_dtype);
  op.offset = parameter(call, quant_addr, s, 2, 0, DType::i32);
  op.multiplier = parameter(call, quant_addr, s, 2, 1, DType::f32);
  op.rounding = call.rounding(rounding_mode, /*of_floats=*/true);
  call.issue(op);
}
