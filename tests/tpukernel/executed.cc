// Calls that the reference model executes although a document forbids them or does not mention
// them: right results, at most a warning.
#include <gtest/gtest.h>

#include <bit>

#include "numerics/float16.h"
#include "numerics/float_mode.h"
#include "tpukernel/own_device.h"

namespace tputwin::tputest {
namespace {

constexpr local_addr_t kOut = 0, kIn = 0x8000, kOther = 0x10000;

class Executed : public ::testing::TestWithParam<KernelChoice> {
 protected:
  std::vector<uint32_t> numbers(size_t count, uint32_t first = 1) {
    std::vector<uint32_t> list;
    for (size_t i = 0; i < count; ++i) list.push_back(first + static_cast<uint32_t>(i));
    return list;
  }
  uint16_t* words(size_t offset = 0) { return reinterpret_cast<uint16_t*>(own_.global(offset)); }

  OwnDevice own_{GetParam()};
};

constexpr int kRows = 5, kCols = 7;

// Rows of system memory that overlap.
TEST_P(Executed, MatricesWithRowsNearerThanTheyAreLong) {
  for (int stride : {0, 1, kCols - 1}) {
    for (int i = 0; i < 64; ++i) words()[i] = static_cast<uint16_t>(1000 + i);
    const dim4 shape{kRows, 3, 1, 3};
    tpu_gdma_matrix_S2L(kOut, kGlobalStart, kRows, kCols, 3, stride, DT_UINT16);
    std::vector<uint32_t> lanes = Lanes(own_, kOut, shape, DT_UINT16).get();
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        ASSERT_EQ(lanes[size_t(r * 9 + c)], 1000u + unsigned(r * stride + c)) << stride;
    tpu_gdma_matrix_trans_S2L(kOut, kGlobalStart, kCols, kRows, 3, std::min(stride, kRows - 1),
                              DT_UINT16);
    lanes = Lanes(own_, kOut, {kRows, 3, 1, 3}, DT_UINT16).get();
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        ASSERT_EQ(lanes[size_t(r * 9 + c)], 1000u + unsigned(c * std::min(stride, kRows - 1) + r));
  }
  EXPECT_EQ(own_.warned("TW-TPU-0207"), 6u);
  EXPECT_EQ(own_.error(), "");
}

// Later rows write over earlier ones.
TEST_P(Executed, MatricesStoredInRowsNearerThanTheyAreLong) {
  for (int stride : {0, 1, kCols - 1}) {
    uint16_t expected[64] = {};
    std::memset(words(), 0, sizeof expected);
    Lanes(own_, kIn, {kRows, 3, 1, 3}, DT_UINT16).put(numbers(kRows * 9));
    tpu_gdma_matrix_L2S(kGlobalStart, kIn, kRows, kCols, 3, stride, DT_UINT16);
    for (int r = 0; r < kRows; ++r)
      for (int c = 0; c < kCols; ++c)
        expected[r * stride + c] = static_cast<uint16_t>(r * 9 + c + 1);
    EXPECT_EQ(std::memcmp(words(), expected, sizeof expected), 0) << stride;
  }
  EXPECT_EQ(own_.warned("TW-TPU-0207"), 3u);
  EXPECT_EQ(own_.error(), "");
}

TEST_P(Executed, AChannelWiderThanTheMatrixHoldsAllOfIt) {
  constexpr int kWide = 40;
  for (int i = 0; i < kRows * kCols; ++i) words()[i] = static_cast<uint16_t>(1000 + i);
  tpu_gdma_matrix_S2L(kIn, kGlobalStart, kRows, kCols, kWide, kCols, DT_UINT16);
  tpu_gdma_matrix_L2S(kGlobalStart + 4096, kIn, kRows, kCols, kWide, kCols, DT_UINT16);
  const std::vector<uint32_t> lanes = Lanes(own_, kIn, {kRows, 1, 1, kWide}, DT_UINT16).get();
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      EXPECT_EQ(lanes[size_t(r * kWide + c)], 1000u + unsigned(r * kCols + c));
      EXPECT_EQ(words(4096)[r * kCols + c], 1000 + r * kCols + c);
    }
  EXPECT_EQ(own_.warned("TW-TPU-0210"), 2u);
  EXPECT_EQ(own_.error(), "");
}

TEST_P(Executed, OperandsInOneBank) {
  const dim4 shape{1, 3, 1, 5}, transposed{1, 5, 1, 3};
  Lanes(own_, kIn, transposed, DT_FP32).put(numbers(15));
  for (auto transpose : {tpu_bdc_cw_trans, tpu_bdc_wc_trans}) {
    transpose(kIn + 1024, kIn, &shape, DT_FP32);
    const std::vector<uint32_t> out = Lanes(own_, kIn + 1024, shape, DT_FP32).get();
    for (unsigned c = 0; c < 3; ++c)
      for (unsigned w = 0; w < 5; ++w) EXPECT_EQ(out[c * 5 + w], 1 + w * 3 + c);
  }
  // each index of a gather is in a channel of its own
  const dim4 index{1, 5, 1, 1};
  Lanes(own_, kIn + 2048, index, DT_UINT8).put({2, 0, 1, 2, 1});
  Lanes(own_, kIn, {1, 3, 1, 3}, DT_FP32).put(numbers(9));
  tpu_bdc_w_gather(kIn + 1024, kIn, kIn + 2048, &shape, 3, DT_FP32, DT_UINT8);
  const std::vector<uint32_t> picked = Lanes(own_, kIn + 1024, shape, DT_FP32).get();
  const unsigned at[] = {2, 0, 1, 2, 1};
  for (unsigned c = 0; c < 3; ++c)
    for (unsigned w = 0; w < 5; ++w) EXPECT_EQ(picked[c * 5 + w], 1 + c * 3 + at[w]);
  // 2 x 2 by 2 x 2, fp16: rows in channels
  const dim4 square{1, 2, 1, 2};
  Lanes(own_, kIn, square, DT_FP16).put({0x3c00, 0x4000, 0x4200, 0x4400});       // 1 2, 3 4
  Lanes(own_, kIn + 64, square, DT_FP16).put({0x4500, 0x4600, 0x4700, 0x4800});  // 5 6, 7 8
  tpu_bdc_fp_mm(kIn + 128, kIn, kIn + 64, 2, 2, 2, DT_FP32, DT_FP16, false);
  const std::vector<uint32_t> product = Lanes(own_, kIn + 128, square, DT_FP32).get();
  const float expected[] = {19, 22, 43, 50};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(std::bit_cast<float>(product[i]), expected[i]);
  EXPECT_EQ(own_.warned("TW-TPU-0019"), 4u);
  EXPECT_EQ(own_.error(), "");
}

TEST_P(Executed, NonzeroOfSeveralBatchesIsThatOfAFlatTensor) {
  const dim4 shape{3, 2, 1, 5};
  std::vector<uint32_t> expected;
  for (unsigned i = 0; i < 30; ++i) {
    words()[i] = i % 3 == 1 ? static_cast<uint16_t>(i) : 0;
    if (i % 3 == 1) expected.push_back(100 + i);
  }
  tpu_gdma_nonzero_S2S(kGlobalStart + 4096, kGlobalStart, &shape, DT_INT16, 100);
  EXPECT_EQ(tpu_gdma_get_filter_num(), expected.size());
  EXPECT_EQ(std::memcmp(own_.global(4096), expected.data(), expected.size() * 4), 0);
  EXPECT_EQ(own_.error(), "");
}

// The constant is in the field of the address.
TEST_P(Executed, ADepthwiseDeconvolutionWithAConstantKernel) {
  const dim4 in{2, 66, 3, 4}, out{2, 66, 6, 7};
  const dim2 kernel{2, 2}, insert{1, 1}, dilation{1, 1};
  const padding_t padding{1, 1, 0, 1};
  const std::pair<data_type_t, uint32_t> cases[] = {
      {DT_FP32, 0xbfa0'0000}, {DT_FP16, 0x4300}, {DT_BFP16, 0x3fc0}};
  for (const auto& [type, weight] : cases) {
    std::vector<uint32_t> x;
    for (unsigned i = 0; i < 2 * 66 * 12; ++i)
      x.push_back(type == DT_FP32 ? 0x3f80'0000 + i * 0x1234 : 0x3c00 + i % 1000);
    Lanes(own_, kIn, in, type).put(x);
    // compact: 4 elements a channel
    for (int c = 0; c < 66; ++c)
      for (int i = 0; i < 4; ++i)
        std::memcpy(own_.device().memories().take_local().lane(static_cast<uint32_t>(c % kNpus)) +
                        kOther + (c / kNpus * 4 + i) * bytes_of(type),
                    &weight, bytes_of(type));
    tpu_bdc_fp_depthwise_for_deconv2d(kOut, kIn, kOther, 0, &in, &kernel, &insert, &padding,
                                      &dilation, type, type, false, false);
    const std::vector<uint32_t> plain = Lanes(own_, kOut, out, type).get();
    Lanes(own_, kOut, out, type).put({0});
    tpu_bdc_fp_depthwise_for_deconv2d(kOut, kIn, weight, 0, &in, &kernel, &insert, &padding,
                                      &dilation, type, type, true, false);
    EXPECT_EQ((Lanes(own_, kOut, out, type).get()), plain) << type;
    EXPECT_NE(plain[10], 0u);
  }
  EXPECT_EQ(own_.error(), "");
}

TEST_P(Executed, CoefficientsOf16Bits) {
  struct {
    void (*load)(local_addr_t, data_type_t);
    int count;
  } tables[] = {{tpu_bdc_load_fp_exp_coeff, 32},
                {tpu_bdc_load_fp_log_coeff, 32},
                {tpu_bdc_load_fp_erf_coeff, 10}};
  for (const auto& table : tables) {
    const dim4 shape{1, kNpus, 1, table.count};
    table.load(kIn, DT_FP32);
    table.load(kOut, DT_FP16);
    table.load(kOther, DT_BFP16);
    const std::vector<uint32_t> wide = Lanes(own_, kIn, shape, DT_FP32).get();
    const std::vector<uint32_t> half = Lanes(own_, kOut, shape, DT_FP16).get();
    const std::vector<uint32_t> brain = Lanes(own_, kOther, shape, DT_BFP16).get();
    const ScopedFloatMode mode;
    for (size_t i = 0; i < wide.size(); ++i) {
      EXPECT_EQ(half[i], f16::from_f32(f32::from_bits(wide[i]))) << i;
      EXPECT_EQ(brain[i], bf16::from_f32(f32::from_bits(wide[i]))) << i;
    }
  }
  EXPECT_EQ(own_.error(), "");
}

TEST_P(Executed, NarrowingInPlaceIsRightAndWideningIsRefused) {
  const dim4 shape{2, 66, 3, 7};
  std::vector<uint32_t> x;
  for (unsigned i = 0; i < 2 * 66 * 21; ++i) x.push_back(0x3f80'0000 + (i << 13));
  Lanes(own_, kIn, shape, DT_FP32).put(x);
  tpu_bdc_cast(kIn, kIn, &shape, nullptr, nullptr, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  const std::vector<uint32_t> out = Lanes(own_, kIn, shape, DT_FP16).get();
  const ScopedFloatMode mode;
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], f16::from_f32(f32::from_bits(x[i]))) << i;
  EXPECT_EQ(own_.error(), "");
  tpu_bdc_cast(kIn, kIn, &shape, nullptr, nullptr, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  EXPECT_NE(own_.error().find("TW-TPU-0106"), std::string::npos) << own_.error();
}

// Repeats a row in place, copies an NPU's channel to all others, and moves rows down.
TEST_P(Executed, CopiesOntoWhatTheyReadAreRight) {
  const dim4 shape{2, 9, 4, 5}, first{2, 1, 4, 5}, one_row{32, 32, 0, 1};
  Lanes(own_, kIn, shape, DT_FP32).put(numbers(2 * 9 * 20));
  tpu_bdc_cpy(kIn, kIn, &shape, nullptr, &one_row, DT_FP32);
  std::vector<uint32_t> out = Lanes(own_, kIn, shape, DT_FP32).get();
  for (unsigned i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 1 + i / 20 * 20 + i % 5) << i;
  Lanes(own_, kIn, first, DT_FP32).put(numbers(40));
  tpu_gdma_channel_bcast_L2L(kIn, kIn, &shape, nullptr, nullptr, DT_FP32);
  out = Lanes(own_, kIn, shape, DT_FP32).get();
  for (unsigned i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 1 + i / 180 * 20 + i % 20) << i;
  const dim4 row{1, 1, 1, 100};
  for (int i = 0; i < 200; ++i) words()[i] = static_cast<uint16_t>(i);
  tpu_gdma_cpy_S2S(kGlobalStart, kGlobalStart + 20, &row, nullptr, nullptr, DT_UINT16);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(words()[i], i + 10);
  EXPECT_EQ(own_.warned("TW-TPU-0018"), 0u);
  EXPECT_EQ(own_.error(), "");
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, Executed,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return info.param == KernelChoice::reference ? "reference" : "fast";
                         });

}  // namespace
}  // namespace tputwin::tputest
