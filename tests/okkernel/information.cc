// The functions that issue no command: sizes, addresses and strides. Every function that takes
// tensors has a test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "okkernel/suite.h"

namespace tputwin::okktest {
namespace {

TEST(Information, SizesAndAddressesAreThoseOfTheReferenceModel) {
  EXPECT_EQ(okk_npu_num(), 64);
  EXPECT_EQ(okk_eu_num(), 32u);
  EXPECT_EQ(okk_local_mem_size_per_npu(), 524288u);
  EXPECT_EQ(okk_local_mem_bank_per_npu(), 8u);
  EXPECT_EQ(okk_l2_sram_size(), 2482176u);
  EXPECT_EQ(okk_dtcm_size(), 390144u);
  EXPECT_EQ(okk_lookup_table_size(), 902144u);
  EXPECT_EQ(okk_global_mem_start_addr(), 0x100000000u);
  EXPECT_EQ(okk_local_mem_start_addr(), 0x8000000u);
  EXPECT_EQ(okk_l2_sram_start_addr(), 0x100a2000u);
  EXPECT_EQ(okk_dtcm_start_addr(), 0x2020000u);
  EXPECT_EQ(okk_lookup_table_start_addr(), 0x323c00u);
}

struct Strides {
  void (*function)(dim4*, int, const dim4*);
  int start;
  dim4 expected;
};

TEST(Information, StridesOfLocalLayouts) {
  const dim4 shape{3, 70, 5, 7};
  for (const Strides& s : {Strides{okk_128_byte_aligned_stride_for_32bit, 0, {128, 64, 7, 1}},
                           Strides{okk_128_byte_aligned_stride_for_32bit, 60, {192, 64, 7, 1}},
                           Strides{okk_128_byte_aligned_stride_for_16bit, 0, {128, 64, 7, 1}},
                           Strides{okk_128_byte_aligned_stride_for_8bit, 0, {256, 128, 7, 1}},
                           Strides{okk_compact_stride, 5, {70, 35, 7, 1}},
                           Strides{okk_compact_stride, 60, {105, 35, 7, 1}}}) {
    dim4 stride{-1, -1, -1, -1};
    s.function(&stride, s.start, &shape);
    EXPECT_EQ(stride.n, s.expected.n);
    EXPECT_EQ(stride.c, s.expected.c);
    EXPECT_EQ(stride.h, s.expected.h);
    EXPECT_EQ(stride.w, s.expected.w);
  }
}

TEST(Information, StridesOfSystemMemory) {
  const dim4 shape{3, 70, 5, 7};
  dim4 stride{};
  okk_continuous_stride(&stride, &shape);
  EXPECT_EQ(stride.n, 70 * 35);
  EXPECT_EQ(stride.c, 35);
  EXPECT_EQ(stride.h, 7);
  EXPECT_EQ(stride.w, 1);
}

TEST(Information, PositionsOfChannels) {
  EXPECT_EQ(okk_start_npu_index(0), 0);
  EXPECT_EQ(okk_start_npu_index(524287), 0);
  EXPECT_EQ(okk_start_npu_index(63 * 524288 + 128), 63);
  EXPECT_EQ(okk_channle_num_per_npu(0, 64), 1);
  EXPECT_EQ(okk_channle_num_per_npu(1, 64), 2);
  EXPECT_EQ(okk_channle_num_per_npu(63, 66), 3);
}

TEST(Completeness, EveryFunctionOnTensorsIsTested) {
  std::set<std::string> tested{"okk_bdc_conv2d",           "okk_bdc_depthwise2d",
                               "okk_bdc_avg_pool2d",       "okk_bdc_max_pool2d",
                               "okk_bdc_matmul",           "okk_gdma_32bit_matrix_S2L",
                               "okk_gdma_32bit_matrix_L2S"};
  for (const Row& row : rows()) tested.insert(row.function);
  std::ifstream file(std::filesystem::path(TPUTWIN_SOURCE_DIR) / "include/okk.h");
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  static const std::regex declaration(R"(\nvoid (okk_(bdc|gdma)_\w+)\()");
  size_t count = 0;
  for (std::sregex_iterator match(header.begin(), header.end(), declaration), end; match != end;
       ++match, count++)
    EXPECT_TRUE(tested.contains((*match)[1])) << (*match)[1];
  EXPECT_EQ(count, tested.size());
}

}  // namespace
}  // namespace tputwin::okktest
