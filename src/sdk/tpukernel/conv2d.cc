// Convolutions over all input channels: tpu_bdc_fp_conv2d..., tpu_bdc_int8_..._conv2d...
#include "base/errors/tpukernel.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "ops/conv/weights_bm1684x.h"

#include "sdk/tpukernel/window.h"

namespace tputwin::tpu {
namespace {

template <class Op>
Source weights(Call& call, const Op& op, const Weights& w, DType dtype) {
  return weights_of(call, w, weight_shape(op.in.shape.c, op.out.shape.c, op.window, dtype), dtype);
}

struct FloatTerms {
  local_addr_t bias_addr;
  bool has_bias, result_add;
};

void conv2d_float(Call call, const Form& form, const Weights& w, const FloatTerms& terms) {
  Conv2dBm1684xFloat op{.accumulate = terms.result_add};
  set_form(call, form, kFloats, kFloats, op);
  op.weight = weights(call, op, w, op.in.dtype);
  if (terms.has_bias)
    op.bias = channels(call, "bias_addr", terms.bias_addr, op.out.shape.c, DType::f32);
  call.issue(op);
}

struct Symmetric {
  local_addr_t weight_addr, bias_addr;
  data_type_t weight_dtype, bias_dtype;
  unsigned char rshift;
  bool has_bias, result_relu;
};

void conv2d_symmetric(Call call, const Form& form, const Symmetric& s) {
  Conv2dBm1684xInt8 op{.rshift = s.rshift, .relu = s.result_relu};
  set_form(call, form, k8Bit | k16Bit, k8Bit, op);
  op.weight = weights(call, op, {s.weight_addr}, call.type("weight_dtype", s.weight_dtype, k8Bit));
  if (s.has_bias)
    op.bias = channels(call, "bias_addr", s.bias_addr, op.out.shape.c,
                       call.type("bias_dtype", s.bias_dtype, k16Bit));
  call.issue(op);
}

// The result must be UINT32 exactly if no term can be negative.
void require_output_sign(Call& call, const Conv2dBm1684xInt8& op) {
  const bool is_unsigned = !is_signed(op.in.dtype) && !is_signed(op.weight.view.dtype) &&
                           op.zero_point.is_constant && op.zero_point.constant == 0;
  call.require(is_unsigned == (op.out.dtype == DType::u32), errors::tpu_dtype_pair, "output_dtype",
               to_string(op.out.dtype));
}

struct Asymmetric {
  Weights weights;
  data_type_t weight_dtype, kzp_dtype;
  scalar_t kzp, padding, insertion;
  bool result_add;
};

void conv2d_asymmetric(Call call, const Form& form, const Asymmetric& a) {
  Conv2dBm1684xInt8 op{.accumulate = a.result_add};
  set_form(call, form, k32Bit, k8Bit, op);
  op.weight = weights(call, op, a.weights, call.type("weight_dtype", a.weight_dtype, k8Bit));
  op.zero_point = constant(a.kzp, call.type("kzp_dtype", a.kzp_dtype, k8Bit));
  op.padding = constant(a.padding, op.in.dtype);
  op.insertion = constant(a.insertion, op.in.dtype);
  require_output_sign(call, op);
  call.issue(op);
}

struct PerChannel {
  local_addr_t weight_addr, kzp_addr, pad_addr;
  data_type_t weight_dtype, kzp_dtype;
  bool result_add;
};

void conv2d_per_channel(Call call, const Form& form, const PerChannel& p) {
  const bool inserts = form.is_deconvolution;
  Conv2dBm1684xInt8 op{.accumulate = p.result_add};
  set_form(call, form, inserts ? kU32 : kI32, k8Bit, op);
  op.weight = weights(call, op, {p.weight_addr}, call.type("weight_dtype", p.weight_dtype, k8Bit));
  op.zero_point = Source::tensor(channels(call, "kzp_addr", p.kzp_addr, op.out.shape.c,
                                          call.type("kzp_dtype", p.kzp_dtype, k8Bit)));
  const Outside outside =
      outside_of(call, inserts ? "pad_insert_addr" : "pad_addr", p.pad_addr, op.in, inserts);
  op.padding = outside.padding;
  op.insertion = outside.insertion;
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// The arguments that have one name in all functions, and those of the window.
#define TW_FORM(IS_DECONVOLUTION, ...)                                                             \
  Form {                                                                                           \
    .output_addr = output_addr, .input_addr = input_addr, .input_shape = input_shape,              \
    .input_stride = input_stride, .output_c = output_c, .window = {__VA_ARGS__},                   \
    .output_dtype = output_dtype, .input_dtype = input_dtype, .is_deconvolution = IS_DECONVOLUTION \
  }
#define TW_STRIDED TW_FORM(false, kernel, padding, stride, dilation)
#define TW_DECONVOLUTION TW_FORM(true, kernel, padding, nullptr, dilation, insert)

void tpu_bdc_fp_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                       local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride,
                       int output_c, const dim2* kernel, const padding_t* padding,
                       const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                       data_type_t input_dtype, bool has_bias, bool result_add) {
  conv2d_float(Call(__func__), TW_STRIDED, {.address = weight_addr},
               {bias_addr, has_bias, result_add});
}

void tpu_bdc_fp_conv2d_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, local_addr_t bias_addr,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const dim2* insert,
                                    const padding_t* padding, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    bool has_bias, bool result_add) {
  conv2d_float(Call(__func__), TW_DECONVOLUTION, {.address = weight_addr},
               {bias_addr, has_bias, result_add});
}

void tpu_bdc_fp_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t bias_addr, scalar_t C, const dim4* input_shape,
                                    const dim4* input_stride, int output_c, const dim2* kernel,
                                    const padding_t* padding, const dim2* stride,
                                    const dim2* dilation, data_type_t output_dtype,
                                    data_type_t input_dtype, bool has_bias, bool result_add) {
  conv2d_float(Call(__func__), TW_STRIDED, {.constant = &C}, {bias_addr, has_bias, result_add});
}

