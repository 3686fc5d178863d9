// The framings of shipped files: their contents, and that writing preserves them.
#include <gtest/gtest.h>

#include "base/file.h"
#include "bmodel/parts.h"
#include "common/shared_data.h"

namespace tputwin::bmodel {
namespace {

using Bytes = std::vector<uint8_t>;

class RealFiles : public ::testing::Test {
 protected:
  void SetUp() override { TW_NEED_SHARED_DATA("bm1880-real"); }

  static Bytes bytes(const std::string& name) {
    auto file = read_bytes(tputwin::testing::shared_data("bm1880-real/" + name));
    EXPECT_TRUE(file.ok()) << file.status().message();
    return file.ok() ? *file : Bytes();
  }
  static Model model(const std::string& name) {
    auto read = bmodel::read(bytes(name));
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? *read : Model();
  }
};

constexpr const char *kOld = "det1/mtcnn__det1.bmodel",
                     *kAfterMessage = "det1/Detection__MTCNN__nchw__det1.bmodel",
                     *kInside = "trans-det1/mtcnn_trans__det1.bmodel",
                     *kElu = "elu/test_1_1_28_28.bmodel";

// Both files hold the same commands and weights for every shape.
TEST_F(RealFiles, EveryShapeHasItsOwnWeights) {
  const Model old = model(kOld), newer = model(kAfterMessage);
  ASSERT_EQ(old.varieties.size(), 5u);
  ASSERT_EQ(old.weights.size(), 5u);
  ASSERT_EQ(newer.varieties.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const Variety &a = old.varieties[i], &b = newer.varieties[i];
    EXPECT_EQ(a.inputs[0].shape, b.inputs[0].shape);
    EXPECT_EQ(a.cmdbuf, b.cmdbuf);
    const auto x = old.weight_of(a), y = newer.weight_of(b);
    ASSERT_EQ(x.size(), 6696u);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << i;
  }
}

TEST_F(RealFiles, TheOldContainerIsWrittenBackByteForByte) {
  EXPECT_EQ(*write(model(kOld), Container::v0_1_1), bytes(kOld));
}

TEST_F(RealFiles, FramingsAreKept) {
  for (const char* name : {kAfterMessage, kInside, kElu}) {
    const Model original = model(name);
    const Bytes file = *write(original, Container::v2_1), shipped = bytes(name);
    EXPECT_TRUE(std::equal(file.begin(), file.begin() + 4, shipped.begin())) << name;
    EXPECT_EQ(*read(file), original) << name;
  }
  EXPECT_TRUE(model(kAfterMessage).weights_after_message);
  EXPECT_FALSE(model(kInside).weights_after_message);
  EXPECT_EQ(model(kElu).libraries.size(), 2u);
}

TEST_F(RealFiles, OneModelOfEachShapeCombinesToTheWhole) {
  for (const char* name : {kOld, kAfterMessage, kInside}) {
    const Model whole = model(name);
    std::vector<Model> singles;
    for (const Variety& variety : whole.varieties) {
      Model single = whole;
      single.weights = {whole.weights[variety.weight_index]};
      single.varieties = {variety};
      single.varieties[0].weight_index = 0;
      singles.push_back(*read(*write(single, whole.container)));
    }
    auto combined = combine(singles);
    ASSERT_TRUE(combined.ok()) << combined.status().message();
    EXPECT_EQ(*combined, whole) << name;
  }
}

TEST_F(RealFiles, PartsHoldEveryWeight) {
  const Model whole = model(kInside);
  size_t weights = 0;
  for (const Part& part : split(whole))
    weights += part.filename.find("_weight_") != std::string::npos && part.bytes.size() == 6696;
  EXPECT_EQ(weights, 5u);
}

}  // namespace
}  // namespace tputwin::bmodel
