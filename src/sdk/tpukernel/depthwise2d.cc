// Depthwise convolutions: tpu_bdc_fp_..depthwise.., tpu_bdc_int8_..depthwise..
#include "base/errors/tpukernel.h"
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"

#include "ops/contract/taps.h"
#include "sdk/tpukernel/window.h"

namespace tputwin::tpu {
namespace {

template <class Op>
Source weights(Call& call, const Op& op, const Weights& w, DType dtype) {
  return weights_of(call, w, depthwise_weight_shape(op.in, op.window), dtype);
}

void depthwise2d_float(Call call, const Form& form, const Weights& w, local_addr_t bias_addr,
                       bool has_bias) {
  Depthwise2dBm1684xFloat op;
  set_form(call, form, kFloats, kFloats, op);
  op.weight = weights(call, op, w, op.in.dtype);
  if (has_bias) op.bias = channels(call, "bias_addr", bias_addr, op.in.shape.c, op.in.dtype);
  call.issue(op);
}

struct Integers {
  Weights weights;
  local_addr_t bias_addr;
  data_type_t weight_dtype, bias_dtype;
  unsigned char rshift;
  bool has_bias, result_relu;
  rounding_mode_t rounding_mode;
};

Depthwise2dBm1684xInt8 depthwise2d_quant(Call& call, const Form& form, const Integers& i) {
  Depthwise2dBm1684xInt8 op{
      .rshift = i.rshift, .relu = i.result_relu, .rounding = call.rounding(i.rounding_mode)};
  set_form(call, form, kInts, k8Bit, op);
  op.weight = weights(call, op, i.weights, call.type("weight_dtype", i.weight_dtype, k8Bit));
  if (i.has_bias)
    op.bias = channels(call, "bias_addr", i.bias_addr, op.in.shape.c,
                       call.type("bias_dtype", i.bias_dtype, k32Bit));
  return op;
}

void with_constant_padding(Call call, const Form& form, const Integers& integers,
                           scalar_t pad_val) {
  Depthwise2dBm1684xInt8 op = depthwise2d_quant(call, form, integers);
  op.padding = constant(pad_val, op.in.dtype);
  call.issue(op);
}

void with_channel_padding(Call call, const Form& form, const Integers& integers,
                          local_addr_t pad_addr) {
  Depthwise2dBm1684xInt8 op = depthwise2d_quant(call, form, integers);
  const Outside outside = outside_of(call, "pad_addr", pad_addr, op.in, form.is_deconvolution);
  op.padding = outside.padding;
  op.insertion = outside.insertion;
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TW_FORM(OUTPUT_DTYPE, INPUT_DTYPE, IS_DECONVOLUTION, ...)                      \
  Form {                                                                               \
    .output_addr = output_addr, .input_addr = input_addr, .input_shape = input_shape,  \
    .window = {__VA_ARGS__}, .output_dtype = OUTPUT_DTYPE, .input_dtype = INPUT_DTYPE, \
    .is_deconvolution = IS_DECONVOLUTION                                               \
  }
#define TW_STRIDED TW_FORM(output_dtype, input_dtype, false, kernel, padding, stride, dilation)
#define TW_DECONVOLUTION \
  TW_FORM(output_dtype, input_dtype, true, kernel, padding, nullptr, dilation, insert)
#define TW_INTEGERS(...)                                                               \
  Integers {                                                                           \
    {__VA_ARGS__}, bias_addr, weight_dtype, bias_dtype, rshift, has_bias, result_relu, \
        rounding_mode                                                                  \
  }

void tpu_bdc_fp_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                            local_addr_t weight_addr, local_addr_t bias_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t dtype,
                            bool has_bias) {
  depthwise2d_float(Call(__func__), TW_FORM(dtype, dtype, false, kernel, padding, stride, dilation),
                    {weight_addr}, bias_addr, has_bias);
}

void tpu_bdc_fp_ins_depthwise(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* ins, const dim2* dilation,
                              data_type_t dtype, bool has_bias) {
  depthwise2d_float(Call(__func__),
                    TW_FORM(dtype, dtype, false, kernel, padding, stride, dilation, ins),
                    {weight_addr}, bias_addr, has_bias);
}

void tpu_bdc_fp_depthwise_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t bias_addr,
                                       const dim4* input_shape, const dim2* kernel,
                                       const dim2* insert, const padding_t* padding,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, bool kernel_is_const,
                                       bool has_bias) {
  Call call(__func__);
  const scalar_t weight{.u32 = weight_addr};
  depthwise2d_float(call, TW_DECONVOLUTION,
                    kernel_is_const ? Weights{.constant = &weight} : Weights{weight_addr},
                    bias_addr, has_bias);
}

void tpu_bdc_int8_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr, scalar_t pad_val,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                              data_type_t input_dtype, data_type_t weight_dtype,
                              data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                              bool result_relu, rounding_mode_t rounding_mode) {
  with_constant_padding(Call(__func__), TW_STRIDED, TW_INTEGERS(.address = weight_addr), pad_val);
}

void tpu_bdc_int8_depthwise2d_kernel_const(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t bias_addr, scalar_t C,
    scalar_t pad_val, const dim4* input_shape, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift, bool has_bias,
    bool result_relu, rounding_mode_t rounding_mode) {
  with_constant_padding(Call(__func__), TW_STRIDED, TW_INTEGERS(.constant = &C), pad_val);
}

void tpu_bdc_int8_pc_pad_depthwise2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode) {
  with_channel_padding(Call(__func__), TW_STRIDED, TW_INTEGERS(.address = weight_addr), pad_addr);
}

void tpu_bdc_int8_pc_pad_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode) {
  with_channel_padding(Call(__func__), TW_DECONVOLUTION, TW_INTEGERS(.address = weight_addr),
                       pad_addr);
}

void tpu_bdc_int8_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t pad_val, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode) {
  with_constant_padding(Call(__func__), TW_DECONVOLUTION, TW_INTEGERS(.address = weight_addr),
                        pad_val);
}
