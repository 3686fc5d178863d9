// bm_atomic.h: programs that include it compile and link. Its atomic functions return an error; the
// functions about the device work.
#include <bm_atomic.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include "okkernel/machine.h"

namespace tputwin::okktest {
namespace {

using ::testing::HasSubstr;

void expect_refused(const std::string& name, const std::function<void()>& call) {
  EXPECT_EQ(Machine::get().run(call), BM_ERR_FAILURE);
  EXPECT_THAT(tputwin_last_error(), HasSubstr("TW-OKK-0019"));
  EXPECT_THAT(tputwin_last_error(), HasSubstr("function = " + name + ":"));
}

template <class Param>
void expect_refused(const std::string& name, void (*function)(const Param*)) {
  expect_refused(name, [&] {
    const Param param{};
    function(&param);
  });
}

TEST(BmAtomic, EveryFunctionReportsThatItDoesNotWork) {
#define EXPECT_REFUSED(function) expect_refused(#function, function)
  EXPECT_REFUSED(bm_atomic_conv);
  EXPECT_REFUSED(bm_atomic_conv_quantized);
  EXPECT_REFUSED(bm_atomic_winograd_quantized);
  EXPECT_REFUSED(bm_atomic_avg_pool);
  EXPECT_REFUSED(bm_atomic_avg_pool_quantized);
  EXPECT_REFUSED(bm_atomic_max_pool);
  EXPECT_REFUSED(bm_atomic_max_pool_quantized);
  EXPECT_REFUSED(bm_atomic_sum_pool);
  EXPECT_REFUSED(bm_atomic_depthwise);
  EXPECT_REFUSED(bm_atomic_depthwise_quantized);
  EXPECT_REFUSED(bm_atomic_matmul);
  EXPECT_REFUSED(bm_atomic_matmul_quantized);
  EXPECT_REFUSED(bm_atomic_tensor_arithmetic);
  EXPECT_REFUSED(bm_atomic_tensor_arithmetic_quantized);
  EXPECT_REFUSED(bm_atomic_table_lookup);
  EXPECT_REFUSED(bm_atomic_md_scalar);
  EXPECT_REFUSED(bm_atomic_md_linear);
  EXPECT_REFUSED(bm_atomic_md_cmp);
  EXPECT_REFUSED(bm_atomic_md_sfu);
  EXPECT_REFUSED(bm_atomic_vec_correlation);
  EXPECT_REFUSED(bm_atomic_sort);
  EXPECT_REFUSED(bm_atomic_gather_data);
  EXPECT_REFUSED(bm_atomic_memcpy_1D);
  EXPECT_REFUSED(bm_atomic_memcpy_2D);
  EXPECT_REFUSED(bm_atomic_memcpy_4D);
  EXPECT_REFUSED(bm_atomic_memset_4D);
  EXPECT_REFUSED(bm_atomic_cwtrans);
  EXPECT_REFUSED(bm_atomic_mask_memcpy_4D);
  EXPECT_REFUSED(bm_local_exp);
  EXPECT_REFUSED(bm_local_act);
#undef EXPECT_REFUSED
  expect_refused("bm_get_mask_memcpy_res_num", [] { EXPECT_EQ(bm_get_mask_memcpy_res_num(), 0u); });
}

TEST(BmAtomic, ReportsTheDevice) {
  EXPECT_EQ(bm_npu_num(), okk_npu_num());
  EXPECT_EQ(bm_eu_num(), okk_eu_num());
  EXPECT_EQ(bm_global_mem_start_addr(), okk_global_mem_start_addr());
  EXPECT_EQ(bm_local_mem_size_per_npu(), okk_local_mem_size_per_npu());
}

}  // namespace
}  // namespace tputwin::okktest
