#include <cstdarg>
#include <cstdio>

#include "bmlib/support.h"

extern "C" okk_kernel_func_t okk_get_kernel_func_by_name(const char* name);

namespace tputwin::testing {
namespace {

using Information = Bmlib;

TEST_F(Information, Numbers) {
  EXPECT_EQ(okk_npu_num(), 64);
  EXPECT_EQ(okk_eu_num(), 32u);
  EXPECT_EQ(okk_local_mem_size_per_npu(), 524288u);
  EXPECT_EQ(okk_local_mem_bank_per_npu(), 8u);
  EXPECT_EQ(okk_l2_sram_size(), 2482176u);
  EXPECT_EQ(okk_dtcm_size(), 390144u);
  EXPECT_EQ(okk_lookup_table_size(), 902144u);
  EXPECT_EQ(okk_global_mem_start_addr(), 0x100000000u);
  EXPECT_EQ(okk_local_mem_start_addr(), 0x8000000u);
  EXPECT_EQ(okk_l2_sram_start_addr(), 0x100A2000u);
  EXPECT_EQ(okk_dtcm_start_addr(), 0x2020000u);
  EXPECT_EQ(okk_lookup_table_start_addr(), 0x323C00u);
}

std::vector<int> list(const dim4& d) { return {d.n, d.c, d.h, d.w}; }

// Measured on the reference model for shape (3,70,5,7).
TEST_F(Information, Strides) {
  using ::testing::ElementsAre;
  const dim4 shape = {3, 70, 5, 7};
  dim4 s;
  okk_128_byte_aligned_stride_for_32bit(&s, 0, &shape);
  EXPECT_THAT(list(s), ElementsAre(128, 64, 7, 1));
  okk_128_byte_aligned_stride_for_32bit(&s, 60, &shape);
  EXPECT_THAT(list(s), ElementsAre(192, 64, 7, 1));
  okk_128_byte_aligned_stride_for_16bit(&s, 0, &shape);
  EXPECT_THAT(list(s), ElementsAre(128, 64, 7, 1));
  okk_128_byte_aligned_stride_for_8bit(&s, 0, &shape);
  EXPECT_THAT(list(s), ElementsAre(256, 128, 7, 1));
  okk_compact_stride(&s, 5, &shape);
  EXPECT_THAT(list(s), ElementsAre(70, 35, 7, 1));
  okk_continuous_stride(&s, &shape);
  EXPECT_THAT(list(s), ElementsAre(2450, 35, 7, 1));
  okk_continuous_stride(nullptr, &shape);
  EXPECT_EQ(code(), "TW-OKK-0002");
  okk_compact_stride(&s, 0, nullptr);
  EXPECT_THAT(message(), ::testing::HasSubstr("okk_compact_stride: shape"));
  EXPECT_EQ(okk_start_npu_index(5 * 524288 + 12), 5);
  EXPECT_EQ(okk_channle_num_per_npu(0, 64), 1);
  EXPECT_EQ(okk_channle_num_per_npu(1, 64), 2);
}

TEST_F(Information, IdNodesAreNothing) {
  int node = 5;
  okk_get_id_node(&node);
  okk_set_id_node(&node);
  okk_enable_check_id_node();
  okk_disable_check_id_node();
  EXPECT_EQ(node, 5);
  EXPECT_EQ(tputwin_error_count(), 0u);
}

TEST_F(Information, RegisteredKernelsAreDumped) {
  ::testing::internal::CaptureStdout();
  okk_dump_registered_kernel_funcs();
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), ::testing::StartsWith("asserts\ncalls"));
}

TEST_F(Information, KernelsAreFoundByName) {
  EXPECT_NE(okk_get_kernel_func_by_name("asserts"), nullptr);
  EXPECT_EQ(okk_get_kernel_func_by_name("nobody"), nullptr);
  EXPECT_EQ(okk_get_kernel_func_by_name(nullptr), nullptr);
}

std::string logged;
TEST_F(Information, Log) {
  EXPECT_EQ(bmlib_log_get_level(), BMLIB_LOG_INFO);
  bmlib_log_set_callback([](const char* tag, int level, const char* format, va_list arguments) {
    char text[100];
    std::vsnprintf(text, sizeof text, format, arguments);
    logged = std::string(tag) + " " + std::to_string(level) + " " + text;
  });
  bmlib_log("tag", BMLIB_LOG_ERROR, "%d and %s", 5, "six");
  EXPECT_EQ(logged, "tag 16 5 and six");
  bmlib_log("tag", BMLIB_LOG_DEBUG, "%d", 7);
  EXPECT_EQ(logged, "tag 16 5 and six");
  bmlib_log_set_level(BMLIB_LOG_TRACE);
  bmlib_log("tag", BMLIB_LOG_DEBUG, "%d", 7);
  EXPECT_EQ(logged, "tag 48 7");
  bmlib_log_set_callback(nullptr);
  ::testing::internal::CaptureStdout();
  bmlib_log("tag", BMLIB_LOG_ERROR, "%d\n", 8);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[tag] 8\n");
  bmlib_log_set_level(BMLIB_LOG_INFO);
}

}  // namespace
}  // namespace tputwin::testing
