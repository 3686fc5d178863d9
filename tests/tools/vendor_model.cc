// A model of the vendor's own compiler, through the tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "bmodel/bmodel.h"
#include "isa/bm1880_codec.h"
#include "tools/disasm.h"
#include "tools/info.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

class VendorModel : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = std::string(TPUTWIN_SHARED_DATA) + "/bm1880-det1/";
    if (!std::filesystem::exists(folder)) {
      if (std::getenv("CI")) FAIL() << folder << " is missing";
      GTEST_SKIP() << folder << " is missing";
    }
    model_ = folder + "det1_1_3_12_12.bmodel";
    input_ = folder + "det1_input_1_3_12_12.bin";
    reference_ = folder + "det1_output_1_3_12_12_ref.bin";
  }
  std::string model_, input_, reference_;
};

TEST_F(VendorModel, CommandGivesTheChipsBytes) {
  for (std::string option : {"", " --reference", " --shape 1,3,12,12 --repeat 2"}) {
    std::string command = "'" TPUTWIN_BIN_DIR "/tputwin' run '" + model_ + "' --input '" + input_ +
                          "' --compare '" + reference_ + "'" + option + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

TEST_F(VendorModel, BothContainersGiveTheChipsBytes) {
  auto model = bmodel::read_file(model_);
  ASSERT_TRUE(model.ok()) << model.status().message();
  for (auto container : {bmodel::Container::v0_1_1, bmodel::Container::v2_1}) {
    auto file = bmodel::write(*model, container);
    ASSERT_TRUE(file.ok());
    auto report = run_model(*file, *read_bytes(input_), {});
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_EQ(report->output, *read_bytes(reference_));
    EXPECT_EQ(report->cost.instructions, 38u);
  }
}

TEST_F(VendorModel, DisassemblesLineByLine) {
  auto text = disassemble(*read_bytes(model_), {});
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 1 + 38);
}

TEST_F(VendorModel, ReencodesByteForByte) {
  auto model = bmodel::read_file(model_);
  ASSERT_TRUE(model.ok()) << model.status().message();
  bmodel::Variety& variety = model->varieties[0];
  auto commands = isa::decode_commands(variety.cmdbuf, bm1880(), true);
  ASSERT_TRUE(commands.ok()) << commands.status().message();
  variety.cmdbuf = isa::encode_commands(*commands, bm1880());
  EXPECT_EQ(*bmodel::write(*model, bmodel::Container::v0_1_1), *read_bytes(model_));
}

TEST_F(VendorModel, InfoPredictsATime) {
  auto text = info_text(*bmodel::read_file(model_));
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_NE(text->find("38 instructions"), std::string::npos) << *text;
}

}  // namespace
}  // namespace tputwin::tools
