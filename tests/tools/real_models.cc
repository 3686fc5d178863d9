// The vendor's bmodels, as shipped, through the tools, as users call them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/file.h"
#include "common/real_models.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {
namespace {

using testing::RealCase;

class RealModels : public ::testing::TestWithParam<RealCase> {
 protected:
  // Runs a tool in a separate folder; returns its exit code.
  int run(const std::string& command) const {
    const std::string line = "cd '" + folder_.path().string() + "' && '" TPUTWIN_BIN_DIR "/" +
                             command + " >out.txt 2>err.txt";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  std::string text(const char* name) const {
    auto bytes = read_bytes(folder_.path() / name);
    return bytes.ok() ? std::string(bytes->begin(), bytes->end()) : "";
  }
  testing::TemporaryDirectory folder_;
};

TEST_P(RealModels, RunGivesTheRecordedBytes) {
  const RealCase& c = GetParam();
  EXPECT_EQ(run("tputwin' run '" + c.model + "' --shape " + c.shape + " --input '" + c.input +
                "' --compare '" + c.reference + "'"),
            0)
      << text("out.txt") << text("err.txt");
}

TEST_P(RealModels, TheVendorsToolGivesTheRecordedBytes) {
  const RealCase& c = GetParam();
  const std::string shape = std::regex_replace(c.shape, std::regex(","), " ");
  EXPECT_EQ(run("test_bmnet_bmodel' '" + c.input + "' '" + c.model + "' result.bin " + shape), 0)
      << text("err.txt");
  EXPECT_EQ(*read_bytes(folder_.path() / "result.bin"), *read_bytes(c.reference));
}

// The vendor's script passes a file of a hundred images; the model uses the first one.
TEST_P(RealModels, ALongerInputIsTakenAsFarAsTheModelWants) {
  const RealCase& c = GetParam();
  const std::string shape = std::regex_replace(c.shape, std::regex(","), " ");
  auto input = *read_bytes(c.input);
  input.resize(input.size() + 1000, 0x5a);
  ASSERT_TRUE(write_bytes(folder_.path() / "long.bin", input).ok());
  EXPECT_EQ(run("test_bmnet_bmodel' long.bin '" + c.model + "' result.bin " + shape), 0)
      << text("err.txt");
  EXPECT_EQ(*read_bytes(folder_.path() / "result.bin"), *read_bytes(c.reference));
}

// A model combined from one file keeps everything; its parts can be extracted.
TEST_P(RealModels, CombinedAndExtractedModelsKeepTheirWeights) {
  const RealCase& c = GetParam();
  ASSERT_EQ(run("bm_model.bin' --combine '" + c.model + "' -o again.bmodel"), 0);
  EXPECT_EQ(run("tputwin' run again.bmodel --shape " + c.shape + " --input '" + c.input +
                "' --compare '" + c.reference + "'"),
            0)
      << text("out.txt") << text("err.txt");
  ASSERT_EQ(run("bm_model.bin' --extract '" + c.model + "'"), 0);
  EXPECT_NE(text("out.txt").find("_weight_0.bin"), std::string::npos);
}

TEST(RealModelList, IsThere) {
  TW_NEED_SHARED_DATA(testing::kRealModels);
  EXPECT_EQ(testing::real_cases().size(), 17u);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealModels);
INSTANTIATE_TEST_SUITE_P(Shipped, RealModels, ::testing::ValuesIn(testing::real_cases()),
                         testing::name_of_real_case);

}  // namespace
}  // namespace tputwin::tools
