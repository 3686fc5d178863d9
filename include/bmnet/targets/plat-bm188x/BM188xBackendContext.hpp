// BM188xBackendContext: the BM1880's kernel calls as members, for customized instructions.
// (BMNet guide 6; the calls are those of <bmkernel/bm1880/bmkernel_1880.h>)
#ifndef BMNET_TARGETS_PLAT_BM188X_BM188XBACKENDCONTEXT_HPP
#define BMNET_TARGETS_PLAT_BM188X_BM188XBACKENDCONTEXT_HPP

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <bmnet/calibration.pb.h>
#include <bmnet/backend/BackendContext.hpp>

#include <stddef.h>

#include <string>

namespace bmnet {

class BM188xBackendContext : public BackendContext {
 public:
  // table may be NULL.
  BM188xBackendContext(bmk1880_context_t* kernel, const ::NetCalibrationParameter* table,
                       const void* weight = nullptr, uint64_t weight_size = 0);

  bmk1880_context_t* bm_get_bmk() const { return kernel_; }

  // Returns the entry of a layer or, failing that, of a blob; NULL if there is none.
  const ::LayerCalibrationParameter* GetLayerCalibrationParameter(const std::string& name) const;

  void* weight() const { return const_cast<void*>(weight_); }
  uint64_t weight_size() const { return weight_size_; }
  int8_t read_weight(uint64_t offset) const { return static_cast<const int8_t*>(weight_)[offset]; }

  // ---- Local memory ----
  int tl_shape_to_size(shape_t s, bool aligned, fmt_t fmt) const {
    return bmk1880_tl_shape_to_size(kernel_, s, aligned, fmt);
  }
  int tl_size(tensor_lmem* t) const { return bmk1880_tl_size(kernel_, t); }
  tensor_lmem* tl_alloc(shape_t s, fmt_t fmt, u32 ctrls) const {
    return bmk1880_tl_alloc(kernel_, s, fmt, ctrls);
  }
  tensor_lmem* tl_alloc_bank(u32 bank_id, shape_t s, fmt_t fmt, u32 ctrls) const {
    return bmk1880_tl_alloc_bank(kernel_, bank_id, s, fmt, ctrls);
  }
  tensor_lmem* tl_prealloc(laddr_t la, shape_t s, fmt_t fmt) const {
    return bmk1880_tl_prealloc(kernel_, la, s, fmt);
  }
  tensor_lmem* tl_prealloc_align(laddr_t la, shape_t s, fmt_t fmt) const {
    return bmk1880_tl_prealloc_align(kernel_, la, s, fmt);
  }
  void tl_free(tensor_lmem* t) const { bmk1880_tl_free(kernel_, t); }

  // Returns the address for the high bytes of the pair whose low bytes are `low`.
  laddr_t get_high_8bit_addr(tensor_lmem* low, shape_t shape, u32 eu_num) const {
    const laddr_t la = low->operand.laddr;
    const u32 size = static_cast<u32>(tl_shape_to_size(shape, true, FMT_I8));
    return ALIGN(la + size, eu_num) + la % eu_num;
  }

  // ---- Order ----
  void create_streams(int nr_streams) const { bmk1880_create_streams(kernel_, nr_streams); }
  void set_stream(int i) const { bmk1880_set_stream(kernel_, i); }
  void destroy_streams() const { bmk1880_destroy_streams(kernel_); }
  void parallel_enable() const { bmk1880_parallel_enable(kernel_); }
  void parallel_disable() const { bmk1880_parallel_disable(kernel_); }

  // ---- Data movement ----
  bmk1880_op_t* gdma_load(tensor_lmem* t, u64 gaddr, ctrl_t ctrls) const {
    return bmk1880_gdma_load(kernel_, t, gaddr, ctrls);
  }
  bmk1880_op_t* gdma_store(tensor_lmem* t, u64 gaddr, ctrl_t ctrls) const {
    return bmk1880_gdma_store(kernel_, t, gaddr, ctrls);
  }
  bmk1880_op_t* gdma_load_stride(tensor_lmem* t, u64 gaddr, stride_t stride, ctrl_t ctrls) const {
    return bmk1880_gdma_load_stride(kernel_, t, gaddr, stride, ctrls);
  }
  bmk1880_op_t* gdma_store_stride(tensor_lmem* t, u64 gaddr, stride_t stride, ctrl_t ctrls) const {
    return bmk1880_gdma_store_stride(kernel_, t, gaddr, stride, ctrls);
  }
  bmk1880_op_t* gdma_tg_copy(tensor_gmem* dst, tensor_gmem* src, ctrl_t ctrls) const {
    return bmk1880_gdma_copy_gmem(kernel_, dst, src, ctrls);
  }
  bmk1880_op_t* gdma_lmem_copy(tensor_lmem* dst, tensor_lmem* src) const {
    return bmk1880_gdma_copy_lmem(kernel_, dst, src);
  }
  bmk1880_op_t* gdma_lrn_shift(tensor_lmem* dst, tensor_lmem* src, bool right_shift,
                               int lrn_step) const {
    return bmk1880_gdma_lrn_shift(kernel_, dst, src, right_shift, lrn_step);
  }

  // ---- Computation: tpu_NAME(const bmk1880_NAME_param_t*) ----
#define BMNET_TPU_CALL(name)                                          \
  bmk1880_op_t* tpu_##name(const bmk1880_##name##_param_t* p) const { \
    return bmk1880_tpu_##name(kernel_, p);                            \
  }
  BMNET_TPU_CALL(copy)
  BMNET_TPU_CALL(copy_with_stride)
  BMNET_TPU_CALL(lut)
  BMNET_TPU_CALL(relu)
  BMNET_TPU_CALL(or_int8)
  BMNET_TPU_CALL(and_int8)
  BMNET_TPU_CALL(xor_int8)
  BMNET_TPU_CALL(max)
  BMNET_TPU_CALL(max_const)
  BMNET_TPU_CALL(min)
  BMNET_TPU_CALL(min_const)
  BMNET_TPU_CALL(mul)
  BMNET_TPU_CALL(mul_const)
  BMNET_TPU_CALL(add)
  BMNET_TPU_CALL(add_const)
  BMNET_TPU_CALL(sub)
  BMNET_TPU_CALL(mac)
  BMNET_TPU_CALL(mac_const)
  BMNET_TPU_CALL(arith_shift)
  BMNET_TPU_CALL(mdsum)
  BMNET_TPU_CALL(conv)
  BMNET_TPU_CALL(winograd)
  BMNET_TPU_CALL(max_pooling)
  BMNET_TPU_CALL(avg_pooling)
  BMNET_TPU_CALL(depthwise)
  BMNET_TPU_CALL(matrix_mac)
#undef BMNET_TPU_CALL

  // Sets all bytes to 0: the tensor xor itself.
  bmk1880_op_t* tpu_zero(tensor_lmem* t) const {
    bmk1880_xor_int8_param_t p;
    p.res = p.a = p.b = t;
    return bmk1880_tpu_xor_int8(kernel_, &p);
  }

 private:
  bmk1880_context_t* kernel_;
  const ::NetCalibrationParameter* table_;
  const void* weight_;
  uint64_t weight_size_;
};

// The name of SDK 1.1.
typedef BM188xBackendContext BM1880BackendContext;

}  // namespace bmnet

#endif
