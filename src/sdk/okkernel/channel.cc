// okk_bdc_bias, okk_bdc_scale, okk_bdc_scale_bias: fp32 arithmetic with parameters per channel.
#include <okk.h>

#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

ChannelAffine tensors(Call& call, local_addr_t dst_addr, local_addr_t src_addr, const Shape& shape,
                      const dim4* dst_stride, const dim4* src_stride) {
  return {.out = call.lanes("dst_addr", dst_addr, shape, dst_stride, DType::f32),
          .in = call.lanes("src_addr", src_addr, shape, src_stride, DType::f32)};
}

// Returns one compact number per channel.
Source parameter(Call& call, std::string_view argument, local_addr_t address, const Shape& shape) {
  return Source::tensor(
      call.dense(argument, address, {1, shape.c, 1, 1}, /*aligned=*/false, DType::f32));
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

void okk_bdc_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                  const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  ChannelAffine op = tensors(call, dst_addr, src_addr, s, dst_stride, src_stride);
  op.bias = parameter(call, "bias_addr", bias_addr, s);
  call.issue(op);
}

void okk_bdc_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                   const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                   bool result_add) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  ChannelAffine op = tensors(call, dst_addr, src_addr, s, dst_stride, src_stride);
  op.scale = parameter(call, "scale_addr", scale_addr, s);
  op.accumulate = result_add;
  op.adds_zero = dst_stride == nullptr && src_stride == nullptr;
  call.issue(op);
}

void okk_bdc_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                        local_addr_t bias_addr, const dim4* shape, const dim4* dst_stride,
                        const dim4* src_stride, bool result_add) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  ChannelAffine op = tensors(call, dst_addr, src_addr, s, dst_stride, src_stride);
  op.scale = parameter(call, "scale_addr", scale_addr, s);
  op.bias = parameter(call, "bias_addr", bias_addr, s);
  op.accumulate = result_add;
  call.issue(op);
}
