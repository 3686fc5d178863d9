#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "bmodel/message.h"
#include "bmodel/parts.h"
#include "bmodel/samples.h"

namespace tputwin::bmodel {
namespace {

using testing::HasSubstr;

// Returns the model as it reads back from a container; fails the test if that fails.
Model again(const Model& model, Container container) {
  auto bytes = write(model, container);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  auto back = read(*bytes);
  EXPECT_TRUE(back.ok()) << back.status().message();
  return *back;
}

TEST(Containers, Version011ReadsBackEqual) {
  Model model = samples::common();
  EXPECT_EQ(again(model, Container::v0_1_1), model);
}

TEST(Containers, Version21ReadsBackEqual) {
  Model model = samples::rich();
  EXPECT_EQ(again(model, Container::v2_1), model);
}

TEST(Containers, ConversionKeepsWhatBothHold) {
  Model model = samples::common();
  Model newer = again(model, Container::v2_1);
  EXPECT_EQ(newer.container, Container::v2_1);
  EXPECT_EQ(newer.version, "2.1");
  newer.version = model.version;
  newer.container = model.container;
  EXPECT_EQ(newer, model);
  EXPECT_EQ(again(again(model, Container::v2_1), Container::v0_1_1), model);
}

TEST(Containers, ModelWithoutWeights) {
  Model model = samples::common();
  model.weights.clear();
  EXPECT_EQ(again(model, Container::v0_1_1), model);
  EXPECT_TRUE(model.weight_of(model.varieties[0]).empty());
}

TEST(Containers, HeaderTextHasTheVendorsLayout) {
  Model model = samples::common();
  model.varieties.resize(1);
  model.libraries.clear();
  auto bytes = write(model, Container::v0_1_1);
  ASSERT_TRUE(bytes.ok());
  std::string text(bytes->begin() + 4, std::find(bytes->begin() + 4, bytes->end(), 0x55));
  EXPECT_EQ(
      text,
      R"({"backends": [{"node_num": "1", "target": "1880", "varieties": [{"cmdbuf": ["5", "12"])"
      R"(, "neuron_size": "438", "output_offset": "432", "output_size": "6", )"
      R"("shape": ["1", "3", "12", "12"], "sub_outputs": [)"
      R"({"name": "prob", "shape": ["1", "4", "1", "1"], "threshold": "0.100000"}, )"
      R"({"name": "box", "shape": ["1", "2", "1", "1"], "threshold": "1.25e-09"}], )"
      R"("threshold": "255.124573"}]}], "libraries": [], "name": "sample", )"
      R"("version": "0.1.1", "weight": ["0", "5"]})");
}

TEST(Containers, InputsWithoutOffsetFollowEachOther) {
  Model model = samples::rich();
  ::bmodel::Model message = to_message(model);
  auto* command = message.mutable_command(0);
  // The first two have the default offsets; only the third needs an explicit offset.
  EXPECT_FALSE(command->input(0).has_offset());
  EXPECT_FALSE(command->input(1).has_offset());
  EXPECT_TRUE(command->input(2).has_offset());
  command->mutable_input(2)->clear_offset();
  EXPECT_EQ(from_message(message).varieties[0].inputs[2].offset, 437u);
}

TEST(Containers, AbsentFormatsAreInt8) {
  ::bmodel::Model message = to_message(samples::rich());
  message.mutable_command(0)->mutable_input(1)->clear_fmt();
  message.mutable_command(0)->mutable_output(1)->clear_fmt();
  Model model = from_message(message);
  EXPECT_EQ(model.varieties[0].inputs[1].fmt, kFormatI8);
  EXPECT_EQ(model.varieties[0].outputs[1].fmt, kFormatI8);
}

TEST(Containers, NamesOfNoLayersAreNone) {
  ::bmodel::Model message = to_message(samples::rich());
  message.mutable_command(1)->mutable_layers()->clear_layer();
  message.mutable_command(1)->mutable_layers()->clear_command();
  const Model model = from_message(message);
  EXPECT_TRUE(model.varieties[1].layers.names.empty());
  EXPECT_EQ(*read(*write(model, Container::v2_1)), model);
}

TEST(Containers, TruncatedFilesNameWhatIsMissing) {
  auto bytes = *write(samples::common(), Container::v0_1_1);
  for (size_t size : {size_t{5}, size_t{100}, bytes.size() - 1}) {
    auto model = read(std::span(bytes).first(size));
    ASSERT_FALSE(model.ok()) << size;
    EXPECT_THAT(model.status().message(), HasSubstr("left")) << size;
  }
}

// Every prefix and every change of a byte is read or refused. Files that are read can be written.
TEST(Containers, HostileBytesAreReadOrRefused) {
  Model after_message = samples::rich();
  after_message.weights_after_message = true;
  for (const Model& sample :
       {samples::common(), samples::own_weights(), samples::rich(), after_message}) {
    const auto bytes = *write(sample, sample.container);
    for (size_t i = 0; i < bytes.size(); ++i) {
      auto prefix = read(std::span(bytes).first(i));
      if (sample.container == Container::v0_1_1 || sample.weights_after_message) {
        EXPECT_FALSE(prefix.ok()) << i;
      }
      for (uint8_t flip : {0x01, 0x80, 0xff}) {
        auto changed = bytes;
        changed[i] ^= flip;
        auto model = read(changed);
        if (!model.ok()) continue;
        auto back = write(*model, model->container);
        ASSERT_TRUE(back.ok()) << i << ": " << back.status().message();
        auto reread = read(*back);
        ASSERT_TRUE(reread.ok()) << i << ": " << reread.status().message();
        EXPECT_EQ(*reread, *model) << i;
      }
    }
  }
}

TEST(Containers, FilesReportTheirName) {
  auto missing = read_file("/nonexistent/x.bmodel");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().call(), "/nonexistent/x.bmodel");
  EXPECT_FALSE(write_file(samples::common(), Container::v2_1, "/nonexistent/x.bmodel").ok());
}

TEST(Containers, SizesSaturate) {
  std::vector<uint32_t> huge(4, 0xffffffff);
  EXPECT_EQ(element_count(huge), UINT64_MAX);
  Variety variety{.inputs = {{.shape = huge}, {.shape = huge}}};
  EXPECT_EQ(variety.input_bytes(), UINT64_MAX);
  EXPECT_EQ(element_count(std::vector<uint32_t>{0xffffffff, 0xffffffff, 0xffffffff, 0}), 0u);
}

TEST(Parts, SplitNamesCannotLeaveTheDirectory) {
  Model model = samples::common();
  model.name = "../a b";
  model.libraries[0].name = "x/../../y";
  for (const Part& part : split(model)) {
    EXPECT_EQ(part.filename.find('/'), std::string::npos) << part.filename;
    EXPECT_NE(part.filename[0], '.') << part.filename;
  }
}

TEST(Parts, SplitHoldsEveryBlob) {
  Model model = samples::common();
  auto parts = split(model);
  ASSERT_EQ(parts.size(), 6u);
  EXPECT_EQ(parts[0].filename, "sample.json");
  EXPECT_EQ(parts[1].filename, "sample_weight_0.bin");
  EXPECT_EQ(parts[1].bytes, model.weights[0]);
  EXPECT_EQ(parts[3].filename, "sample_cmdbuf_1.bin");
  EXPECT_EQ(parts[3].bytes, model.varieties[1].cmdbuf);
  EXPECT_EQ(parts[5].filename, "sample_ELU_armv8.so");
}

TEST(Parts, CombineJoinsVarieties) {
  Model whole = samples::common(), first = whole, second = whole;
  first.varieties.resize(1);
  second.varieties.erase(second.varieties.begin());
  auto combined = combine(std::vector{first, second});
  ASSERT_TRUE(combined.ok()) << combined.status().message();
  EXPECT_EQ(*combined, whole);
}

TEST(Parts, CombineRefusesStrangersAndRepeats) {
  Model model = samples::common(), other = model;
  EXPECT_THAT(combine(std::vector{model, model}).status().message(), HasSubstr("(1,3,12,12)"));
  other.libraries[0].armv8[0] ^= 1;
  EXPECT_THAT(combine(std::vector{model, other}).status().message(), HasSubstr("libraries"));
  other = model;
  other.name = "other";
  EXPECT_THAT(combine(std::vector{model, other}).status().message(), HasSubstr("name = other"));
}

// A model of the vendor's own compiler.
class VendorModel : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::string(TPUTWIN_SHARED_DATA) + "/bm1880-det1/det1_1_3_12_12.bmodel";
    if (std::filesystem::exists(path_)) return;
    if (std::getenv("CI")) FAIL() << path_ << " is missing";
    GTEST_SKIP() << path_ << " is missing";
  }
  std::string path_;
};

