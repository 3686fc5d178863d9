// The C++ helper functions that user programs call.
#include "libbmodel/bmodel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "bmodel/message.h"
#include "bmodel/samples.h"
#include "common/temporary_directory.h"

namespace {

namespace samples = tputwin::bmodel::samples;
using tputwin::bmodel::to_message;

class LibBmodel : public testing::Test {
 protected:
  tputwin::testing::TemporaryDirectory temporary_;
  const std::filesystem::path& directory_ = temporary_.path();
};

TEST_F(LibBmodel, SavedModelsReadBack) {
  std::string path = directory_ / "rich.bmodel";
  ASSERT_EQ(bmodel::save(to_message(samples::rich()), path), BM_SUCCESS);
  auto model = tputwin::bmodel::read_file(path);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(*model, samples::rich());
}

TEST_F(LibBmodel, SaveRefusesBrokenModels) {
  std::string path = directory_ / "broken.bmodel";
  EXPECT_EQ(bmodel::save(bmodel::Model(), path), BM_ERR_DATA);
  bmodel::Model message = to_message(samples::rich());
  message.mutable_command(0)->set_neuron_size(1);
  EXPECT_EQ(bmodel::save(message, path), BM_ERR_DATA);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(bmodel::save(to_message(samples::rich()), directory_ / "no" / "such"), BM_ERR_FAILURE);
}

TEST_F(LibBmodel, PrintShowsJsonWithSizes) {
  testing::internal::CaptureStdout();
  bmodel::print(to_message(samples::rich()));
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, testing::HasSubstr("\"net_name\": \"sample\""));
  EXPECT_THAT(text, testing::HasSubstr("\"cmdbuf\": 12"));
}

TEST_F(LibBmodel, SplitWritesTheParts) {
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  bmodel::split(to_message(samples::rich()));
  std::filesystem::current_path(before);
  auto weight = tputwin::read_bytes(directory_ / "sample_weight_1.bin");
  ASSERT_TRUE(weight.ok());
  EXPECT_EQ(*weight, samples::rich().weights[1]);
}

}  // namespace
