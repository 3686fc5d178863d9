// TPUTWIN_POISON: memories that no program has written start with a pattern.
#include <gtest/gtest.h>

#include <cstdlib>

#include "machine/device.h"

namespace tputwin {
namespace {

class Poison : public ::testing::TestWithParam<const Chip*> {};

TEST_P(Poison, FillsTheMemoriesOfTheChip) {
  const auto device = std::move(
      Device::create({.chip = GetParam(), .global_bytes = 1 << 20, .poison = true}).value());
  auto filled = [](const uint8_t* data, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i)
      if (data[i] != (i % 2 == 0 ? 0xc5 : 0xff)) return false;
    return true;
  };
  EXPECT_TRUE(filled(device->memories().take_local().image().data(),
                     device->memories().take_local().size()));
  if (GetParam()->l2.bytes != 0) {
    // the BM1684's tables are after the bytes that programs use
    EXPECT_TRUE(filled(device->memories().on_chip(Space::l2).data(), GetParam()->l2.bytes));
  }
  if (GetParam()->dtcm.bytes != 0) {
    EXPECT_TRUE(filled(device->memories().on_chip(Space::dtcm).data(),
                       device->memories().on_chip(Space::dtcm).size()));
  }
  EXPECT_EQ(device->memories().take_global().data()[0], 0);
}
INSTANTIATE_TEST_SUITE_P(Chips, Poison, ::testing::Values(&bm1880(), &bm1684(), &bm1684x()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(PoisonDefault, IsEnabledByTheEnvironment) {
  auto first_byte = [] {
    return *Device::create({.chip = &bm1880(), .global_bytes = 1 << 20})
                .value()
                ->memories()
                .take_local()
                .lane(0);
  };
  setenv("TPUTWIN_POISON", "1", 1);
  EXPECT_EQ(first_byte(), 0xc5);
  setenv("TPUTWIN_POISON", "0", 1);
  EXPECT_EQ(first_byte(), 0);
  unsetenv("TPUTWIN_POISON");
  EXPECT_EQ(first_byte(), 0);
}

}  // namespace
}  // namespace tputwin
