// tpu_bdc_fp_add ... tpu_bdc_fp_scale_bias_C: arithmetic of floating-point numbers.
#include "sdk/tpukernel/elementwise.h"

namespace tputwin::tpu {
namespace {

void arithmetic(Call& call, FloatArithmetic::Kind kind, const Binary& operands,
                bool b_first = false) {
  call.issue(FloatArithmetic{
      .kind = kind, .out = operands.out, .a = operands.a, .b = operands.b, .b_first = b_first});
}

scalar_t scalar(float value) { return {.f32 = value}; }

// Functions of a tensor and parameters, in the 64-byte aligned layout.
class Affine {
 public:
  Affine(std::string_view name, const dim4* shape, data_type_t dtype)
      : call_(name), shape_(call_.shape(shape)), type_(call_.type("dtype", dtype, kFloats)) {}

  Source channels(std::string_view argument, local_addr_t address) {
    return Source::tensor(call_.per_channel(argument, address, shape_, type_));
  }
  Source value(scalar_t value) const { return constant(value, type_); }

  // b_first: if both operands are NaN, the result is the parameter.
  void issue(FloatArithmetic::Kind kind, local_addr_t dst_addr, local_addr_t src_addr,
             const Source& b, const Source& c = {}, bool b_first = false) {
    call_.issue(
        FloatArithmetic{.kind = kind,
                        .out = call_.aligned("dst_addr", dst_addr, shape_, type_),
                        .a = Source::tensor(call_.aligned("src_addr", src_addr, shape_, type_)),
                        .b = b,
                        .c = c,
                        .b_first = b_first});
  }

 private:
  Call call_;
  Shape shape_;
  DType type_;
};

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TPU_OF_TENSORS(function, kind)                                                           \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                          const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                          const dim4* src1_stride, data_type_t dtype) {                          \
    Call call(__func__);                                                                         \
    arithmetic(call, FloatArithmetic::Kind::kind,                                                \
               tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},            \
                       {src1_addr, src1_stride}, call.type("dtype", dtype, kFloats)));           \
  }
#define TPU_WITH_CONSTANT(function, kind, operands)                                          \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,          \
                          const dim4* shape, const dim4* dst_stride, const dim4* src_stride, \
                          data_type_t dtype) {                                               \
    Call call(__func__);                                                                     \
    arithmetic(call, FloatArithmetic::Kind::kind,                                            \
               operands(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,      \
                        call.type("dtype", dtype, kFloats)));                                \
  }
#define TPU_OF_VECTORS(function, kind)                                                            \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,  \
                          int src0_len, int src1_len, int src0_len_per_channel,                   \
                          int src1_len_per_channel, data_type_t dtype) {                          \
    Call call(__func__);                                                                          \
    arithmetic(call, FloatArithmetic::Kind::kind,                                                 \
               vectors(call,                                                                      \
                       {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel, \
                        src1_len_per_channel},                                                    \
                       call.type("dtype", dtype, kFloats)));                                      \
  }

TPU_OF_TENSORS(fp_add, add)
TPU_OF_TENSORS(fp_sub, sub)
TPU_OF_TENSORS(fp_mul, mul)
TPU_WITH_CONSTANT(fp_add_C, add, tensor_and_constant)
TPU_WITH_CONSTANT(fp_sub_C, sub, tensor_and_constant)
TPU_WITH_CONSTANT(fp_C_sub, sub, constant_and_tensor)
TPU_WITH_CONSTANT(fp_mul_C, mul, tensor_and_constant)
TPU_WITH_CONSTANT(fp_diff_abs_C, diff_abs, tensor_and_constant)
TPU_OF_VECTORS(fp_vc_add, add)
TPU_OF_VECTORS(fp_vc_sub, sub)
TPU_OF_VECTORS(fp_vc_mul, mul)

// If only src1 has a stride, the chip exchanges the operands, as recorded.
void tpu_bdc_fp_diff_abs(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                         const dim4* src1_stride, data_type_t dtype) {
  Call call(__func__);
  Binary operands = tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},
                            {src1_addr, src1_stride}, call.type("dtype", dtype, kFloats));
  if (src0_stride == nullptr && src1_stride != nullptr) std::swap(operands.a, operands.b);
  arithmetic(call, FloatArithmetic::Kind::diff_abs, operands);
}

void tpu_bdc_fp32_vc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         int src0_len, int src1_len, int src0_len_per_channel,
                         int src1_len_per_channel) {
  Call call(__func__);
  arithmetic(call, FloatArithmetic::Kind::div,
             vectors(call,
                     {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel,
                      src1_len_per_channel},
                     DType::f32));
}

void tpu_bdc_fp32_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride) {
  Call call(__func__);
  arithmetic(call, FloatArithmetic::Kind::mac,
             tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},
                     {src1_addr, src1_stride}, DType::f32),
             /*b_first=*/src0_stride == nullptr && src1_stride != nullptr);
}

void tpu_bdc_fp32_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  arithmetic(call, FloatArithmetic::Kind::mac,
             tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride},
                                 scalar(C), DType::f32));
}

void tpu_bdc_fp_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {
  Call call(__func__);
  Binary operands = tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride},
                                        scalar_t{}, call.type("dtype", dtype, kFloats));
  operands.b = operands.a;
  arithmetic(call, FloatArithmetic::Kind::mul, operands);
}

// A parameter for each channel, or one for all.
#define TPU_WITH_BIAS(function, kind)                                                           \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr, \
                          const dim4* shape, data_type_t dtype) {                               \
    Affine call(__func__, shape, dtype);                                                        \
    call.issue(FloatArithmetic::Kind::kind, dst_addr, src_addr,                                 \
               call.channels("bias_addr", bias_addr));                                          \
  }
#define TPU_WITH_VALUE(function, kind)                                              \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, \
                          const dim4* shape, data_type_t dtype) {                   \
    Affine call(__func__, shape, dtype);                                            \
    call.issue(FloatArithmetic::Kind::kind, dst_addr, src_addr, call.value(C));     \
  }

TPU_WITH_BIAS(fp_add_bias_sqr, add_square)
TPU_WITH_BIAS(fp_sub_bias_sqr, sub_square)
TPU_WITH_VALUE(fp_add_C_sqr, add_square)
TPU_WITH_VALUE(fp_sub_C_sqr, sub_square)

void tpu_bdc_fp_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                     const dim4* shape, data_type_t dtype) {
  Affine call(__func__, shape, dtype);
  call.issue(FloatArithmetic::Kind::add, dst_addr, src_addr, call.channels("bias_addr", bias_addr),
             {},
             /*b_first=*/true);
}

// The chip adds 0, so that a product of -0 becomes +0.
void tpu_bdc_fp_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                      const dim4* shape, data_type_t dtype) {
  Affine call(__func__, shape, dtype);
  call.issue(FloatArithmetic::Kind::mul_add, dst_addr, src_addr,
             call.channels("scale_addr", scale_addr), call.value(scalar_t{}));
}

void tpu_bdc_fp_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                           local_addr_t bias_addr, const dim4* shape, data_type_t dtype) {
  Affine call(__func__, shape, dtype);
  call.issue(FloatArithmetic::Kind::mul_add, dst_addr, src_addr,
             call.channels("scale_addr", scale_addr), call.channels("bias_addr", bias_addr));
}

void tpu_bdc_fp_scale_bias_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t scale,
                             scalar_t bias, const dim4* shape, data_type_t dtype) {
  Affine call(__func__, shape, dtype);
  call.issue(FloatArithmetic::Kind::mul_add, dst_addr, src_addr, call.value(scale),
             call.value(bias));
}
