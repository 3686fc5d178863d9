// The selection of instruction sets, and of tputwin's or oneDNN's convolution.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "machine/device.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {
namespace {

TEST(InstructionSet, IsChosenByName) {
  for (const std::string& isa : available_isas()) {
    EXPECT_TRUE(select_isa(isa));
    EXPECT_EQ(selected_isa(), isa);
  }
  EXPECT_FALSE(select_isa("abacus"));
  EXPECT_EQ(selected_isa(), available_isas().back()) << "a wrong name changes nothing";
  EXPECT_TRUE(select_isa(""));
}

TEST(InstructionSet, IsOnThisHostOrMissing) {
  for (const std::string& isa : missing_isas())
    EXPECT_THAT(available_isas(), ::testing::Not(::testing::Contains(isa)));
  EXPECT_EQ(available_isas().front(), "reference");
}

// Instruction sets for byte products, for which Highway has no target, follow the target whose
// other kernels they use. oneDNN's and AMX' sets also use the best vectors.
TEST(InstructionSet, OfByteProductsFollowsItsVectors) {
  const auto names = available_isas();
  const auto has_dot_pass = [](const std::string& isa) {
    return select_isa(isa) && dot_pass_selected();
  };
  std::string best;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "avx2_vnni" || names[i] == "neon_dotprod") {
      EXPECT_EQ(names[i - 1], names[i].substr(0, names[i].find('_')));
      EXPECT_TRUE(has_dot_pass(names[i]));
      EXPECT_TRUE(vectors_enabled());
    } else if (names[i].starts_with("amx") || names[i] == "onednn") {
      EXPECT_EQ(has_dot_pass(names[i]), has_dot_pass(best)) << names[i];
    } else {
      EXPECT_FALSE(has_dot_pass(names[i])) << names[i];
    }
    if (!names[i].starts_with("amx") && names[i] != "onednn") best = names[i];
  }
  EXPECT_TRUE(select_isa(""));
}

TEST(InstructionSet, OfTheEnvironmentIsKnownOrStopsEveryDevice) {
  const char* before = std::getenv("TPUTWIN_ISA");
  const std::string kept = before != nullptr ? before : "";
  for (const std::string& isa : available_isas()) {
    setenv("TPUTWIN_ISA", isa.c_str(), 1);
    EXPECT_TRUE(check_environment().ok());
  }
  setenv("TPUTWIN_ISA", "AVX2 ", 1);
  auto device = Device::create({.chip = &bm1880(), .global_bytes = 4096});
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message(), ::testing::HasSubstr("TPUTWIN_ISA = AVX2 :"));
  for (const std::string& isa : available_isas())
    EXPECT_THAT(device.error().message(), ::testing::HasSubstr(isa));
  setenv("TPUTWIN_ISA", kept.c_str(), 1);
}

}  // namespace
}  // namespace tputwin::fast
