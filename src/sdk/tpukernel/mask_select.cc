// Selection of elements, or of their positions, by a nonzero mask, and the number of selected ones.
#include "sdk/tpukernel/sides.h"

namespace tputwin::tpu {
namespace {

// Count of the last selection of this thread's kernels.
struct LastSelection {
  const Device* device = nullptr;
  std::shared_ptr<uint32_t> chosen;
};
thread_local LastSelection last_selection;

void issue(Call& call, MaskSelect op) {
  if (!call.ok()) return;
  op.chosen = std::make_shared<uint32_t>(0);
  last_selection = {&call.session().device(), op.chosen};
  call.issue(op);
}

uint32_t last_count(Call& call) {
  if (!call.ok() || last_selection.device != &call.session().device()) return 0;
  return *last_selection.chosen;
}

// The longest possible result.
Shape row_of(const Shape& s) { return {1, 1, 1, static_cast<uint32_t>(s.count())}; }

// The functions of the BM1684X take operands in the standard layout.
template <class From>
void select(Call& call, system_addr_t dst_addr, typename From::Address src_addr, addr_t mask_addr,
            int mask_in_lmem, const dim4* shape, data_type_t data_dtype, data_type_t mask_dtype) {
  const Shape s = call.shape(shape);
  const DType type = call.type("data_dtype", data_dtype, kAll);
  const DType mask_type = call.type("mask_dtype", mask_dtype, kInts);
  issue(call, MaskSelect{.kind = MaskSelect::Kind::elements,
                         .out = call.system("dst_addr", dst_addr, row_of(s), nullptr, type),
                         .in = From::view(call, "src_addr", src_addr, s, nullptr, type),
                         .mask = view_in(mask_in_lmem != 0, call, "mask_addr", mask_addr, s,
                                         nullptr, mask_type)});
}

template <class From>
void find_nonzero(std::string_view name, system_addr_t dst_addr, typename From::Address src_addr,
                  const dim4* shape, data_type_t data_dtype, unsigned base_idx) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("data_dtype", data_dtype, kInts);
  issue(call, MaskSelect{.kind = MaskSelect::Kind::positions,
                         .out = call.system("dst_addr", dst_addr, row_of(s), nullptr, DType::u32),
                         .in = From::view(call, "src_addr", src_addr, s, nullptr, type),
                         .base = base_idx});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

unsigned int tpu_gdma_get_filter_num(void) {
  Call call(__func__);
  return last_count(call);
}

void tpu_gdma_mask_select_L2S(global_addr_t dst_addr, local_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype) {
  Call call(__func__);
  select<L>(call, dst_addr, src_addr, mask_addr, mask_in_lmem, shape, data_dtype, mask_dtype);
}

void tpu_gdma_mask_select_S2S(global_addr_t dst_addr, global_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype) {
  Call call(__func__);
  select<S>(call, dst_addr, src_addr, mask_addr, mask_in_lmem, shape, data_dtype, mask_dtype);
}

unsigned int tpu_gdma_mask_select_S2S_with_ret(global_addr_t dst_addr, global_addr_t src_addr,
                                               addr_t mask_addr, int mask_in_lmem,
                                               const dim4* shape, data_type_t data_dtype,
                                               data_type_t mask_dtype) {
  Call call(__func__);
  select<S>(call, dst_addr, src_addr, mask_addr, mask_in_lmem, shape, data_dtype, mask_dtype);
  if (call.ok()) call.session().poll();  // the count must be known now
  const uint32_t count = last_count(call);
  last_selection = {};  // the count is returned once
  return count;
}

void tpu_gdma_nonzero_L2S(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx) {
  find_nonzero<L>(__func__, dst_addr, src_addr, shape, data_dtype, base_idx);
}

void tpu_gdma_nonzero_S2S(global_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx) {
  find_nonzero<S>(__func__, dst_addr, src_addr, shape, data_dtype, base_idx);
}

// One batch of param serves all batches, for both values of is_param_repeated. If it is true, the
// first channel of every NPU serves all channels there.
void tpu_bdc_batch_bcast_w_mask_select(local_addr_t output_addr, local_addr_t count_addr,
                                       local_addr_t param_addr, local_addr_t mask_addr,
                                       const dim4* shape, data_type_t dtype, data_type_t mask_dtype,
                                       bool is_param_repeated) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  const DType mask_type = call.type("mask_dtype", mask_dtype, kInts);
  TensorView param = call.aligned("param_addr", param_addr, {1, s.c, s.h, s.w}, type);
  if (is_param_repeated) param.stride.c = 0;
  call.issue(MaskSelect{.kind = MaskSelect::Kind::rows,
                        .engine = Engine::compute,
                        .out = call.aligned("output_addr", output_addr, s, type),
                        .in = param,
                        .mask = call.aligned("mask_addr", mask_addr, s, mask_type),
                        .count = call.compact("count_addr", count_addr, {s.n, s.c, 1, 1},
                                              DType::u16, call.chip().eu_bytes)});
}
