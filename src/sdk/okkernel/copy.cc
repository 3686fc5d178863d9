// okk_bdc_32bit_cpy, okk_bdc_32bit_set_C: copies and fills by the tensor engine.
#include <okk.h>

#include <utility>

#include "sdk/okkernel/call.h"

using namespace tputwin;
using namespace tputwin::okk;

void okk_bdc_32bit_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  const Shape s = call.shape(shape, "shape", Channels::all);
  TensorView dst = call.lanes("dst_addr", dst_addr, s, dst_stride, DType::b32);
  TensorView src = call.lanes("src_addr", src_addr, s, src_stride, DType::b32);
  // Each side uses the strides given for the other; see docs/discrepancies.md.
  std::swap(dst.stride, src.stride);
  call.issue(Copy{.engine = Engine::compute, .dst = dst, .src = Source::tensor(src)});
}

void okk_bdc_32bit_set_C(local_addr_t dst_addr, x32 C, const dim4* shape, const dim4* dst_stride) {
  Call call(__func__);
  const Shape s = call.shape(shape, "shape", Channels::all);
  const TensorView dst = call.lanes("dst_addr", dst_addr, s, dst_stride, DType::b32);
  call.issue(Copy{.engine = Engine::compute, .dst = dst, .src = Source::value(C.u32)});
}
