// tpu_bdc_and ... tpu_bdc_not: bitwise functions.
#include "sdk/tpukernel/elementwise.h"

namespace tputwin::tpu {
namespace {

// Floating-point types count as their bits.
DType bits_type(Call& call, data_type_t dtype) {
  const DType type = call.type("dtype", dtype, kAll);
  return type == DType::f32 ? DType::u32 : is_half(type) ? DType::u16 : type;
}

void bitwise(Call& call, Bitwise::Kind kind, const Binary& operands) {
  call.issue(Bitwise{.kind = kind, .out = operands.out, .a = operands.a, .b = operands.b});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TPU_LOGIC(function)                                                                      \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                          const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                          const dim4* src1_stride, data_type_t dtype) {                          \
    Call call(__func__);                                                                         \
    bitwise(call, Bitwise::Kind::bit_##function,                                                 \
            tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},               \
                    {src1_addr, src1_stride}, bits_type(call, dtype)));                          \
  }                                                                                              \
  void tpu_bdc_##function##_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,          \
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride, \
                              data_type_t dtype) {                                               \
    Call call(__func__);                                                                         \
    bitwise(call, Bitwise::Kind::bit_##function,                                                 \
            tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,  \
                                bits_type(call, dtype)));                                        \
  }                                                                                              \
  void tpu_bdc_vc_##function(                                                                    \
      local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, int src0_len,       \
      int src1_len, int src0_len_per_channel, int src1_len_per_channel, data_type_t dtype) {     \
    Call call(__func__);                                                                         \
    bitwise(call, Bitwise::Kind::bit_##function,                                                 \
            vectors(call,                                                                        \
                    {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel,   \
                     src1_len_per_channel},                                                      \
                    call.type("dtype", dtype, kInts)));                                          \
  }

TPU_LOGIC(and)
TPU_LOGIC(or)
TPU_LOGIC(xor)

void tpu_bdc_not(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {
  Call call(__func__);
  const scalar_t ones{.u32 = UINT32_MAX};
  bitwise(call, Bitwise::Kind::bit_xor,
          tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, ones,
                              call.type("dtype", dtype, kInts)));
}