TEST_F(VendorModel, ReadsAsDocumented) {
  auto model = read_file(path_);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->name, "det1");
  EXPECT_EQ(model->version, "0.1.1");
  EXPECT_EQ(model->chip, 1880u);
  ASSERT_EQ(model->weights.size(), 1u);
  EXPECT_EQ(model->weights[0].size(), 6696u);
  ASSERT_EQ(model->varieties.size(), 1u);
  const Variety& variety = model->varieties[0];
  EXPECT_EQ(variety.cmdbuf.size(), 3792u);
  EXPECT_EQ(variety.neuron_size, 438u);
  EXPECT_EQ(variety.inputs[0].shape, (std::vector<uint32_t>{1, 3, 12, 12}));
  EXPECT_EQ(variety.input_bytes(), 432u);
  EXPECT_EQ(variety.output_offset(), 432u);
  EXPECT_EQ(variety.output_bytes(), 6u);
  EXPECT_EQ(variety.outputs[0].name, "conv4-2");
  EXPECT_EQ(variety.outputs[1].name, "conv4-1");
  EXPECT_EQ(variety.outputs[1].offset, 436u);
}

TEST_F(VendorModel, IsWrittenBackByteForByte) {
  auto original = read_bytes(path_);
  ASSERT_TRUE(original.ok());
  auto model = read(*original);
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto bytes = write(*model, Container::v0_1_1);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, *original);
  EXPECT_EQ(again(again(*model, Container::v2_1), Container::v0_1_1), *model);
}

}  // namespace
}  // namespace tputwin::bmodel