void tpu_bdc_int8_sym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                   local_addr_t weight_addr, local_addr_t bias_addr,
                                   const dim4* input_shape, const dim4* input_stride, int output_c,
                                   const dim2* kernel, const padding_t* padding, const dim2* stride,
                                   const dim2* dilation, data_type_t output_dtype,
                                   data_type_t input_dtype, data_type_t weight_dtype,
                                   data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                                   bool result_relu) {
  conv2d_symmetric(
      Call(__func__), TW_STRIDED,
      {weight_addr, bias_addr, weight_dtype, bias_dtype, rshift, has_bias, result_relu});
}

void tpu_bdc_int8_sym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride, int output_c,
    const dim2* kernel, const dim2* insert, const padding_t* padding, const dim2* dilation,
    data_type_t output_dtype, data_type_t input_dtype, data_type_t weight_dtype,
    data_type_t bias_dtype, unsigned char rshift, bool has_bias, bool result_relu) {
  conv2d_symmetric(
      Call(__func__), TW_DECONVOLUTION,
      {weight_addr, bias_addr, weight_dtype, bias_dtype, rshift, has_bias, result_relu});
}

void tpu_bdc_int8_asym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, scalar_t kzp_val, scalar_t pad_val,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const padding_t* padding,
                                    const dim2* stride, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    data_type_t weight_dtype, data_type_t kzp_dtype,
                                    bool result_add) {
  conv2d_asymmetric(
      Call(__func__), TW_STRIDED,
      {{.address = weight_addr}, weight_dtype, kzp_dtype, kzp_val, pad_val, {}, result_add});
}

void tpu_bdc_int8_asym_quant_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                                 scalar_t C, scalar_t kzp_val, scalar_t pad_val,
                                                 const dim4* input_shape, const dim4* input_stride,
                                                 int output_c, const dim2* kernel,
                                                 const padding_t* padding, const dim2* stride,
                                                 const dim2* dilation, data_type_t output_dtype,
                                                 data_type_t input_dtype, data_type_t weight_dtype,
                                                 data_type_t kzp_dtype, bool result_add) {
  conv2d_asymmetric(Call(__func__), TW_STRIDED,
                    {{.constant = &C}, weight_dtype, kzp_dtype, kzp_val, pad_val, {}, result_add});
}

void tpu_bdc_int8_asym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr, scalar_t kzp_val,
    scalar_t pad_val, scalar_t insert_val, const dim4* input_shape, const dim4* input_stride,
    int output_c, const dim2* kernel, const dim2* insert, const padding_t* padding,
    const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add) {
  conv2d_asymmetric(Call(__func__), TW_DECONVOLUTION,
                    {{.address = weight_addr},
                     weight_dtype,
                     kzp_dtype,
                     kzp_val,
                     pad_val,
                     insert_val,
                     result_add});
}

void tpu_bdc_int8_asym_pc_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t kzp_addr,
                                       local_addr_t pad_addr, const dim4* input_shape,
                                       const dim4* input_stride, int output_c, const dim2* kernel,
                                       const padding_t* padding, const dim2* stride,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, data_type_t weight_dtype,
                                       data_type_t kzp_dtype, bool result_add) {
  conv2d_per_channel(Call(__func__), TW_STRIDED,
                     {weight_addr, kzp_addr, pad_addr, weight_dtype, kzp_dtype, result_add});
}

void tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t kzp_addr, local_addr_t pad_insert_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const dim2* insert,
    const padding_t* padding, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add) {
  conv2d_per_channel(Call(__func__), TW_DECONVOLUTION,
                     {weight_addr, kzp_addr, pad_insert_addr, weight_dtype, kzp_dtype, result_add});
}
