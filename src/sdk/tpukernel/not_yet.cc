// Functions that are not there yet.
#include "sdk/tpukernel/call.h"

using namespace tputwin;
using namespace tputwin::tpu;

namespace {
void unsupported(const char* name) {
  Call call(name);
  call.require(false, ErrorId::tpu_unsupported, "function", name);
}
}  // namespace

extern "C" __attribute__((weak)) void tpu_register_kernel_func(const char*, tpu_kernel_func_t) {
  unsupported("tpu_register_kernel_func");
}
extern "C" __attribute__((weak)) void tpu_dump_registered_kernel_funcs() {
  unsupported("tpu_dump_registered_kernel_funcs");
}
extern "C" __attribute__((weak)) void tpu_set_id_node(void*) { unsupported("tpu_set_id_node"); }
extern "C" __attribute__((weak)) void tpu_get_id_node(void*) { unsupported("tpu_get_id_node"); }
extern "C" __attribute__((weak)) void tpu_set_parallel_id_node(void*, void*) {
  unsupported("tpu_set_parallel_id_node");
}
extern "C" __attribute__((weak)) void tpu_get_parallel_id_node(void*, void*) {
  unsupported("tpu_get_parallel_id_node");
}
extern "C" __attribute__((weak)) void tpu_enable_check_id_node() {
  unsupported("tpu_enable_check_id_node");
}
extern "C" __attribute__((weak)) void tpu_disable_check_id_node() {
  unsupported("tpu_disable_check_id_node");
}
extern "C" __attribute__((weak)) void tpu_initialize() { unsupported("tpu_initialize"); }
extern "C" __attribute__((weak)) void tpu_poll() { unsupported("tpu_poll"); }
extern "C" __attribute__((weak)) void tpu_hau_poll() { unsupported("tpu_hau_poll"); }
extern "C" __attribute__((weak)) void tpu_parallel_start() { unsupported("tpu_parallel_start"); }
extern "C" __attribute__((weak)) void tpu_parallel_end() { unsupported("tpu_parallel_end"); }
extern "C" __attribute__((weak)) bool tpu_is_parallel_state() {
  unsupported("tpu_is_parallel_state");
  return {};
}
extern "C" __attribute__((weak)) int tpu_npu_num() {
  unsupported("tpu_npu_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_bank_num() {
  unsupported("tpu_bank_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_eu_num(data_type_t) {
  unsupported("tpu_eu_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_local_mem_size_per_npu() {
  unsupported("tpu_local_mem_size_per_npu");
  return {};
}
extern "C" __attribute__((weak)) int tpu_l2_sram_size() {
  unsupported("tpu_l2_sram_size");
  return {};
}
extern "C" __attribute__((weak)) unsigned long long tpu_l2_sram_get_start_addr() {
  unsupported("tpu_l2_sram_get_start_addr");
  return {};
}
extern "C" __attribute__((weak)) unsigned long long tpu_global_mem_get_start_addr() {
  unsupported("tpu_global_mem_get_start_addr");
  return {};
}
extern "C" __attribute__((weak)) unsigned int tpu_local_mem_get_start_addr() {
  unsupported("tpu_local_mem_get_start_addr");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_global_mem_addr(global_addr_t) {
  unsupported("tpu_global_mem_addr");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_local_mem_addr(int, local_addr_t) {
  unsupported("tpu_local_mem_addr");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_local_mem_addr_unified(local_addr_t) {
  unsupported("tpu_local_mem_addr_unified");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_l2_sram_addr(l2_sram_addr_t) {
  unsupported("tpu_l2_sram_addr");
  return {};
}
extern "C" __attribute__((weak)) int tpu_gdma_shape_limit(int) {
  unsupported("tpu_gdma_shape_limit");
  return {};
}
extern "C" __attribute__((weak)) int tpu_gdma_move_max_wstride_byte_len() {
  unsupported("tpu_gdma_move_max_wstride_byte_len");
  return {};
}
extern "C" __attribute__((weak)) void tpu_bdc_send_msg(int, int) {
  unsupported("tpu_bdc_send_msg");
}
extern "C" __attribute__((weak)) void tpu_bdc_wait_msg(int, int) {
  unsupported("tpu_bdc_wait_msg");
}
extern "C" __attribute__((weak)) void tpu_gdma_send_msg(int, int) {
  unsupported("tpu_gdma_send_msg");
}
extern "C" __attribute__((weak)) void tpu_gdma_wait_msg(int, int) {
  unsupported("tpu_gdma_wait_msg");
}
extern "C" __attribute__((weak)) void tpu_hau_send_msg(int, int) {
  unsupported("tpu_hau_send_msg");
}
extern "C" __attribute__((weak)) void tpu_hau_wait_msg(int, int) {
  unsupported("tpu_hau_wait_msg");
}
extern "C" __attribute__((weak)) void tpu_bdc_set_base_msg_id(int) {
  unsupported("tpu_bdc_set_base_msg_id");
}
extern "C" __attribute__((weak)) void tpu_gdma_set_base_msg_id(int) {
  unsupported("tpu_gdma_set_base_msg_id");
}
extern "C" __attribute__((weak)) void tpu_hau_set_base_msg_id(int) {
  unsupported("tpu_hau_set_base_msg_id");
}
extern "C" __attribute__((weak)) void tpu_sdma_send_msg(int, int) {
  unsupported("tpu_sdma_send_msg");
}
extern "C" __attribute__((weak)) void tpu_sdma_wait_msg(int, int) {
  unsupported("tpu_sdma_wait_msg");
}
extern "C" __attribute__((weak)) void tpu_sdma_set_base_msg_id(int) {
  unsupported("tpu_sdma_set_base_msg_id");
}
extern "C" __attribute__((weak)) void tpu_cdma_send_msg(int, int) {
  unsupported("tpu_cdma_send_msg");
}
extern "C" __attribute__((weak)) void tpu_cdma_wait_msg(int, int) {
  unsupported("tpu_cdma_wait_msg");
}
extern "C" __attribute__((weak)) void tpu_cdma_set_base_msg_id(int) {
  unsupported("tpu_cdma_set_base_msg_id");
}
extern "C" __attribute__((weak)) void tpu_sync_all() { unsupported("tpu_sync_all"); }
extern "C" __attribute__((weak)) void tpu_sync_core(int) { unsupported("tpu_sync_core"); }
extern "C" __attribute__((weak)) int tpu_core_num() {
  unsupported("tpu_core_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_core_index() {
  unsupported("tpu_core_index");
  return {};
}
extern "C" __attribute__((weak)) int tpu_npu_index(local_addr_t) {
  unsupported("tpu_npu_index");
  return {};
}
extern "C" __attribute__((weak)) int tpu_bank_index(local_addr_t) {
  unsupported("tpu_bank_index");
  return {};
}
extern "C" __attribute__((weak)) int tpu_channle_num_per_npu(int, int) {
  unsupported("tpu_channle_num_per_npu");
  return {};
}
extern "C" __attribute__((weak)) int tpu_aligned_feature_size(int, int, data_type_t) {
  unsupported("tpu_aligned_feature_size");
  return {};
}
extern "C" __attribute__((weak)) void tpu_aligned_stride(dim4*, int, const dim4*, data_type_t) {
  unsupported("tpu_aligned_stride");
}
extern "C" __attribute__((weak)) void tpu_compact_stride(dim4*, int, const dim4*) {
  unsupported("tpu_compact_stride");
}
extern "C" __attribute__((weak)) void tpu_line_aligned_stride(dim4*, int, const dim4*,
                                                              data_type_t) {
  unsupported("tpu_line_aligned_stride");
}
extern "C" __attribute__((weak)) void tpu_continuous_stride(dim4*, const dim4*) {
  unsupported("tpu_continuous_stride");
}
extern "C" __attribute__((weak)) int tpu_get_local_cstride(int, int, bool, data_type_t) {
  unsupported("tpu_get_local_cstride");
  return {};
}
extern "C" __attribute__((weak)) int tpu_get_local_nstride(int, int, int) {
  unsupported("tpu_get_local_nstride");
  return {};
}
extern "C" __attribute__((weak)) int tpu_get_local_size(const dim4*, data_type_t, int, bool) {
  unsupported("tpu_get_local_size");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_signed(data_type_t) {
  unsupported("tpu_is_data_type_signed");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_int(data_type_t) {
  unsupported("tpu_is_data_type_int");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_int4(data_type_t) {
  unsupported("tpu_is_data_type_int4");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_int8(data_type_t) {
  unsupported("tpu_is_data_type_int8");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_int16(data_type_t) {
  unsupported("tpu_is_data_type_int16");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_int32(data_type_t) {
  unsupported("tpu_is_data_type_int32");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_signed_int(data_type_t) {
  unsupported("tpu_is_data_type_signed_int");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_unsigned_int(data_type_t) {
  unsupported("tpu_is_data_type_unsigned_int");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_is_data_type_fp(data_type_t) {
  unsupported("tpu_is_data_type_fp");
  return {};
}
extern "C" __attribute__((weak)) int tpu_data_type_size(data_type_t) {
  unsupported("tpu_data_type_size");
  return {};
}
extern "C" __attribute__((weak)) int tpu_data_type_bits(data_type_t) {
  unsupported("tpu_data_type_bits");
  return {};
}
extern "C" __attribute__((weak)) void tpu_local_shape_5d_to_4d(const dim5*, dim4*) {
  unsupported("tpu_local_shape_5d_to_4d");
}
extern "C" __attribute__((weak)) scalar_t tpu_int_cast(scalar_t, data_type_t, data_type_t) {
  unsupported("tpu_int_cast");
  return {};
}
extern "C" __attribute__((weak)) scalar_t tpu_fp_cast(scalar_t, data_type_t, data_type_t,
                                                      rounding_mode_t) {
  unsupported("tpu_fp_cast");
  return {};
}
extern "C" __attribute__((weak)) scalar_t tpu_fp_to_int_cast(scalar_t, data_type_t, data_type_t,
                                                             rounding_mode_t) {
  unsupported("tpu_fp_to_int_cast");
  return {};
}
extern "C" __attribute__((weak)) scalar_t tpu_int_to_fp_cast(scalar_t, data_type_t, data_type_t,
                                                             rounding_mode_t) {
  unsupported("tpu_int_to_fp_cast");
  return {};
}
extern "C" __attribute__((weak)) scalar_t tpu_cast(scalar_t, data_type_t, data_type_t,
                                                   rounding_mode_t) {
  unsupported("tpu_cast");
  return {};
}
extern "C" __attribute__((weak)) range_t tpu_bank_range(local_addr_t, int) {
  unsupported("tpu_bank_range");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_range_overlapped(const range_t*, const range_t*) {
  unsupported("tpu_range_overlapped");
  return {};
}
extern "C" __attribute__((weak)) bool tpu_any_range_overlapped(const range_t*, int) {
  unsupported("tpu_any_range_overlapped");
  return {};
}
extern "C" __attribute__((weak)) int tpu_npu_c_offset(int, int, data_type_t) {
  unsupported("tpu_npu_c_offset");
  return {};
}
extern "C" __attribute__((weak)) int tpu_unified_c_offset(int, int, data_type_t) {
  unsupported("tpu_unified_c_offset");
  return {};
}
extern "C" __attribute__((weak)) void tpu_gdma_general_cpy_S2L(local_addr_t, system_addr_t,
                                                               const dim4*, const dim4*,
                                                               const dim4*, const dim4*,
                                                               data_type_t) {
  unsupported("tpu_gdma_general_cpy_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_general_cpy_L2S(system_addr_t, local_addr_t,
                                                               const dim4*, const dim4*,
                                                               const dim4*, const dim4*,
                                                               data_type_t) {
  unsupported("tpu_gdma_general_cpy_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_S2L(local_addr_t, system_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_L2S(system_addr_t, local_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_L2L(local_addr_t, local_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_S2S(system_addr_t, system_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_nc_trans_S2L(local_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_nc_trans_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_nc_trans_L2S(system_addr_t, local_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_nc_trans_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_nc_trans_L2L(local_addr_t, local_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_nc_trans_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_nc_trans_S2S(system_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_nc_trans_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_cw_trans_S2L(local_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_cw_trans_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_cw_trans_L2S(system_addr_t, local_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_cw_trans_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_cw_trans_L2L(local_addr_t, local_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_cw_trans_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_cw_trans_S2S(system_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_gdma_cpy_cw_trans_S2S");
}
extern "C" __attribute__((weak)) unsigned int tpu_gdma_get_filter_num() {
  unsupported("tpu_gdma_get_filter_num");
  return {};
}
extern "C" __attribute__((weak)) void tpu_gdma_mask_select_L2S(global_addr_t, local_addr_t, addr_t,
                                                               int, const dim4*, data_type_t,
                                                               data_type_t) {
  unsupported("tpu_gdma_mask_select_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_mask_select_S2S(global_addr_t, global_addr_t, addr_t,
                                                               int, const dim4*, data_type_t,
                                                               data_type_t) {
  unsupported("tpu_gdma_mask_select_S2S");
}
extern "C" __attribute__((weak)) unsigned int tpu_gdma_mask_select_S2S_with_ret(
    global_addr_t, global_addr_t, addr_t, int, const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_gdma_mask_select_S2S_with_ret");
  return {};
}
extern "C" __attribute__((weak)) void tpu_gdma_nonzero_L2S(global_addr_t, local_addr_t, const dim4*,
                                                           data_type_t, unsigned int) {
  unsupported("tpu_gdma_nonzero_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_nonzero_S2S(global_addr_t, global_addr_t,
                                                           const dim4*, data_type_t, unsigned int) {
  unsupported("tpu_gdma_nonzero_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_compact_S2L(local_addr_t, system_addr_t, const dim4*,
                                                           data_type_t) {
  unsupported("tpu_gdma_compact_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_compact_L2S(system_addr_t, local_addr_t, const dim4*,
                                                           data_type_t) {
  unsupported("tpu_gdma_compact_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_compact_nc_trans_S2L(local_addr_t, system_addr_t,
                                                                    const dim4*, data_type_t) {
  unsupported("tpu_gdma_compact_nc_trans_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_compact_nc_trans_L2S(system_addr_t, local_addr_t,
                                                                    const dim4*, data_type_t) {
  unsupported("tpu_gdma_compact_nc_trans_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_set_C_system(system_addr_t, scalar_t, const dim4*,
                                                            const dim4*, data_type_t) {
  unsupported("tpu_gdma_set_C_system");
}
extern "C" __attribute__((weak)) void tpu_gdma_set_C_local(local_addr_t, scalar_t, const dim4*,
                                                           const dim4*, data_type_t) {
  unsupported("tpu_gdma_set_C_local");
}
extern "C" __attribute__((weak)) void tpu_gdma_matrix_S2L(local_addr_t, system_addr_t, int, int,
                                                          int, int, data_type_t) {
  unsupported("tpu_gdma_matrix_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_matrix_L2S(system_addr_t, local_addr_t, int, int,
                                                          int, int, data_type_t) {
  unsupported("tpu_gdma_matrix_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_matrix_trans_S2L(local_addr_t, system_addr_t, int,
                                                                int, int, int, data_type_t) {
  unsupported("tpu_gdma_matrix_trans_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_matrix_trans_L2S(system_addr_t, local_addr_t, int,
                                                                int, int, int, data_type_t) {
  unsupported("tpu_gdma_matrix_trans_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_vector_S2L(local_addr_t, system_addr_t, int, int,
                                                          data_type_t) {
  unsupported("tpu_gdma_vector_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_vector_L2S(system_addr_t, local_addr_t, int, int,
                                                          data_type_t) {
  unsupported("tpu_gdma_vector_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_channel_bcast_S2L(local_addr_t, system_addr_t,
                                                                 const dim4*, const dim4*,
                                                                 const dim4*, data_type_t) {
  unsupported("tpu_gdma_channel_bcast_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_channel_bcast_L2L(local_addr_t, local_addr_t,
                                                                 const dim4*, const dim4*,
                                                                 const dim4*, data_type_t) {
  unsupported("tpu_gdma_channel_bcast_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_gather_S2L(local_addr_t, system_addr_t, addr_t,
                                                            bool, scalar_t, const dim4*, int,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_gdma_h_gather_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_gather_L2S(system_addr_t, local_addr_t, addr_t,
                                                            bool, scalar_t, const dim4*, int,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_gdma_h_gather_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_gather_L2L(local_addr_t, local_addr_t, addr_t,
                                                            bool, scalar_t, const dim4*, int,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_gdma_h_gather_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_gather_S2S(system_addr_t, system_addr_t, addr_t,
                                                            bool, scalar_t, const dim4*, int,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_gdma_h_gather_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_scatter_S2L(local_addr_t, system_addr_t, addr_t,
                                                             bool, const dim4*, int, const dim4*,
                                                             const dim4*, const dim4*,
                                                             data_type_t) {
  unsupported("tpu_gdma_h_scatter_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_scatter_L2S(system_addr_t, local_addr_t, addr_t,
                                                             bool, const dim4*, int, const dim4*,
                                                             const dim4*, const dim4*,
                                                             data_type_t) {
  unsupported("tpu_gdma_h_scatter_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_scatter_L2L(local_addr_t, local_addr_t, addr_t,
                                                             bool, const dim4*, int, const dim4*,
                                                             const dim4*, const dim4*,
                                                             data_type_t) {
  unsupported("tpu_gdma_h_scatter_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_h_scatter_S2S(system_addr_t, system_addr_t, addr_t,
                                                             bool, const dim4*, int, const dim4*,
                                                             const dim4*, const dim4*,
                                                             data_type_t) {
  unsupported("tpu_gdma_h_scatter_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_system_cpy(system_addr_t, system_addr_t,
                                                          unsigned int, data_type_t) {
  unsupported("tpu_gdma_system_cpy");
}
extern "C" __attribute__((weak)) void tpu_gdma_reverse_S2S(system_addr_t, system_addr_t,
                                                           const dim4*, const dim4*, const dim4*,
                                                           int, data_type_t) {
  unsupported("tpu_gdma_reverse_S2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_reverse_S2L(local_addr_t, system_addr_t, const dim4*,
                                                           const dim4*, const dim4*, int,
                                                           data_type_t) {
  unsupported("tpu_gdma_reverse_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_reverse_L2S(system_addr_t, local_addr_t, const dim4*,
                                                           const dim4*, const dim4*, int,
                                                           data_type_t) {
  unsupported("tpu_gdma_reverse_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_reverse_L2L(local_addr_t, local_addr_t, const dim4*,
                                                           const dim4*, const dim4*, int,
                                                           data_type_t) {
  unsupported("tpu_gdma_reverse_L2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_compress_normal_L2S(global_addr_t, local_addr_t,
                                                                   const dim4*, const dim4*,
                                                                   data_type_t, unsigned char,
                                                                   unsigned char, bool) {
  unsupported("tpu_gdma_compress_normal_L2S");
}
extern "C" __attribute__((weak)) int tpu_gdma_compress_normal_max_bytes(const dim4*, data_type_t) {
  unsupported("tpu_gdma_compress_normal_max_bytes");
  return {};
}
extern "C" __attribute__((weak)) void tpu_gdma_decompress_normal_S2L(local_addr_t, global_addr_t,
                                                                     const dim4*, const dim4*,
                                                                     data_type_t, unsigned char,
                                                                     unsigned char, bool) {
  unsupported("tpu_gdma_decompress_normal_S2L");
}
extern "C" __attribute__((weak)) void tpu_gdma_compress_RACU_L2S(global_addr_t, global_addr_t,
                                                                 local_addr_t, const dim4*, dim4*,
                                                                 dim4*, const dim4*, data_type_t,
                                                                 unsigned char, unsigned char,
                                                                 bool) {
  unsupported("tpu_gdma_compress_RACU_L2S");
}
extern "C" __attribute__((weak)) void tpu_gdma_decompress_RACU_S2L(
    local_addr_t, global_addr_t, global_addr_t, const dim4*, const dim4*, const dim4*, const dim4*,
    data_type_t, unsigned char, unsigned char, bool) {
  unsupported("tpu_gdma_decompress_RACU_S2L");
}
extern "C" __attribute__((weak)) int tpu_gdma_compress_RACU_max_meta_bytes(const dim4*,
                                                                           data_type_t) {
  unsupported("tpu_gdma_compress_RACU_max_meta_bytes");
  return {};
}
extern "C" __attribute__((weak)) int tpu_gdma_compress_RACU_max_racu_bytes(const dim4*,
                                                                           data_type_t) {
  unsupported("tpu_gdma_compress_RACU_max_racu_bytes");
  return {};
}
extern "C" __attribute__((weak)) void tpu_sdma_cpy_S2S(system_addr_t, system_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_sdma_cpy_S2S");
}
extern "C" __attribute__((weak)) void tpu_sdma_cpy_nc_trans_S2S(system_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_sdma_cpy_nc_trans_S2S");
}
extern "C" __attribute__((weak)) void tpu_sdma_cpy_cw_trans_S2S(system_addr_t, system_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t) {
  unsupported("tpu_sdma_cpy_cw_trans_S2S");
}
extern "C" __attribute__((weak)) void tpu_sdma_set_C_system(system_addr_t, scalar_t, const dim4*,
                                                            const dim4*, data_type_t) {
  unsupported("tpu_sdma_set_C_system");
}
extern "C" __attribute__((weak)) void tpu_sdma_h_gather_S2S(system_addr_t, system_addr_t, addr_t,
                                                            bool, scalar_t, const dim4*, int,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_sdma_h_gather_S2S");
}
extern "C" __attribute__((weak)) void tpu_sdma_h_scatter_S2S(system_addr_t, system_addr_t, addr_t,
                                                             bool, const dim4*, int, const dim4*,
                                                             const dim4*, const dim4*,
                                                             data_type_t) {
  unsupported("tpu_sdma_h_scatter_S2S");
}
extern "C" __attribute__((weak)) void tpu_sdma_system_cpy(system_addr_t, system_addr_t,
                                                          unsigned int, data_type_t) {
  unsupported("tpu_sdma_system_cpy");
}
extern "C" __attribute__((weak)) void tpu_sdma_reverse_S2S(system_addr_t, system_addr_t,
                                                           const dim4*, const dim4*, const dim4*,
                                                           int, data_type_t) {
  unsupported("tpu_sdma_reverse_S2S");
}
extern "C" __attribute__((weak)) void tpu_bdc_greater_select(local_addr_t, const variable_t*,
                                                             const variable_t*, const variable_t*,
                                                             const variable_t*, const dim4*,
                                                             data_type_t, data_type_t) {
  unsupported("tpu_bdc_greater_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_less_select(local_addr_t, const variable_t*,
                                                          const variable_t*, const variable_t*,
                                                          const variable_t*, const dim4*,
                                                          data_type_t, data_type_t) {
  unsupported("tpu_bdc_less_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_equal_select(local_addr_t, const variable_t*,
                                                           const variable_t*, const variable_t*,
                                                           const variable_t*, const dim4*,
                                                           data_type_t, data_type_t) {
  unsupported("tpu_bdc_equal_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_maximum_greater_select(
    local_addr_t, local_addr_t, const variable_t*, const variable_t*, const variable_t*,
    const variable_t*, const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_maximum_greater_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_minimum_less_select(
    local_addr_t, local_addr_t, const variable_t*, const variable_t*, const variable_t*,
    const variable_t*, const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_minimum_less_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mm(local_addr_t, local_addr_t, local_addr_t,
                                                      local_addr_t, int, int, int, int, int, bool,
                                                      bool) {
  unsupported("tpu_bdc_fp32_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mm_L_trans(local_addr_t, local_addr_t,
                                                              local_addr_t, local_addr_t, int, int,
                                                              int, int, int, bool, bool) {
  unsupported("tpu_bdc_fp32_mm_L_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mm_L_const(local_addr_t, local_addr_t,
                                                              local_addr_t, float, int, int, int,
                                                              int, bool, bool) {
  unsupported("tpu_bdc_fp32_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm(local_addr_t, local_addr_t, local_addr_t, int,
                                                    int, int, data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_fp_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_trans(local_addr_t, local_addr_t,
                                                            local_addr_t, int, int, int,
                                                            data_type_t, data_type_t) {
  unsupported("tpu_bdc_fp_mm_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_all_trans(local_addr_t, local_addr_t,
                                                              local_addr_t, int, int, int,
                                                              data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_fp_mm_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const(local_addr_t, local_addr_t, scalar_t,
                                                            int, int, int, data_type_t, data_type_t,
                                                            bool) {
  unsupported("tpu_bdc_fp_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_const(local_addr_t, local_addr_t, scalar_t,
                                                            int, int, int, data_type_t, data_type_t,
                                                            bool) {
  unsupported("tpu_bdc_fp_mm_R_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const_R_trans(local_addr_t, local_addr_t,
                                                                    scalar_t, int, int, int,
                                                                    data_type_t, data_type_t) {
  unsupported("tpu_bdc_fp_mm_L_const_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const_all_trans(local_addr_t, local_addr_t,
                                                                      scalar_t, int, int, int,
                                                                      data_type_t, data_type_t,
                                                                      bool) {
  unsupported("tpu_bdc_fp_mm_L_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_const_all_trans(local_addr_t, local_addr_t,
                                                                      scalar_t, int, int, int,
                                                                      data_type_t, data_type_t,
                                                                      bool) {
  unsupported("tpu_bdc_fp_mm_R_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_with_bias(local_addr_t, local_addr_t,
                                                              local_addr_t, int, int, int,
                                                              data_type_t, data_type_t, bool, bool,
                                                              var_context_t, bool) {
  unsupported("tpu_bdc_fp_mm_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_trans_with_bias(local_addr_t, local_addr_t,
                                                                      local_addr_t, int, int, int,
                                                                      data_type_t, data_type_t,
                                                                      bool, bool, var_context_t,
                                                                      bool) {
  unsupported("tpu_bdc_fp_mm_R_trans_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_all_trans_with_bias(local_addr_t, local_addr_t,
                                                                        local_addr_t, int, int, int,
                                                                        data_type_t, data_type_t,
                                                                        bool, bool, var_context_t,
                                                                        bool) {
  unsupported("tpu_bdc_fp_mm_all_trans_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const_with_bias(local_addr_t, local_addr_t,
                                                                      scalar_t, int, int, int,
                                                                      data_type_t, data_type_t,
                                                                      bool, bool, var_context_t,
                                                                      bool) {
  unsupported("tpu_bdc_fp_mm_L_const_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_const_with_bias(local_addr_t, local_addr_t,
                                                                      scalar_t, int, int, int,
                                                                      data_type_t, data_type_t,
                                                                      bool, bool, var_context_t,
                                                                      bool) {
  unsupported("tpu_bdc_fp_mm_R_const_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const_R_trans_with_bias(
    local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t, bool, bool,
    var_context_t, bool) {
  unsupported("tpu_bdc_fp_mm_L_const_R_trans_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_L_const_all_trans_with_bias(
    local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t, bool, bool,
    var_context_t, bool) {
  unsupported("tpu_bdc_fp_mm_L_const_all_trans_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mm_R_const_all_trans_with_bias(
    local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t, bool, bool,
    var_context_t, bool) {
  unsupported("tpu_bdc_fp_mm_R_const_all_trans_with_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_mm(local_addr_t, local_addr_t, local_addr_t, int,
                                                     int, int, int, int, data_type_t, data_type_t,
                                                     char, rounding_mode_t) {
  unsupported("tpu_bdc_int_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_mm_L_trans(local_addr_t, local_addr_t,
                                                             local_addr_t, int, int, int, int, int,
                                                             data_type_t, data_type_t, char,
                                                             rounding_mode_t) {
  unsupported("tpu_bdc_int_mm_L_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_mm_L_const(local_addr_t, local_addr_t, scalar_t,
                                                             int, int, int, int, data_type_t,
                                                             data_type_t, char, rounding_mode_t) {
  unsupported("tpu_bdc_int_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_mm(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, int, int, int, int, int,
                                                         data_type_t, data_type_t,
                                                         rounding_mode_t) {
  unsupported("tpu_bdc_int_pcs_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_mm_L_trans(local_addr_t, local_addr_t,
                                                                 local_addr_t, local_addr_t, int,
                                                                 int, int, int, int, data_type_t,
                                                                 data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_int_pcs_mm_L_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_mm_L_const(local_addr_t, local_addr_t,
                                                                 local_addr_t, scalar_t, int, int,
                                                                 int, int, data_type_t, data_type_t,
                                                                 rounding_mode_t) {
  unsupported("tpu_bdc_int_pcs_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_quant_mm(local_addr_t, data_type_t, optional_info_t*,
                                                       optional_info_t*, int, int, int, bool, bool,
                                                       bool, bool, optional_info_t*,
                                                       optional_info_t*, requant_int_info_t*) {
  unsupported("tpu_bdc_quant_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_mm(local_addr_t, local_addr_t, local_addr_t,
                                                      local_addr_t, int, int, int, int, int,
                                                      data_type_t, data_type_t, data_type_t,
                                                      data_type_t, unsigned char, unsigned char,
                                                      bool, bool, bool) {
  unsupported("tpu_bdc_int8_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_mm_L_trans(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, int, int, int, int, int, data_type_t,
    data_type_t, data_type_t, data_type_t, unsigned char, unsigned char, bool, bool, bool) {
  unsupported("tpu_bdc_int8_mm_L_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_mm_L_const(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, int, int, int, int, data_type_t,
    data_type_t, data_type_t, data_type_t, unsigned char, unsigned char, bool, bool, bool) {
  unsupported("tpu_bdc_int8_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm(local_addr_t, local_addr_t, local_addr_t,
                                                         scalar_t, int, int, int, data_type_t,
                                                         data_type_t, bool) {
  unsupported("tpu_bdc_int8_zp_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_R_trans(local_addr_t, local_addr_t,
                                                                 local_addr_t, scalar_t, int, int,
                                                                 int, data_type_t, data_type_t) {
  unsupported("tpu_bdc_int8_zp_mm_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_all_trans(local_addr_t, local_addr_t,
                                                                   local_addr_t, scalar_t, int, int,
                                                                   int, data_type_t, data_type_t,
                                                                   bool) {
  unsupported("tpu_bdc_int8_zp_mm_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_L_const(local_addr_t, local_addr_t,
                                                                 scalar_t, scalar_t, int, int, int,
                                                                 data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_zp_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_R_const(local_addr_t, local_addr_t,
                                                                 scalar_t, scalar_t, int, int, int,
                                                                 data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_zp_mm_R_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_L_const_R_trans(local_addr_t, local_addr_t,
                                                                         scalar_t, scalar_t, int,
                                                                         int, int, data_type_t,
                                                                         data_type_t) {
  unsupported("tpu_bdc_int8_zp_mm_L_const_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_L_const_all_trans(
    local_addr_t, local_addr_t, scalar_t, scalar_t, int, int, int, data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_zp_mm_L_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_zp_mm_R_const_all_trans(
    local_addr_t, local_addr_t, scalar_t, scalar_t, int, int, int, data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_zp_mm_R_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm(local_addr_t, local_addr_t,
                                                            local_addr_t, local_addr_t, int, int,
                                                            int, data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_R_trans(local_addr_t, local_addr_t,
                                                                    local_addr_t, local_addr_t, int,
                                                                    int, int, data_type_t,
                                                                    data_type_t) {
  unsupported("tpu_bdc_int8_pc_zp_mm_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_all_trans(local_addr_t, local_addr_t,
                                                                      local_addr_t, local_addr_t,
                                                                      int, int, int, data_type_t,
                                                                      data_type_t, bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_L_const(local_addr_t, local_addr_t,
                                                                    local_addr_t, scalar_t, int,
                                                                    int, int, data_type_t,
                                                                    data_type_t, bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm_L_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_R_const(local_addr_t, local_addr_t,
                                                                    local_addr_t, scalar_t, int,
                                                                    int, int, data_type_t,
                                                                    data_type_t, bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm_R_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_L_const_R_trans(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t) {
  unsupported("tpu_bdc_int8_pc_zp_mm_L_const_R_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_L_const_all_trans(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t,
    bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm_L_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_zp_mm_R_const_all_trans(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, int, int, int, data_type_t, data_type_t,
    bool) {
  unsupported("tpu_bdc_int8_pc_zp_mm_R_const_all_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_bias(local_addr_t, local_addr_t, local_addr_t,
                                                      const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_add_bias_sqr(local_addr_t, local_addr_t,
                                                              local_addr_t, const dim4*,
                                                              data_type_t) {
  unsupported("tpu_bdc_fp_add_bias_sqr");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_add_C_sqr(local_addr_t, local_addr_t, scalar_t,
                                                           const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_add_C_sqr");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_sub_bias_sqr(local_addr_t, local_addr_t,
                                                              local_addr_t, const dim4*,
                                                              data_type_t) {
  unsupported("tpu_bdc_fp_sub_bias_sqr");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_sub_C_sqr(local_addr_t, local_addr_t, scalar_t,
                                                           const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_sub_C_sqr");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_scale(local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_scale");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_scale_bias(local_addr_t, local_addr_t,
                                                            local_addr_t, local_addr_t, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_bdc_fp_scale_bias");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_scale_bias_C(local_addr_t, local_addr_t, scalar_t,
                                                              scalar_t, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_scale_bias_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_conv2d(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, const dim4*, const dim4*, int,
                                                        const dim2*, const padding_t*, const dim2*,
                                                        const dim2*, data_type_t, data_type_t, bool,
                                                        bool) {
  unsupported("tpu_bdc_fp_conv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_conv2d_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int,
    const dim2*, const dim2*, const padding_t*, const dim2*, data_type_t, data_type_t, bool, bool) {
  unsupported("tpu_bdc_fp_conv2d_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_depthwise_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim2*, const dim2*,
    const padding_t*, const dim2*, data_type_t, data_type_t, bool, bool) {
  unsupported("tpu_bdc_fp_depthwise_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_conv2d_kernel_const(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, const dim4*, int, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, bool, bool) {
  unsupported("tpu_bdc_fp_conv2d_kernel_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_max_pool2d(local_addr_t, local_addr_t, const dim4*,
                                                            const dim2*, const padding_t*,
                                                            const dim2*, const dim2*, data_type_t,
                                                            scalar_t) {
  unsupported("tpu_bdc_fp_max_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_ins_avg_pool2d(local_addr_t, local_addr_t,
                                                                const dim4*, const dim2*,
                                                                const padding_t*, const dim2*,
                                                                const dim2*, const dim2*,
                                                                data_type_t, scalar_t) {
  unsupported("tpu_bdc_fp_ins_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_avg_pool2d(local_addr_t, local_addr_t, const dim4*,
                                                            const dim2*, const padding_t*,
                                                            const dim2*, const dim2*, data_type_t,
                                                            scalar_t) {
  unsupported("tpu_bdc_fp_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_ins_depthwise(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, const dim2*, data_type_t, bool) {
  unsupported("tpu_bdc_fp_ins_depthwise");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_depthwise2d(local_addr_t, local_addr_t,
                                                             local_addr_t, local_addr_t,
                                                             const dim4*, const dim2*,
                                                             const padding_t*, const dim2*,
                                                             const dim2*, data_type_t, bool) {
  unsupported("tpu_bdc_fp_depthwise2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_roi_max_pool2d(local_addr_t, local_addr_t,
                                                                local_addr_t, const dim4*, int,
                                                                const dim2*, data_type_t,
                                                                scalar_t) {
  unsupported("tpu_bdc_fp_roi_max_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_roi_avg_pool2d(local_addr_t, local_addr_t,
                                                                local_addr_t, const dim4*, int,
                                                                const dim2*, data_type_t, scalar_t,
                                                                scalar_t) {
  unsupported("tpu_bdc_fp_roi_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_roi_depthwise2d(local_addr_t, local_addr_t,
                                                                 local_addr_t, local_addr_t,
                                                                 const dim4*, int, const dim2*,
                                                                 data_type_t, scalar_t) {
  unsupported("tpu_bdc_fp_roi_depthwise2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_asym_quant_conv2d(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*, const dim4*, int,
    const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, bool) {
  unsupported("tpu_bdc_int8_asym_quant_conv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_asym_pc_quant_conv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
    int, const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t,
    data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_asym_pc_quant_conv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_asym_quant_conv2d_kernel_const(
    local_addr_t, local_addr_t, scalar_t, scalar_t, scalar_t, const dim4*, const dim4*, int,
    const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, bool) {
  unsupported("tpu_bdc_int8_asym_quant_conv2d_kernel_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_asym_quant_conv2d_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, scalar_t, scalar_t, const dim4*,
    const dim4*, int, const dim2*, const dim2*, const padding_t*, const dim2*, data_type_t,
    data_type_t, data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_asym_quant_conv2d_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
    int, const dim2*, const dim2*, const padding_t*, const dim2*, data_type_t, data_type_t,
    data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_sym_quant_conv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int,
    const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, unsigned char, bool, bool) {
  unsupported("tpu_bdc_int8_sym_quant_conv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_sym_quant_conv2d_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int,
    const dim2*, const dim2*, const padding_t*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, unsigned char, bool, bool) {
  unsupported("tpu_bdc_int8_sym_quant_conv2d_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_pc(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
    int, const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t,
    data_type_t, data_type_t, bool, bool, bool, bool) {
  unsupported("tpu_bdc_conv2d_requant_pc");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_C(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, int,
    const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, int, char, short, bool, bool, bool, bool) {
  unsupported("tpu_bdc_conv2d_requant_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_pc_asym_pc(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t,
    local_addr_t, const dim4*, const dim4*, int, const dim2*, const padding_t*, const dim2*,
    const dim2*, data_type_t, data_type_t, data_type_t, data_type_t, bool, bool, bool, bool, bool,
    rounding_mode_t) {
  unsupported("tpu_bdc_conv2d_requant_pc_asym_pc");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_C_asym_pc(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*,
    const dim4*, int, const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t,
    data_type_t, data_type_t, data_type_t, int, char, short, bool, bool, bool, bool, bool,
    rounding_mode_t) {
  unsupported("tpu_bdc_conv2d_requant_C_asym_pc");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_C_asym_C(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*,
    const dim4*, int, const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t,
    data_type_t, data_type_t, data_type_t, int, char, short, bool, bool, bool, bool, bool,
    rounding_mode_t) {
  unsupported("tpu_bdc_conv2d_requant_C_asym_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_conv2d_requant_pc_asym_C(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, scalar_t,
    const dim4*, const dim4*, int, const dim2*, const padding_t*, const dim2*, const dim2*,
    data_type_t, data_type_t, data_type_t, data_type_t, bool, bool, bool, bool, bool,
    rounding_mode_t) {
  unsupported("tpu_bdc_conv2d_requant_pc_asym_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_depthwise2d_requant_pc_asym_C(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*,
    const dim2*, const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t,
    data_type_t, bool, bool, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_depthwise2d_requant_pc_asym_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_depthwise2d_requant_C_sym_C(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_depthwise2d_requant_C_sym_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_max_pool2d(local_addr_t, local_addr_t,
                                                              const dim4*, const dim2*,
                                                              const padding_t*, const dim2*,
                                                              const dim2*, data_type_t, scalar_t) {
  unsupported("tpu_bdc_int8_max_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_ins_avg_pool2d(
    local_addr_t, local_addr_t, const dim4*, const dim2*, const padding_t*, const dim2*,
    const dim2*, const dim2*, data_type_t, data_type_t, unsigned char, unsigned char) {
  unsupported("tpu_bdc_int8_ins_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_avg_pool2d(local_addr_t, local_addr_t,
                                                              const dim4*, const dim2*,
                                                              const padding_t*, const dim2*,
                                                              const dim2*, data_type_t, data_type_t,
                                                              unsigned char, unsigned char) {
  unsupported("tpu_bdc_int8_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_depthwise2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_int8_depthwise2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_depthwise2d_kernel_const(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, scalar_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_int8_depthwise2d_kernel_const");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_pad_depthwise2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_int8_pc_pad_depthwise2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_pc_pad_depthwise_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_int8_pc_pad_depthwise_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_depthwise_for_deconv2d(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, const dim2*,
    const padding_t*, const dim2*, const dim2*, data_type_t, data_type_t, data_type_t, data_type_t,
    unsigned char, bool, bool, rounding_mode_t) {
  unsupported("tpu_bdc_int8_depthwise_for_deconv2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_roi_max_pool2d(local_addr_t, local_addr_t,
                                                                  local_addr_t, const dim4*, int,
                                                                  const dim2*, data_type_t,
                                                                  scalar_t) {
  unsupported("tpu_bdc_int8_roi_max_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_roi_avg_pool2d(local_addr_t, local_addr_t,
                                                                  local_addr_t, const dim4*, int,
                                                                  const dim2*, data_type_t,
                                                                  data_type_t, scalar_t, scalar_t) {
  unsupported("tpu_bdc_int8_roi_avg_pool2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_roi_depthwise2d(local_addr_t, local_addr_t,
                                                                   local_addr_t, local_addr_t,
                                                                   const dim4*, int, const dim2*,
                                                                   data_type_t, data_type_t,
                                                                   data_type_t, scalar_t) {
  unsupported("tpu_bdc_int8_roi_depthwise2d");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_requant(local_addr_t, local_addr_t, const dim4*,
                                                          int, char, scalar_t, data_type_t,
                                                          data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_int_requant");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pc_requant(local_addr_t, local_addr_t,
                                                             local_addr_t, const dim4*, data_type_t,
                                                             data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_int_pc_requant");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_requant(local_addr_t, local_addr_t, const dim4*,
                                                           float, float, data_type_t, data_type_t,
                                                           rounding_mode_t, rounding_mode_t) {
  unsupported("tpu_bdc_fp32_requant");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_pc_requant(local_addr_t, local_addr_t,
                                                              local_addr_t, const dim4*,
                                                              data_type_t, data_type_t,
                                                              rounding_mode_t, rounding_mode_t) {
  unsupported("tpu_bdc_fp32_pc_requant");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_dequant(local_addr_t, local_addr_t, const dim4*,
                                                          scalar_t, int, char, data_type_t,
                                                          data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_int_dequant");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pc_dequant(local_addr_t, local_addr_t,
                                                             local_addr_t, const dim4*, data_type_t,
                                                             data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_int_pc_dequant");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_dequant(local_addr_t, local_addr_t, const dim4*,
                                                           scalar_t, float, data_type_t,
                                                           rounding_mode_t) {
  unsupported("tpu_bdc_fp32_dequant");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_pc_dequant(local_addr_t, local_addr_t,
                                                              local_addr_t, const dim4*,
                                                              data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_fp32_pc_dequant");
}
extern "C" __attribute__((weak)) void tpu_bdc_and(local_addr_t, local_addr_t, local_addr_t,
                                                  const dim4*, const dim4*, const dim4*,
                                                  const dim4*, data_type_t) {
  unsupported("tpu_bdc_and");
}
extern "C" __attribute__((weak)) void tpu_bdc_and_C(local_addr_t, local_addr_t, scalar_t,
                                                    const dim4*, const dim4*, const dim4*,
                                                    data_type_t) {
  unsupported("tpu_bdc_and_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_or(local_addr_t, local_addr_t, local_addr_t,
                                                 const dim4*, const dim4*, const dim4*, const dim4*,
                                                 data_type_t) {
  unsupported("tpu_bdc_or");
}
extern "C" __attribute__((weak)) void tpu_bdc_or_C(local_addr_t, local_addr_t, scalar_t,
                                                   const dim4*, const dim4*, const dim4*,
                                                   data_type_t) {
  unsupported("tpu_bdc_or_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_xor(local_addr_t, local_addr_t, local_addr_t,
                                                  const dim4*, const dim4*, const dim4*,
                                                  const dim4*, data_type_t) {
  unsupported("tpu_bdc_xor");
}
extern "C" __attribute__((weak)) void tpu_bdc_xor_C(local_addr_t, local_addr_t, scalar_t,
                                                    const dim4*, const dim4*, const dim4*,
                                                    data_type_t) {
  unsupported("tpu_bdc_xor_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_min(local_addr_t, local_addr_t, local_addr_t,
                                                  const dim4*, const dim4*, const dim4*,
                                                  const dim4*, data_type_t) {
  unsupported("tpu_bdc_min");
}
extern "C" __attribute__((weak)) void tpu_bdc_min_C(local_addr_t, local_addr_t, scalar_t,
                                                    const dim4*, const dim4*, const dim4*,
                                                    data_type_t) {
  unsupported("tpu_bdc_min_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_max(local_addr_t, local_addr_t, local_addr_t,
                                                  const dim4*, const dim4*, const dim4*,
                                                  const dim4*, data_type_t) {
  unsupported("tpu_bdc_max");
}
extern "C" __attribute__((weak)) void tpu_bdc_max_C(local_addr_t, local_addr_t, scalar_t,
                                                    const dim4*, const dim4*, const dim4*,
                                                    data_type_t) {
  unsupported("tpu_bdc_max_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_shift(
    local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, const dim4*, const dim4*,
    data_type_t, data_type_t, data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_arithmetic_shift");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_shift_C(local_addr_t, local_addr_t, char,
                                                                 const dim4*, const dim4*,
                                                                 const dim4*, data_type_t,
                                                                 data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_arithmetic_shift_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_logical_shift(local_addr_t, local_addr_t,
                                                            local_addr_t, const dim4*, const dim4*,
                                                            const dim4*, const dim4*, data_type_t,
                                                            data_type_t, data_type_t,
                                                            rounding_mode_t) {
  unsupported("tpu_bdc_logical_shift");
}
extern "C" __attribute__((weak)) void tpu_bdc_logical_shift_C(local_addr_t, local_addr_t, char,
                                                              const dim4*, const dim4*, const dim4*,
                                                              data_type_t, data_type_t,
                                                              rounding_mode_t) {
  unsupported("tpu_bdc_logical_shift_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_greater(local_addr_t, local_addr_t, local_addr_t,
                                                      scalar_t, const dim4*, const dim4*,
                                                      const dim4*, const dim4*, data_type_t,
                                                      data_type_t) {
  unsupported("tpu_bdc_greater");
}
extern "C" __attribute__((weak)) void tpu_bdc_greater_C(local_addr_t, local_addr_t, scalar_t,
                                                        scalar_t, const dim4*, const dim4*,
                                                        const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_greater_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_less(local_addr_t, local_addr_t, local_addr_t,
                                                   scalar_t, const dim4*, const dim4*, const dim4*,
                                                   const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_less");
}
extern "C" __attribute__((weak)) void tpu_bdc_less_C(local_addr_t, local_addr_t, scalar_t, scalar_t,
                                                     const dim4*, const dim4*, const dim4*,
                                                     data_type_t, data_type_t) {
  unsupported("tpu_bdc_less_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_equal(local_addr_t, local_addr_t, local_addr_t,
                                                    scalar_t, const dim4*, const dim4*, const dim4*,
                                                    const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_equal_C(local_addr_t, local_addr_t, scalar_t,
                                                      scalar_t, const dim4*, const dim4*,
                                                      const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_equal_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_greater_equal(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, const dim4*,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t, data_type_t) {
  unsupported("tpu_bdc_greater_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_greater_equal_C(local_addr_t, local_addr_t, scalar_t,
                                                              scalar_t, const dim4*, const dim4*,
                                                              const dim4*, data_type_t,
                                                              data_type_t) {
  unsupported("tpu_bdc_greater_equal_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_less_equal(local_addr_t, local_addr_t, local_addr_t,
                                                         scalar_t, const dim4*, const dim4*,
                                                         const dim4*, const dim4*, data_type_t,
                                                         data_type_t) {
  unsupported("tpu_bdc_less_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_less_equal_C(local_addr_t, local_addr_t, scalar_t,
                                                           scalar_t, const dim4*, const dim4*,
                                                           const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_less_equal_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_not_equal(local_addr_t, local_addr_t, local_addr_t,
                                                        scalar_t, const dim4*, const dim4*,
                                                        const dim4*, const dim4*, data_type_t,
                                                        data_type_t) {
  unsupported("tpu_bdc_not_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_not_equal_C(local_addr_t, local_addr_t, scalar_t,
                                                          scalar_t, const dim4*, const dim4*,
                                                          const dim4*, data_type_t, data_type_t) {
  unsupported("tpu_bdc_not_equal_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_and(local_addr_t, local_addr_t, local_addr_t, int,
                                                     int, int, int, data_type_t) {
  unsupported("tpu_bdc_vc_and");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_or(local_addr_t, local_addr_t, local_addr_t, int,
                                                    int, int, int, data_type_t) {
  unsupported("tpu_bdc_vc_or");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_xor(local_addr_t, local_addr_t, local_addr_t, int,
                                                     int, int, int, data_type_t) {
  unsupported("tpu_bdc_vc_xor");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_min(local_addr_t, local_addr_t, local_addr_t, int,
                                                     int, int, int, data_type_t) {
  unsupported("tpu_bdc_vc_min");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_max(local_addr_t, local_addr_t, local_addr_t, int,
                                                     int, int, int, data_type_t) {
  unsupported("tpu_bdc_vc_max");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_greater(local_addr_t, local_addr_t, local_addr_t,
                                                         scalar_t, int, int, int, int, data_type_t,
                                                         data_type_t) {
  unsupported("tpu_bdc_vc_greater");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_less(local_addr_t, local_addr_t, local_addr_t,
                                                      scalar_t, int, int, int, int, data_type_t,
                                                      data_type_t) {
  unsupported("tpu_bdc_vc_less");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_equal(local_addr_t, local_addr_t, local_addr_t,
                                                       scalar_t, int, int, int, int, data_type_t,
                                                       data_type_t) {
  unsupported("tpu_bdc_vc_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_greater_equal(local_addr_t, local_addr_t,
                                                               local_addr_t, scalar_t, int, int,
                                                               int, int, data_type_t, data_type_t) {
  unsupported("tpu_bdc_vc_greater_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_less_equal(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, int, int, int,
                                                            int, data_type_t, data_type_t) {
  unsupported("tpu_bdc_vc_less_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_vc_not_equal(local_addr_t, local_addr_t, local_addr_t,
                                                           scalar_t, int, int, int, int,
                                                           data_type_t, data_type_t) {
  unsupported("tpu_bdc_vc_not_equal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_add(local_addr_t, local_addr_t, local_addr_t,
                                                     const dim4*, const dim4*, const dim4*,
                                                     const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_add");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_add_C(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_add_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_sub(local_addr_t, local_addr_t, local_addr_t,
                                                     const dim4*, const dim4*, const dim4*,
                                                     const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_sub_C(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_sub_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_C_sub(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_C_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mul(local_addr_t, local_addr_t, local_addr_t,
                                                     const dim4*, const dim4*, const dim4*,
                                                     const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_mul");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_mul_C(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_mul_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_square(local_addr_t, local_addr_t, const dim4*,
                                                        const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_square");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_div(local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       const dim4*) {
  unsupported("tpu_bdc_fp32_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_div_C(local_addr_t, local_addr_t, float,
                                                         const dim4*, const dim4*, const dim4*) {
  unsupported("tpu_bdc_fp32_div_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_C_div(local_addr_t, local_addr_t, float,
                                                         const dim4*, const dim4*, const dim4*) {
  unsupported("tpu_bdc_fp32_C_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_div(local_addr_t, local_addr_t,
                                                               local_addr_t, const dim4*,
                                                               const dim4*, const dim4*,
                                                               const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_div_C(local_addr_t, local_addr_t, float,
                                                                 const dim4*, const dim4*,
                                                                 const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_div_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_C_div(local_addr_t, local_addr_t, float,
                                                                 const dim4*, const dim4*,
                                                                 const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_C_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_div(local_addr_t, local_addr_t, local_addr_t,
                                                     const dim4*, const dim4*, const dim4*,
                                                     const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_div_C(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_div_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_C_div(local_addr_t, local_addr_t, scalar_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_C_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_div(local_addr_t, local_addr_t,
                                                             local_addr_t, const dim4*, const dim4*,
                                                             const dim4*, const dim4*, data_type_t,
                                                             int) {
  unsupported("tpu_bdc_fp_tunable_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_div_C(local_addr_t, local_addr_t, scalar_t,
                                                               const dim4*, const dim4*,
                                                               const dim4*, data_type_t, int) {
  unsupported("tpu_bdc_fp_tunable_div_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_C_div(local_addr_t, local_addr_t, scalar_t,
                                                               const dim4*, const dim4*,
                                                               const dim4*, data_type_t, int) {
  unsupported("tpu_bdc_fp_tunable_C_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mac(local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       const dim4*) {
  unsupported("tpu_bdc_fp32_mac");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mac_C(local_addr_t, local_addr_t, float,
                                                         const dim4*, const dim4*, const dim4*) {
  unsupported("tpu_bdc_fp32_mac_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_diff_abs(local_addr_t, local_addr_t, local_addr_t,
                                                          const dim4*, const dim4*, const dim4*,
                                                          const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_diff_abs");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_diff_abs_C(local_addr_t, local_addr_t, scalar_t,
                                                            const dim4*, const dim4*, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_bdc_fp_diff_abs_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_pow(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_pow");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_pow_C(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, float, const dim4*) {
  unsupported("tpu_bdc_fp32_pow_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_C_pow(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, local_addr_t, local_addr_t,
                                                         float, const dim4*) {
  unsupported("tpu_bdc_fp32_C_pow");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_vc_add(local_addr_t, local_addr_t, local_addr_t,
                                                        int, int, int, int, data_type_t) {
  unsupported("tpu_bdc_fp_vc_add");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_vc_sub(local_addr_t, local_addr_t, local_addr_t,
                                                        int, int, int, int, data_type_t) {
  unsupported("tpu_bdc_fp_vc_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_vc_mul(local_addr_t, local_addr_t, local_addr_t,
                                                        int, int, int, int, data_type_t) {
  unsupported("tpu_bdc_fp_vc_mul");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_vc_div(local_addr_t, local_addr_t, local_addr_t,
                                                          int, int, int, int) {
  unsupported("tpu_bdc_fp32_vc_div");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_add(local_addr_t, local_addr_t, local_addr_t,
                                                      const dim4*, const dim4*, const dim4*,
                                                      const dim4*, data_type_t, data_type_t,
                                                      data_type_t, char, rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_add");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_add_C(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, data_type_t, data_type_t, char,
                                                        rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_add_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_add(local_addr_t, local_addr_t, local_addr_t,
                                                          local_addr_t, const dim4*, const dim4*,
                                                          const dim4*, const dim4*, data_type_t,
                                                          data_type_t, data_type_t, rounding_mode_t,
                                                          bool) {
  unsupported("tpu_bdc_int_pcs_add");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_add_C(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, const dim4*,
                                                            const dim4*, const dim4*, data_type_t,
                                                            data_type_t, data_type_t,
                                                            rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_pcs_add_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_sub(local_addr_t, local_addr_t, local_addr_t,
                                                      const dim4*, const dim4*, const dim4*,
                                                      const dim4*, data_type_t, data_type_t,
                                                      data_type_t, char, rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_sub_C(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, data_type_t, data_type_t, char,
                                                        rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_sub_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_C_sub(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, data_type_t, data_type_t, char,
                                                        rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_C_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_sub(local_addr_t, local_addr_t, local_addr_t,
                                                          local_addr_t, const dim4*, const dim4*,
                                                          const dim4*, const dim4*, data_type_t,
                                                          data_type_t, data_type_t, rounding_mode_t,
                                                          bool) {
  unsupported("tpu_bdc_int_pcs_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_sub_C(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, const dim4*,
                                                            const dim4*, const dim4*, data_type_t,
                                                            data_type_t, data_type_t,
                                                            rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_pcs_sub_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_C_sub(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, const dim4*,
                                                            const dim4*, const dim4*, data_type_t,
                                                            data_type_t, data_type_t,
                                                            rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_pcs_C_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_mul(local_addr_t, local_addr_t, local_addr_t,
                                                      const dim4*, const dim4*, const dim4*,
                                                      const dim4*, data_type_t, data_type_t,
                                                      data_type_t, char, rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_mul");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_square(local_addr_t, local_addr_t, const dim4*,
                                                         const dim4*, const dim4*, data_type_t,
                                                         data_type_t, char, rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_square");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_mul_C(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, data_type_t, data_type_t, char,
                                                        rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_mul_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_mul(local_addr_t, local_addr_t, local_addr_t,
                                                          local_addr_t, const dim4*, const dim4*,
                                                          const dim4*, const dim4*, data_type_t,
                                                          data_type_t, data_type_t, rounding_mode_t,
                                                          bool) {
  unsupported("tpu_bdc_int_pcs_mul");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_pcs_mul_C(local_addr_t, local_addr_t,
                                                            local_addr_t, scalar_t, const dim4*,
                                                            const dim4*, const dim4*, data_type_t,
                                                            data_type_t, data_type_t,
                                                            rounding_mode_t, bool) {
  unsupported("tpu_bdc_int_pcs_mul_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_min_C(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, char, rounding_mode_t) {
  unsupported("tpu_bdc_int_min_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_max_C(local_addr_t, local_addr_t, scalar_t,
                                                        const dim4*, const dim4*, const dim4*,
                                                        data_type_t, char, rounding_mode_t) {
  unsupported("tpu_bdc_int_max_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_mac(local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*, const dim4*, const dim4*,
                                                       const dim4*, data_type_t, data_type_t,
                                                       unsigned char, unsigned char,
                                                       rounding_mode_t) {
  unsupported("tpu_bdc_int8_mac");
}
extern "C" __attribute__((weak)) void tpu_bdc_int8_mac_C(local_addr_t, local_addr_t, scalar_t,
                                                         const dim4*, const dim4*, const dim4*,
                                                         data_type_t, data_type_t, unsigned char,
                                                         unsigned char, rounding_mode_t) {
  unsupported("tpu_bdc_int8_mac_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_vc_add(local_addr_t, local_addr_t, local_addr_t,
                                                         int, int, int, int, data_type_t,
                                                         data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int_vc_add");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_vc_sub(local_addr_t, local_addr_t, local_addr_t,
                                                         int, int, int, int, data_type_t,
                                                         data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int_vc_sub");
}
extern "C" __attribute__((weak)) void tpu_bdc_int_vc_mul(local_addr_t, local_addr_t, local_addr_t,
                                                         int, int, int, int, data_type_t,
                                                         data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_int_vc_mul");
}
extern "C" __attribute__((weak)) void tpu_bdc_cpy(local_addr_t, local_addr_t, const dim4*,
                                                  const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_cpy");
}
extern "C" __attribute__((weak)) void tpu_bdc_cpy_cross_npu(local_addr_t, local_addr_t, const dim4*,
                                                            data_type_t) {
  unsupported("tpu_bdc_cpy_cross_npu");
}
extern "C" __attribute__((weak)) void tpu_bdc_npu_bcast(local_addr_t, local_addr_t, const dim4*,
                                                        data_type_t) {
  unsupported("tpu_bdc_npu_bcast");
}
extern "C" __attribute__((weak)) void tpu_bdc_set_C(local_addr_t, scalar_t, const dim4*,
                                                    const dim4*, data_type_t) {
  unsupported("tpu_bdc_set_C");
}
extern "C" __attribute__((weak)) void tpu_bdc_cw_trans(local_addr_t, local_addr_t, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_cw_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_wc_trans(local_addr_t, local_addr_t, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_wc_trans");
}
extern "C" __attribute__((weak)) void tpu_bdc_cast(local_addr_t, local_addr_t, const dim4*,
                                                   const dim4*, const dim4*, data_type_t,
                                                   data_type_t, rounding_mode_t) {
  unsupported("tpu_bdc_cast");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_round(local_addr_t, local_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t,
                                                       rounding_mode_t) {
  unsupported("tpu_bdc_fp_round");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_floor(local_addr_t, local_addr_t, const dim4*,
                                                       const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_floor");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_ceil(local_addr_t, local_addr_t, const dim4*,
                                                      const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_ceil");
}
extern "C" __attribute__((weak)) void tpu_bdc_abs(local_addr_t, local_addr_t, const dim4*,
                                                  const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_abs");
}
extern "C" __attribute__((weak)) void tpu_bdc_not(local_addr_t, local_addr_t, const dim4*,
                                                  const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_not");
}
extern "C" __attribute__((weak)) void tpu_bdc_neg(local_addr_t, local_addr_t, const dim4*,
                                                  const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_neg");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_reciprocal(local_addr_t, local_addr_t,
                                                              const dim4*, const dim4*,
                                                              const dim4*) {
  unsupported("tpu_bdc_fp32_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_reciprocal(local_addr_t, local_addr_t,
                                                                      const dim4*, const dim4*,
                                                                      const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_reciprocal(local_addr_t, local_addr_t,
                                                                    const dim4*, const dim4*,
                                                                    const dim4*, data_type_t, int) {
  unsupported("tpu_bdc_fp_tunable_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_reciprocal(local_addr_t, local_addr_t, const dim4*,
                                                            const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_compensate_reciprocal(local_addr_t, local_addr_t,
                                                                         local_addr_t, local_addr_t,
                                                                         local_addr_t, const dim4*,
                                                                         const dim4*, int) {
  unsupported("tpu_bdc_fp32_compensate_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_compensate_reciprocal(
    local_addr_t, local_addr_t, local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
    int, int) {
  unsupported("tpu_bdc_fp32_tunable_compensate_reciprocal");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_rsqrt(local_addr_t, local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_rsqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_rsqrt(local_addr_t, local_addr_t,
                                                                 const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_rsqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_rsqrt(local_addr_t, local_addr_t, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_rsqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_rsqrt(local_addr_t, local_addr_t,
                                                               const dim4*, data_type_t, int) {
  unsupported("tpu_bdc_fp_tunable_rsqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_sqrt(local_addr_t, local_addr_t, const dim4*,
                                                      data_type_t) {
  unsupported("tpu_bdc_fp_sqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_tunable_sqrt(local_addr_t, local_addr_t,
                                                              const dim4*, data_type_t, int) {
  unsupported("tpu_bdc_fp_tunable_sqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_sqrt(local_addr_t, local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_sqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tunable_sqrt(local_addr_t, local_addr_t,
                                                                const dim4*, int) {
  unsupported("tpu_bdc_fp32_tunable_sqrt");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_exp(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*) {
  unsupported("tpu_bdc_fp32_exp");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_expm1(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, local_addr_t, local_addr_t,
                                                         const dim4*) {
  unsupported("tpu_bdc_fp32_expm1");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_log(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_log");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_log1p(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_log1p");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_logx(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, const dim4*, float) {
  unsupported("tpu_bdc_fp32_logx");
}
extern "C" __attribute__((weak)) void tpu_bdc_sign(local_addr_t, local_addr_t, const dim4*,
                                                   data_type_t) {
  unsupported("tpu_bdc_sign");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_sin(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_sin");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_cos(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_cos");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tan(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_tan");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_cot(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_cot");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_arcsin(local_addr_t, local_addr_t, local_addr_t,
                                                          local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_arcsin");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_arccos(local_addr_t, local_addr_t, local_addr_t,
                                                          local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_arccos");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_arcsinh(local_addr_t, local_addr_t, local_addr_t,
                                                           local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_arcsinh");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_arccosh(local_addr_t, local_addr_t, local_addr_t,
                                                           local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_arccosh");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_arctanh(local_addr_t, local_addr_t, local_addr_t,
                                                           local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_arctanh");
}
extern "C" __attribute__((weak)) void tpu_bdc_first_zero_bit_index(local_addr_t, local_addr_t,
                                                                   const dim4*, const dim4*,
                                                                   const dim4*, bit_width_t,
                                                                   bit_width_t) {
  unsupported("tpu_bdc_first_zero_bit_index");
}
extern "C" __attribute__((weak)) void tpu_bdc_first_one_bit_index(local_addr_t, local_addr_t,
                                                                  const dim4*, const dim4*,
                                                                  const dim4*, bit_width_t,
                                                                  bit_width_t) {
  unsupported("tpu_bdc_first_one_bit_index");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_taylor(local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*, int, data_type_t) {
  unsupported("tpu_bdc_fp_taylor");
}
extern "C" __attribute__((weak)) void tpu_bdc_table_lookup(local_addr_t, local_addr_t, local_addr_t,
                                                           const dim4*, int, data_type_t,
                                                           data_type_t) {
  unsupported("tpu_bdc_table_lookup");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_exponent_part(local_addr_t, local_addr_t,
                                                               const dim4*, data_type_t,
                                                               data_type_t) {
  unsupported("tpu_bdc_fp_exponent_part");
}
extern "C" __attribute__((weak)) void tpu_bdc_npu_bcast_from_static(local_addr_t, static_addr_t,
                                                                    int, int, data_type_t) {
  unsupported("tpu_bdc_npu_bcast_from_static");
}
extern "C" __attribute__((weak)) void tpu_bdc_npu_distribute_from_static(local_addr_t,
                                                                         static_addr_t, int,
                                                                         data_type_t) {
  unsupported("tpu_bdc_npu_distribute_from_static");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_sequence_bcast(local_addr_t, int, int, int,
                                                                        int) {
  unsupported("tpu_bdc_arithmetic_sequence_bcast");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_sequence_distribute(local_addr_t, int, int,
                                                                             int) {
  unsupported("tpu_bdc_arithmetic_sequence_distribute");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_sequence_distribute_aligned(local_addr_t,
                                                                                     int, int,
                                                                                     int) {
  unsupported("tpu_bdc_arithmetic_sequence_distribute_aligned");
}
extern "C" __attribute__((weak)) void tpu_bdc_generate_arithmetic_sequence(local_addr_t, int,
                                                                           data_type_t) {
  unsupported("tpu_bdc_generate_arithmetic_sequence");
}
extern "C" __attribute__((weak)) void tpu_bdc_arithmetic_sequence_general(local_addr_t,
                                                                          local_addr_t, int, int,
                                                                          int, int) {
  unsupported("tpu_bdc_arithmetic_sequence_general");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_exp_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_exp_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_exp_table(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_exp_table");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_log_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_log_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_erf_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_erf_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_sin_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_sin_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_cos_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_cos_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_tan_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_tan_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp32_arcsin_coeff(local_addr_t) {
  unsupported("tpu_bdc_load_fp32_arcsin_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_w_gather(local_addr_t, local_addr_t, local_addr_t,
                                                       const dim4*, int, data_type_t, data_type_t) {
  unsupported("tpu_bdc_w_gather");
}
extern "C" __attribute__((weak)) void tpu_bdc_w_gather_exception(local_addr_t, local_addr_t,
                                                                 local_addr_t, scalar_t,
                                                                 const dim4*, int, data_type_t,
                                                                 data_type_t, bool) {
  unsupported("tpu_bdc_w_gather_exception");
}
extern "C" __attribute__((weak)) void tpu_bdc_w_scatter(local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*, int, data_type_t,
                                                        data_type_t) {
  unsupported("tpu_bdc_w_scatter");
}
extern "C" __attribute__((weak)) void tpu_bdc_hw_gather(local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*, int, int, data_type_t) {
  unsupported("tpu_bdc_hw_gather");
}
extern "C" __attribute__((weak)) void tpu_bdc_hw_gather_exception(local_addr_t, local_addr_t,
                                                                  local_addr_t, scalar_t,
                                                                  const dim4*, int, int,
                                                                  data_type_t, bool) {
  unsupported("tpu_bdc_hw_gather_exception");
}
extern "C" __attribute__((weak)) void tpu_bdc_hw_scatter(local_addr_t, local_addr_t, local_addr_t,
                                                         const dim4*, int, int, data_type_t) {
  unsupported("tpu_bdc_hw_scatter");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_w_gather(local_addr_t, local_addr_t,
                                                                   local_addr_t, const dim4*, int,
                                                                   data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_batch_bcast_w_gather");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_w_gather_exception(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, int, data_type_t, data_type_t,
    bool, bool) {
  unsupported("tpu_bdc_batch_bcast_w_gather_exception");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_w_scatter(local_addr_t, local_addr_t,
                                                                    local_addr_t, const dim4*, int,
                                                                    data_type_t, data_type_t,
                                                                    bool) {
  unsupported("tpu_bdc_batch_bcast_w_scatter");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_w_mask_select(local_addr_t, local_addr_t,
                                                                        local_addr_t, local_addr_t,
                                                                        const dim4*, data_type_t,
                                                                        data_type_t, bool) {
  unsupported("tpu_bdc_batch_bcast_w_mask_select");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_h_gather(local_addr_t, local_addr_t,
                                                                   local_addr_t, const dim4*, int,
                                                                   data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_batch_bcast_h_gather");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_h_gather_exception(
    local_addr_t, local_addr_t, local_addr_t, scalar_t, const dim4*, int, data_type_t, data_type_t,
    bool, bool) {
  unsupported("tpu_bdc_batch_bcast_h_gather_exception");
}
extern "C" __attribute__((weak)) void tpu_bdc_batch_bcast_h_scatter(local_addr_t, local_addr_t,
                                                                    local_addr_t, const dim4*, int,
                                                                    data_type_t, data_type_t,
                                                                    bool) {
  unsupported("tpu_bdc_batch_bcast_h_scatter");
}
extern "C" __attribute__((weak)) void tpu_bdc_4bank_w_gather(local_addr_t, local_addr_t,
                                                             local_addr_t, const dim4*, int,
                                                             data_type_t, data_type_t, bool) {
  unsupported("tpu_bdc_4bank_w_gather");
}
extern "C" __attribute__((weak)) void tpu_bdc_4bank_w_gather_exception(local_addr_t, local_addr_t,
                                                                       local_addr_t, scalar_t,
                                                                       const dim4*, int,
                                                                       data_type_t, data_type_t,
                                                                       bool, bool) {
  unsupported("tpu_bdc_4bank_w_gather_exception");
}
extern "C" __attribute__((weak)) void tpu_bdc_relu(local_addr_t, local_addr_t, const dim4*,
                                                   const dim4*, const dim4*, data_type_t) {
  unsupported("tpu_bdc_relu");
}
extern "C" __attribute__((weak)) void tpu_bdc_prelu(local_addr_t, local_addr_t, scalar_t,
                                                    const dim4*, data_type_t) {
  unsupported("tpu_bdc_prelu");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_elu(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, local_addr_t,
                                                       float, const dim4*) {
  unsupported("tpu_bdc_fp32_elu");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_sigmoid(local_addr_t, local_addr_t, local_addr_t,
                                                           local_addr_t, local_addr_t, local_addr_t,
                                                           const dim4*) {
  unsupported("tpu_bdc_fp32_sigmoid");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_hsigmoid(local_addr_t, local_addr_t, local_addr_t,
                                                          const dim4*, float, float, data_type_t) {
  unsupported("tpu_bdc_fp_hsigmoid");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_hswish(local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_hswish");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_isfinite(local_addr_t, local_addr_t, local_addr_t,
                                                          const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_isfinite");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_sinh(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_sinh");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_cosh(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_cosh");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_tanh(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_tanh");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_softplus(local_addr_t, local_addr_t,
                                                            local_addr_t, local_addr_t,
                                                            local_addr_t, local_addr_t,
                                                            local_addr_t, const dim4*, float) {
  unsupported("tpu_bdc_fp32_softplus");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_softsign(local_addr_t, local_addr_t,
                                                            const dim4*) {
  unsupported("tpu_bdc_fp32_softsign");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_erf(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_erf");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_erfc(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_erfc");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_gelu(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_gelu");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_gelu_fast(local_addr_t, local_addr_t,
                                                             local_addr_t, local_addr_t,
                                                             local_addr_t, local_addr_t,
                                                             const dim4*) {
  unsupported("tpu_bdc_fp32_gelu_fast");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_mish(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_mish");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_swish(local_addr_t, local_addr_t, local_addr_t,
                                                         local_addr_t, local_addr_t, local_addr_t,
                                                         float, const dim4*) {
  unsupported("tpu_bdc_fp32_swish");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_silu(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_silu");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_selu(local_addr_t, local_addr_t, local_addr_t,
                                                        local_addr_t, local_addr_t, local_addr_t,
                                                        const dim4*) {
  unsupported("tpu_bdc_fp32_selu");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp32_log_sigmoid(local_addr_t, local_addr_t,
                                                               local_addr_t, local_addr_t,
                                                               local_addr_t, local_addr_t,
                                                               local_addr_t, const dim4*) {
  unsupported("tpu_bdc_fp32_log_sigmoid");
}
extern "C" __attribute__((weak)) void tpu_hau_sort(system_addr_t, system_addr_t, int, int, bool,
                                                   data_type_t) {
  unsupported("tpu_hau_sort");
}
extern "C" __attribute__((weak)) void tpu_hau_sort_natural_index(system_addr_t, system_addr_t,
                                                                 system_addr_t, int, int, bool,
                                                                 data_type_t) {
  unsupported("tpu_hau_sort_natural_index");
}
extern "C" __attribute__((weak)) void tpu_hau_sort_specific_index(system_addr_t, system_addr_t,
                                                                  system_addr_t, system_addr_t, int,
                                                                  int, bool, data_type_t) {
  unsupported("tpu_hau_sort_specific_index");
}
extern "C" __attribute__((weak)) void tpu_hau_sort_general(system_addr_t, system_addr_t,
                                                           system_addr_t, system_addr_t, int, int,
                                                           int, int, int, int) {
  unsupported("tpu_hau_sort_general");
}
extern "C" __attribute__((weak)) void tpu_hau_hard_nms(system_addr_t, system_addr_t, int, int) {
  unsupported("tpu_hau_hard_nms");
}
extern "C" __attribute__((weak)) void tpu_hau_soft_nms(system_addr_t, system_addr_t, system_addr_t,
                                                       float, int, int) {
  unsupported("tpu_hau_soft_nms");
}
extern "C" __attribute__((weak)) void tpu_hau_line_gather(system_addr_t, system_addr_t,
                                                          system_addr_t, scalar_t, int, int, int,
                                                          int, int, data_type_t, bool) {
  unsupported("tpu_hau_line_gather");
}
extern "C" __attribute__((weak)) void tpu_invalidate_cache(system_addr_t, unsigned long long) {
  unsupported("tpu_invalidate_cache");
}
extern "C" __attribute__((weak)) void tpu_flush_cache(system_addr_t, unsigned long long) {
  unsupported("tpu_flush_cache");
}
extern "C" __attribute__((weak)) int tpu_cache_line_size() {
  unsupported("tpu_cache_line_size");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_kernel_memcpy(void*, const void*, size_t) {
  unsupported("tpu_kernel_memcpy");
  return {};
}
extern "C" __attribute__((weak)) void* tpu_kernel_memset(void*, int, size_t) {
  unsupported("tpu_kernel_memset");
  return {};
}
extern "C" __attribute__((weak)) void tpu_print_local_mem_data(local_addr_t, int, const dim4*,
                                                               const dim4*, data_type_t) {
  unsupported("tpu_print_local_mem_data");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp_exp_coeff(local_addr_t, data_type_t) {
  unsupported("tpu_bdc_load_fp_exp_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp_erf_coeff(local_addr_t, data_type_t) {
  unsupported("tpu_bdc_load_fp_erf_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_load_fp_log_coeff(local_addr_t, data_type_t) {
  unsupported("tpu_bdc_load_fp_log_coeff");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_exp(local_addr_t, local_addr_t, local_addr_t,
                                                     local_addr_t, local_addr_t, const dim4*,
                                                     data_type_t) {
  unsupported("tpu_bdc_fp_exp");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_expm1(local_addr_t, local_addr_t, local_addr_t,
                                                       local_addr_t, local_addr_t, const dim4*,
                                                       data_type_t) {
  unsupported("tpu_bdc_fp_expm1");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_erf(local_addr_t, local_addr_t, local_addr_t,
                                                     local_addr_t, local_addr_t, local_addr_t,
                                                     local_addr_t, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_erf");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_erfc(local_addr_t, local_addr_t, local_addr_t,
                                                      local_addr_t, local_addr_t, local_addr_t,
                                                      local_addr_t, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_erfc");
}
extern "C" __attribute__((weak)) void tpu_bdc_fp_log(local_addr_t, local_addr_t, local_addr_t,
                                                     local_addr_t, const dim4*, data_type_t) {
  unsupported("tpu_bdc_fp_log");
}
extern "C" __attribute__((weak)) void tpu_gdma_system_set(system_addr_t, scalar_t, unsigned int,
                                                          data_type_t) {
  unsupported("tpu_gdma_system_set");
}
extern "C" __attribute__((weak)) void tpu_gdma_cpy_reduce_L12L2(system_addr_t, local_addr_t,
                                                                const dim4*, const dim4*,
                                                                const dim4*, data_type_t, int,
                                                                int) {
  unsupported("tpu_gdma_cpy_reduce_L12L2");
}
extern "C" __attribute__((weak)) void tpu_poll_descriptor() { unsupported("tpu_poll_descriptor"); }
extern "C" __attribute__((weak)) int tpu_workitem_num() {
  unsupported("tpu_workitem_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_workitem_index() {
  unsupported("tpu_workitem_index");
  return {};
}
extern "C" __attribute__((weak)) int tpu_group_num() {
  unsupported("tpu_group_num");
  return {};
}
extern "C" __attribute__((weak)) int tpu_group_index() {
  unsupported("tpu_group_index");
  return {};
}
