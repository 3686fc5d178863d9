// Rules of the movement, bitwise and fixed point functions.
#include "base/errors/okkernel.h"
#include "errors/kernel.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

constexpr system_addr_t kGlobal = 0x1'0000'0000;
constexpr local_addr_t kSource = 1024, kOther = 4096;
const dim4 shape{1, 2, 3, 4};

TW_TRIGGER(okk_matrix_extent,
           [] { return in_kernel([] { okk_gdma_32bit_matrix_S2L(0, kGlobal, 0, 4, 4, 4); }); });
TW_TRIGGER(okk_matrix_columns,
           [] { return in_kernel([] { okk_gdma_32bit_matrix_S2L(0, kGlobal, 2, 4, 5, 4); }); });
TW_TRIGGER(okk_matrix_row_stride,
           [] { return in_kernel([] { okk_gdma_32bit_matrix_S2L(0, kGlobal, 2, 4, 4, 3); }); });
TW_TRIGGER(okk_dma_w_stride, [] {
  return in_kernel([] {
    const dim4 stride{24, 24, 8, 2};
    okk_gdma_32bit_cpy_S2L(0, kGlobal, &shape, nullptr, &stride);
  });
});
TW_TRIGGER(okk_dma_alignment, [] {
  return in_kernel([] { okk_gdma_32bit_cpy_S2L(0, kGlobal + 2, &shape, nullptr, nullptr); });
});
TW_TRIGGER(okk_overlap, [] {
  return in_kernel([] {
    const dim4 wide{1, 2, 3, 64};  // the work buffer begins inside dst
    okk_bdc_exp(0, kOther, 128, &wide);
  });
});
TW_TRIGGER(okk_shift_32, [] {
  return in_kernel([] { okk_bdc_32bit_logical_shift_C(0, kSource, 33, &shape, nullptr, nullptr); });
});

// add of two tensors, or of a tensor and a constant
void add(op_type_t op_type, int rshift) {
  okk_bdc_fixed_point_packed_add(0, kSource, kOther, &shape, nullptr, nullptr, nullptr, op_type,
                                 rshift);
}
void mac(int lshift) {
  okk_bdc_fixed_point_packed_mac(0, kSource, kOther, &shape, nullptr, nullptr, nullptr, true,
                                 S8_OP_S8_TO_S16, lshift, 0);
}
void multiply_wide(mul_type_t mul_type) {
  okk_bdc_fixed_point_packed_16bit_mul_8bit(0, kSource, kOther, kOther + 4096, &shape, nullptr,
                                            nullptr, nullptr, nullptr, mul_type, 0);
}

TW_TRIGGER(okk_op_type, [] { return in_kernel([] { add(static_cast<op_type_t>(32), 0); }); });
TW_TRIGGER(okk_op_type_width, [] {
  return in_kernel([] {
    okk_bdc_fixed_point_packed_mul(0, kSource, kOther, &shape, nullptr, nullptr, nullptr,
                                   S16_OP_S16_TO_S16, 0);
  });
});
TW_TRIGGER(okk_op_type_valid, [] { return in_kernel([] { add(U8_OP_U8_TO_S8, 0); }); });
TW_TRIGGER(okk_constant, [] {
  return in_kernel([] {
    okk_bdc_fixed_point_packed_add_C(0, kSource, 128, &shape, nullptr, nullptr, S8_OP_S8_TO_S8, 0);
  });
});
TW_TRIGGER(okk_rshift, [] { return in_kernel([] { add(S8_OP_S8_TO_S8, 32); }); });
TW_TRIGGER(okk_lshift, [] { return in_kernel([] { mac(15); }); });
TW_TRIGGER(okk_lshift_width, [] { return in_kernel([] { mac(-1); }); });
TW_TRIGGER(okk_shift_16, [] {
  return in_kernel([] {
    okk_bdc_fixed_point_packed_16bit_logical_shift_C(0, kSource, 17, &shape, nullptr, nullptr);
  });
});
TW_TRIGGER(okk_mul_type,
           [] { return in_kernel([] { multiply_wide(static_cast<mul_type_t>(8)); }); });
TW_TRIGGER(okk_mul_type_valid, [] { return in_kernel([] { multiply_wide(S16_MUL_U8_TO_S16); }); });
TW_TRIGGER(okk_split_work, [] {
  return in_kernel([] {
    okk_bdc_fixed_point_packed_16bit_split_low_8bit(0, kSource, 0, &shape, nullptr, nullptr,
                                                    nullptr);
  });
});

}  // namespace
}  // namespace tputwin::testing
