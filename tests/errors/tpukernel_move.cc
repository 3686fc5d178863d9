// TW-TPU: rules of data movement.
#include "base/errors/tpukernel.h"
#include "errors/tpu_kernel.h"

namespace tputwin::testing {
namespace {

// Tensors in different banks.
constexpr local_addr_t kMoved = 0, kParam = 0x8000, kIndex = 0x10000, kNpu = 256 * 1024;
constexpr system_addr_t kGlobal = 0x1'0000'0000, kResult = kGlobal + 0x1000,
                        kSystemIndex = kGlobal + 0x2000;
constexpr dim4 kRow{1, 4, 1, 8};

TW_TRIGGER(tpu_system_address, [] {
  return in_tpu_kernel(
      [] { tpu_gdma_cpy_S2L(kMoved, 0x1000, &kTpuShape, nullptr, nullptr, DT_FP32); });
});

TW_TRIGGER(tpu_banks, [] {
  return in_tpu_kernel([] { tpu_bdc_cw_trans(kMoved, kMoved + 1024, &kTpuShape, DT_FP32); });
});

TW_TRIGGER(tpu_lanes, [] {
  return in_tpu_kernel([] { tpu_bdc_npu_bcast(62 * kNpu, kParam, &kTpuShape, DT_FP32); });
});

TW_TRIGGER(tpu_w_stride, [] {
  return in_tpu_kernel([] {
    const dim4 stride{0, 528, 264, 33};
    tpu_gdma_cpy_S2L(kMoved, kGlobal, &kTpuShape, nullptr, &stride, DT_FP32);
  });
});

TW_TRIGGER(tpu_w_stride_1, [] {
  return in_tpu_kernel([] {
    const dim4 stride{0, 32, 16, 2};
    tpu_gdma_cpy_cw_trans_S2L(kMoved, kGlobal, &kTpuShape, &stride, nullptr, DT_FP32);
  });
});

TW_TRIGGER(tpu_value, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_w_gather(kMoved, kParam, kIndex, &kTpuShape, 8, DT_FP32, DT_UINT8); });
});

TW_TRIGGER(tpu_lookup_plane, [] {
  return in_tpu_kernel([] {
    const dim4 shape{1, 1, 256, 256};
    tpu_bdc_table_lookup(kMoved, 0x20000, 0x3c000, &shape, 256, DT_UINT8, DT_UINT8);
  });
});

// Index 9 is outside a table of two elements.
TW_TRIGGER(tpu_lookup_index, [] {
  return in_tpu_kernel([] {
    tpu_bdc_set_C(kIndex, {.u8 = 9}, &kTpuShape, nullptr, DT_UINT8);
    tpu_bdc_table_lookup(kMoved, kIndex, kParam, &kTpuShape, 2, DT_FP32, DT_UINT8);
  });
});

TW_TRIGGER(tpu_sequence_npu_num, [] {
  return in_tpu_kernel([] { tpu_bdc_arithmetic_sequence_bcast(kMoved, 65, 0, 1, 8); });
});

TW_TRIGGER(tpu_gather_index, [] {
  return in_tpu_kernel([] {
    tpu_bdc_set_C(kIndex, {.u8 = 9}, &kRow, nullptr, DT_UINT8);
    tpu_bdc_batch_bcast_w_gather(kMoved, kParam, kIndex, &kRow, 8, DT_FP32, DT_UINT8, false);
  });
});

TW_TRIGGER(tpu_gather_batch, [] {
  return in_tpu_kernel([] {
    const dim4 shape{2, 4, 2, 8};
    tpu_gdma_h_gather_S2S(kResult, kGlobal, kSystemIndex, false, {.u32 = 0}, &shape, 2, nullptr,
                          nullptr, nullptr, DT_FP32);
  });
});

TW_TRIGGER(tpu_element_count, [] {
  return in_tpu_kernel([] {
    tpu_gdma_general_cpy_S2L(kMoved, kGlobal, &kTpuShape, &kRow, nullptr, nullptr, DT_FP32);
  });
});

TW_TRIGGER(tpu_matrix_row_stride, [] {
  return in_tpu_kernel([] { tpu_gdma_matrix_S2L(kMoved, kGlobal, 4, 8, 8, 7, DT_FP32); });
});

TW_TRIGGER(tpu_matrix_wide_channel, [] {
  return in_tpu_kernel([] { tpu_gdma_matrix_S2L(kMoved, kGlobal, 4, 8, 9, 8, DT_FP32); });
});

TW_TRIGGER(tpu_sort_k, [] {
  return in_tpu_kernel([] { tpu_hau_sort(kResult, kGlobal, 8, 9, false, DT_FP32); });
});

TW_TRIGGER(tpu_static_range, [] {
  return in_tpu_kernel([] { tpu_bdc_npu_bcast_from_static(kMoved, 0x900, 64, 32, DT_FP32); });
});

}  // namespace
}  // namespace tputwin::testing
