// Pooling: tpu_bdc_fp_..pool2d, tpu_bdc_int8_..pool2d.
#include "ops/pool/pool2d_bm1684x_float.h"
#include "ops/pool/pool2d_bm1684x_int8.h"

#include "sdk/tpukernel/window.h"

namespace tputwin::tpu {
namespace {

// The output has as many channels as the input.
template <class Op>
void set_sides(Call& call, const Form& form, DType out_type, DType in_type, Op& op) {
  const Shape in = call.shape(form.input_shape, "input_shape");
  set_sides(call, form, in, in.c, out_type, in_type, op);
}

void pool2d(Call call, Pool2dBm1684xFloat::Kind kind, const Form& form, data_type_t dtype,
            scalar_t value) {
  const DType type = call.type("dtype", dtype, kFloats);
  Pool2dBm1684xFloat op{.kind = kind};
  (kind == Pool2dBm1684xFloat::Kind::average ? op.factor : op.padding) = bits_of(value, type);
  set_sides(call, form, type, type, op);
  call.issue(op);
}

void average(Call call, const Form& form, data_type_t output_dtype, data_type_t input_dtype,
             unsigned char scale, unsigned char rshift) {
  Pool2dBm1684xInt8 op{
      .kind = Pool2dBm1684xInt8::Kind::average, .multiplier = scale, .rshift = rshift};
  set_sides(call, form, call.type("output_dtype", output_dtype, kInts),
            call.type("input_dtype", input_dtype, k8Bit), op);
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TW_FORM(...)                                                                              \
  Form {                                                                                          \
    .output_addr = output_addr, .input_addr = input_addr, .input_shape = input_shape, .window = { \
      __VA_ARGS__                                                                                 \
    }                                                                                             \
  }

void tpu_bdc_fp_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t pad_val) {
  pool2d(Call(__func__), Pool2dBm1684xFloat::Kind::maximum,
         TW_FORM(kernel, padding, stride, dilation), dtype, pad_val);
}

void tpu_bdc_fp_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t scale) {
  pool2d(Call(__func__), Pool2dBm1684xFloat::Kind::average,
         TW_FORM(kernel, padding, stride, dilation), dtype, scale);
}

void tpu_bdc_fp_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               const dim4* input_shape, const dim2* kernel,
                               const padding_t* padding, const dim2* stride, const dim2* dilation,
                               const dim2* ins, data_type_t dtype, scalar_t scale) {
  pool2d(Call(__func__), Pool2dBm1684xFloat::Kind::average,
         TW_FORM(kernel, padding, stride, dilation, ins), dtype, scale);
}

void tpu_bdc_int8_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t dtype,
                             scalar_t pad_val) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, k8Bit);
  Pool2dBm1684xInt8 op{.padding = static_cast<int32_t>(bits_of(pad_val, type))};
  set_sides(call, TW_FORM(kernel, padding, stride, dilation), type, type, op);
  call.issue(op);
}

void tpu_bdc_int8_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                             data_type_t input_dtype, unsigned char scale, unsigned char rshift) {
  average(Call(__func__), TW_FORM(kernel, padding, stride, dilation), output_dtype, input_dtype,
          scale, rshift);
}

void tpu_bdc_int8_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 const dim4* input_shape, const dim2* kernel,
                                 const padding_t* padding, const dim2* stride, const dim2* ins,
                                 const dim2* dilation, data_type_t output_dtype,
                                 data_type_t input_dtype, unsigned char scale,
                                 unsigned char rshift) {
  average(Call(__func__), TW_FORM(kernel, padding, stride, dilation, ins), output_dtype,
          input_dtype, scale, rshift);
}
