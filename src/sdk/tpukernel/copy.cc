// Copies, fills and transpositions inside local memory by the tensor engine.
#include "sdk/tpukernel/sides.h"

namespace tputwin::tpu {
namespace {

void rearrange(std::string_view name, Rearrange::Kind kind, local_addr_t dst_addr,
               local_addr_t src_addr, const dim4* shape, data_type_t dtype,
               Shape source_of(const Shape&)) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(Rearrange{.kind = kind,
                       .engine = Engine::compute,
                       .out = call.aligned("dst_addr", dst_addr, s, type),
                       .in = call.aligned("src_addr", src_addr, source_of(s), type)});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_bdc_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  const TensorView src = call.lanes("src_addr", src_addr, s, src_stride, type);
  call.issue(Copy{.engine = Engine::compute,
                  .dst = call.lanes("dst_addr", dst_addr, s, dst_stride, type),
                  .src = Source::tensor(src)});
}

void tpu_bdc_set_C(local_addr_t dst_addr, scalar_t C, const dim4* shape, const dim4* dst_stride,
                   data_type_t dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(Copy{.engine = Engine::compute,
                  .dst = call.lanes("dst_addr", dst_addr, s, dst_stride, type),
                  .src = constant(C, type)});
}

void tpu_bdc_cpy_cross_npu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           data_type_t dtype) {
  rearrange(__func__, Rearrange::Kind::other_lanes, dst_addr, src_addr, shape, dtype,
            [](const Shape& s) { return s; });
}

void tpu_bdc_npu_bcast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       data_type_t dtype) {
  rearrange(__func__, Rearrange::Kind::repeat_channel, dst_addr, src_addr, shape, dtype,
            [](const Shape& s) {
              return Shape{s.n, 1, s.h, s.w};
            });
}

// Rows start at multiples of 64 bytes.
void tpu_bdc_cw_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(Rearrange{.kind = Rearrange::Kind::swap_cw,
                       .engine = Engine::compute,
                       .out = call.line_aligned("dst_addr", dst_addr, s, type),
                       .in = call.aligned("src_addr", src_addr, swap_cw(s), type)});
}

void tpu_bdc_wc_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype) {
  rearrange(__func__, Rearrange::Kind::swap_cw, dst_addr, src_addr, shape, dtype, swap_cw);
}
