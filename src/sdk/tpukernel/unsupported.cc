// Functions of tpu_kernel.h that the BM1684X does not have, or whose formats are undocumented. They
// fail with an error that names them. docs/support.md lists them.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

void refuse(std::string_view name) {
  Call call(name);
  call.require(false, errors::tpu_unsupported, "function", name);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin::tpu;

#define TPU_REFUSED(name, ...) \
  void name(__VA_ARGS__) { refuse(#name); }
#define TPU_REFUSED_INT(name, ...) \
  int name(__VA_ARGS__) {          \
    refuse(#name);                 \
    return 0;                      \
  }

TPU_REFUSED(tpu_cdma_send_msg, int, int)
TPU_REFUSED(tpu_cdma_wait_msg, int, int)
TPU_REFUSED(tpu_cdma_set_base_msg_id, int)
TPU_REFUSED(tpu_gdma_reverse_S2S, system_addr_t, system_addr_t, const dim4*, const dim4*,
            const dim4*, int, data_type_t)
TPU_REFUSED(tpu_gdma_reverse_S2L, local_addr_t, system_addr_t, const dim4*, const dim4*,
            const dim4*, int, data_type_t)
TPU_REFUSED(tpu_gdma_reverse_L2S, system_addr_t, local_addr_t, const dim4*, const dim4*,
            const dim4*, int, data_type_t)
TPU_REFUSED(tpu_gdma_reverse_L2L, local_addr_t, local_addr_t, const dim4*, const dim4*, const dim4*,
            int, data_type_t)
TPU_REFUSED(tpu_gdma_compress_normal_L2S, global_addr_t, local_addr_t, const dim4*, const dim4*,
            data_type_t, unsigned char, unsigned char, bool)
TPU_REFUSED_INT(tpu_gdma_compress_normal_max_bytes, const dim4*, data_type_t)
TPU_REFUSED(tpu_gdma_decompress_normal_S2L, local_addr_t, global_addr_t, const dim4*, const dim4*,
            data_type_t, unsigned char, unsigned char, bool)
TPU_REFUSED(tpu_gdma_compress_RACU_L2S, global_addr_t, global_addr_t, local_addr_t, const dim4*,
            dim4*, dim4*, const dim4*, data_type_t, unsigned char, unsigned char, bool)
TPU_REFUSED(tpu_gdma_decompress_RACU_S2L, local_addr_t, global_addr_t, global_addr_t, const dim4*,
            const dim4*, const dim4*, const dim4*, data_type_t, unsigned char, unsigned char, bool)
TPU_REFUSED_INT(tpu_gdma_compress_RACU_max_meta_bytes, const dim4*, data_type_t)
TPU_REFUSED_INT(tpu_gdma_compress_RACU_max_racu_bytes, const dim4*, data_type_t)
TPU_REFUSED(tpu_sdma_reverse_S2S, system_addr_t, system_addr_t, const dim4*, const dim4*,
            const dim4*, int, data_type_t)
TPU_REFUSED(tpu_bdc_fp_mm_with_bias, local_addr_t, local_addr_t, local_addr_t, int, int, int,
            data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_R_trans_with_bias, local_addr_t, local_addr_t, local_addr_t, int, int,
            int, data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_all_trans_with_bias, local_addr_t, local_addr_t, local_addr_t, int, int,
            int, data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_L_const_with_bias, local_addr_t, local_addr_t, scalar_t, int, int, int,
            data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_R_const_with_bias, local_addr_t, local_addr_t, scalar_t, int, int, int,
            data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_L_const_R_trans_with_bias, local_addr_t, local_addr_t, scalar_t, int, int,
            int, data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_L_const_all_trans_with_bias, local_addr_t, local_addr_t, scalar_t, int,
            int, int, data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_fp_mm_R_const_all_trans_with_bias, local_addr_t, local_addr_t, scalar_t, int,
            int, int, data_type_t, data_type_t, bool, bool, var_context_t, bool)
TPU_REFUSED(tpu_bdc_quant_mm, local_addr_t, data_type_t, optional_info_t*, optional_info_t*, int,
            int, int, bool, bool, bool, bool, optional_info_t*, optional_info_t*,
            requant_int_info_t*)
TPU_REFUSED(tpu_bdc_fp_roi_max_pool2d, local_addr_t, local_addr_t, local_addr_t, const dim4*, int,
            const dim2*, data_type_t, scalar_t)
TPU_REFUSED(tpu_bdc_fp_roi_avg_pool2d, local_addr_t, local_addr_t, local_addr_t, const dim4*, int,
            const dim2*, data_type_t, scalar_t, scalar_t)
TPU_REFUSED(tpu_bdc_fp_roi_depthwise2d, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
            const dim4*, int, const dim2*, data_type_t, scalar_t)
TPU_REFUSED(tpu_bdc_conv2d_requant_pc, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, const dim4*, const dim4*, int, const dim2*, const padding_t*, const dim2*,
            const dim2*, data_type_t, data_type_t, data_type_t, data_type_t, bool, bool, bool, bool)
TPU_REFUSED(tpu_bdc_conv2d_requant_C, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
            const dim4*, const dim4*, int, const dim2*, const padding_t*, const dim2*, const dim2*,
            data_type_t, data_type_t, data_type_t, data_type_t, int, char, short, bool, bool, bool,
            bool)
TPU_REFUSED(tpu_bdc_conv2d_requant_pc_asym_pc, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int,
            const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t,
            data_type_t, data_type_t, bool, bool, bool, bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_conv2d_requant_C_asym_pc, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int, const dim2*,
            const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
            data_type_t, int, char, short, bool, bool, bool, bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_conv2d_requant_C_asym_C, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
            scalar_t, scalar_t, const dim4*, const dim4*, int, const dim2*, const padding_t*,
            const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t, int, char,
            short, bool, bool, bool, bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_conv2d_requant_pc_asym_C, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*, const dim4*, int,
            const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t,
            data_type_t, data_type_t, bool, bool, bool, bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_depthwise2d_requant_pc_asym_C, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, local_addr_t, scalar_t, const dim4*, const dim2*, const padding_t*,
            const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t, bool,
            bool, bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_depthwise2d_requant_C_sym_C, local_addr_t, local_addr_t, local_addr_t,
            local_addr_t, scalar_t, const dim4*, const dim2*, const padding_t*, const dim2*,
            const dim2*, data_type_t, data_type_t, data_type_t, data_type_t, unsigned char, bool,
            bool, bool, rounding_mode_t)
TPU_REFUSED(tpu_bdc_int8_roi_max_pool2d, local_addr_t, local_addr_t, local_addr_t, const dim4*, int,
            const dim2*, data_type_t, scalar_t)
TPU_REFUSED(tpu_bdc_int8_roi_avg_pool2d, local_addr_t, local_addr_t, local_addr_t, const dim4*, int,
            const dim2*, data_type_t, data_type_t, scalar_t, scalar_t)
TPU_REFUSED(tpu_bdc_int8_roi_depthwise2d, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
            const dim4*, int, const dim2*, data_type_t, data_type_t, data_type_t, scalar_t)
TPU_REFUSED(tpu_bdc_first_zero_bit_index, local_addr_t, local_addr_t, const dim4*, const dim4*,
            const dim4*, bit_width_t, bit_width_t)
TPU_REFUSED(tpu_bdc_first_one_bit_index, local_addr_t, local_addr_t, const dim4*, const dim4*,
            const dim4*, bit_width_t, bit_width_t)
TPU_REFUSED(tpu_hau_hard_nms, system_addr_t, system_addr_t, int, int)
TPU_REFUSED(tpu_hau_soft_nms, system_addr_t, system_addr_t, system_addr_t, float, int, int)
TPU_REFUSED(tpu_gdma_cpy_reduce_L12L2, system_addr_t, local_addr_t, const dim4*, const dim4*,
            const dim4*, data_type_t, int, int)
