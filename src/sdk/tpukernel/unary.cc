// tpu_bdc_abs ... tpu_bdc_prelu, tpu_bdc_fp_exponent_part: unary functions of any type.
#include "ops/elementwise/unary.h"

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

void unary(std::string_view name, Unary::Kind kind, Place dst, Place src, const dim4* shape,
           data_type_t dtype, Types allowed, scalar_t alpha = {}) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, allowed);
  call.issue(Unary{.kind = kind,
                   .out = call.lanes("dst_addr", dst.address, s, dst.stride, type),
                   .in = call.lanes("src_addr", src.address, s, src.stride, type),
                   .alpha = bits_of(alpha, type)});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TPU_UNARY(name, kind, types)                                                          \
  void tpu_bdc_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,        \
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {    \
    unary(__func__, Unary::Kind::kind, {dst_addr, dst_stride}, {src_addr, src_stride}, shape, \
          dtype, types);                                                                      \
  }

TPU_UNARY(abs, abs, kAll)
TPU_UNARY(neg, neg, kAll)
TPU_UNARY(relu, relu, kAll)

void tpu_bdc_sign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  data_type_t dtype) {
  unary(__func__, Unary::Kind::sign, {dst_addr, nullptr}, {src_addr, nullptr}, shape, dtype, kAll);
}

void tpu_bdc_prelu(local_addr_t dst_addr, local_addr_t src_addr, scalar_t alpha, const dim4* shape,
                   data_type_t dtype) {
  unary(__func__, Unary::Kind::prelu, {dst_addr, nullptr}, {src_addr, nullptr}, shape, dtype,
        kFloats, alpha);
}

void tpu_bdc_fp_exponent_part(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                              data_type_t dst_dtype, data_type_t src_dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType out = call.type("dst_dtype", dst_dtype, kFloats | kI16 | kI32);
  const DType in = call.type("src_dtype", src_dtype, kFloats);
  call.issue(Unary{.kind = Unary::Kind::exponent,
                   .out = call.aligned("dst_addr", dst_addr, s, out),
                   .in = call.aligned("src_addr", src_addr, s, in)});
}
