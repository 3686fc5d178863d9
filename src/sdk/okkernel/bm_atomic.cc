// bm_atomic.h: functions whose results are undocumented. They fail with an error that names them.
#include <bm_atomic.h>

#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

void refuse(std::string_view name) {
  Call call(name);
  call.require(false, errors::okk_unsupported, "function", name);
}

}  // namespace
}  // namespace tputwin::okk

using tputwin::okk::refuse;

#define BM_REFUSED(name, Param) \
  void name(const Param*) { refuse(#name); }

BM_REFUSED(bm_atomic_conv, ConvParam)
BM_REFUSED(bm_atomic_conv_quantized, ConvQuantParam)
BM_REFUSED(bm_atomic_winograd_quantized, WinoQuantParam)
BM_REFUSED(bm_atomic_avg_pool, PoolParam)
BM_REFUSED(bm_atomic_avg_pool_quantized, PoolQuantParam)
BM_REFUSED(bm_atomic_max_pool, PoolParam)
BM_REFUSED(bm_atomic_max_pool_quantized, PoolQuantParam)
BM_REFUSED(bm_atomic_sum_pool, SumPoolParam)
BM_REFUSED(bm_atomic_depthwise, DepthwiseParam)
BM_REFUSED(bm_atomic_depthwise_quantized, DepthwiseQuantParam)
BM_REFUSED(bm_atomic_matmul, MatmulParam)
BM_REFUSED(bm_atomic_matmul_quantized, MatmulQuantParam)
BM_REFUSED(bm_atomic_tensor_arithmetic, ArithParam)
BM_REFUSED(bm_atomic_tensor_arithmetic_quantized, ArithQuantParam)
BM_REFUSED(bm_atomic_table_lookup, TableLookupParam)
BM_REFUSED(bm_atomic_md_scalar, MDScalarParam)
BM_REFUSED(bm_atomic_md_linear, MDLinearParam)
BM_REFUSED(bm_atomic_md_cmp, MDCmpParam)
BM_REFUSED(bm_atomic_md_sfu, MDSFUParam)
BM_REFUSED(bm_atomic_vec_correlation, VecParam)
BM_REFUSED(bm_atomic_sort, SortParam)
BM_REFUSED(bm_atomic_gather_data, GatherDataParam)
BM_REFUSED(bm_atomic_memcpy_1D, MemCpy1DParam)
BM_REFUSED(bm_atomic_memcpy_2D, MemCpy2DParam)
BM_REFUSED(bm_atomic_memcpy_4D, MemCpy4DParam)
BM_REFUSED(bm_atomic_memset_4D, MemSet4DParam)
BM_REFUSED(bm_atomic_cwtrans, CWTransParam)
BM_REFUSED(bm_atomic_mask_memcpy_4D, MaskMemCpy4DPram)
BM_REFUSED(bm_local_exp, ExpParam)
BM_REFUSED(bm_local_act, ActParam)

unsigned int bm_get_mask_memcpy_res_num(void) {
  refuse(__func__);
  return 0;
}
