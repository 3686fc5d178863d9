// The constants in the BM1684's L2-SRAM, at the offsets and with the bits of the description.
#include "numerics/l2_tables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "numerics/float32.h"

namespace tputwin {
namespace {

class L2Tables : public ::testing::Test {
 protected:
  L2Tables() : bytes_(1 << 20) { fill_l2_tables(bytes_.data()); }

  uint32_t word(uint32_t offset, uint32_t index) const {
    uint32_t value;
    std::memcpy(&value, &bytes_[offset - kL2Tables + 4 * index], sizeof value);
    return value;
  }
  std::vector<uint8_t> bytes_;
};

TEST_F(L2Tables, PowersReachFromTheirFirstToTheirLast) {
  const auto at = [](int power) { return static_cast<uint8_t>(power); };
  EXPECT_EQ(word(kL2Tables, at(88)), f32::bits(88.0f));
  EXPECT_EQ(word(kL2Tables, at(89)), 0u);
  EXPECT_EQ(word(kL2Tables, at(-103)), f32::bits(-103.0f));
  EXPECT_EQ(word(kL2Tables, at(-104)), 0u);
  EXPECT_EQ(word(kL2Exp, 0), f32::bits(1.0f));
  EXPECT_EQ(word(kL2Exp, at(-103)), 1u) << "subnormals are kept";
  EXPECT_EQ(word(kL2Int8, at(-128)), f32::bits(-128.0f));
}

TEST_F(L2Tables, CoefficientsOfSeries) {
  EXPECT_EQ(word(kL2ExpCoefficients, 0), f32::bits(1.0f));
  EXPECT_EQ(word(kL2ExpCoefficients, 1), f32::bits(0.5f));
  EXPECT_EQ(word(kL2ExpCoefficients, 2), f32::bits(0.5f / 3.0f));
  EXPECT_EQ(word(0x30'0d00, 1), f32::bits(-0.5f));
  EXPECT_EQ(word(0x30'0e00, 2), f32::bits(0.5f / 3.0f));
  EXPECT_EQ(word(0x30'0e00, 57), 0u);
  EXPECT_EQ(word(0x30'0e00, 58), 0xffc0'0000u) << "both products are infinite";
  EXPECT_EQ(word(0x30'1700, 2), f32::bits(-0.5f / 3.0f));
  EXPECT_EQ(word(0x30'1700, 62), 0x8000'0000u);
}

TEST_F(L2Tables, BytesOfNumbers) {
  constexpr uint32_t kLow = 0x30'3800, kHigh = 0x31'3800;
  EXPECT_EQ(bytes_[kLow - kL2Tables + 0x1234], 0x34);
  EXPECT_EQ(bytes_[kHigh - kL2Tables + 0x1234], 0x12);
  EXPECT_EQ(word(0x30'1800, 2047), f32::bits(2047.0f));
}

}  // namespace
}  // namespace tputwin
