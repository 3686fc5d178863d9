// Nets with inputs that are bytes in the model: a caller's bytes keep their values.
#include <gtest/gtest.h>

#include <random>

#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {
namespace {

// A picture of rows, columns, channels -> channels first -> a convolution that keeps channels.
Network picture_net(DType type) {
  auto network = random_net(
      "input: 'x' input_shape { dim: 1 dim: 8 dim: 8 dim: 2 } "
      "layer { name: 'p' bottom: 'x' top: 'p' type: 'Permute' "
      "permute_param { order: 0 order: 3 order: 1 order: 2 } } "
      "layer { name: 'y' bottom: 'p' top: 'y' type: 'Convolution' "
      "convolution_param { kernel_size: 1 bias_term: false num_output: 2 } }",
      {{"y", {{2, 2, 1, 1}}}}, 1);
  EXPECT_TRUE(network.ok()) << network.status().message();
  network->blobs.at("y")[0].data = {1, 0, 0, 1};
  network->byte_inputs["x"] = type;
  return *std::move(network);
}

// Whole numbers of a type, with both ends.
Values pixels(float least, float most) {
  Values values{{"x", {{1, 8, 8, 2}, {least, most}}}};
  std::mt19937_64 random(1);
  while (values["x"].data.size() < 128)
    values["x"].data.push_back(
        least + static_cast<float>(random() % static_cast<uint64_t>(most - least + 1)));
  return values;
}

class ByteInputs : public ::testing::TestWithParam<DType> {
 protected:
  Network net_ = picture_net(GetParam());
  Values values_ = GetParam() == DType::u8 ? pixels(0, 255) : pixels(-128, 100);
};

TEST_P(ByteInputs, HaveTheirTypeAndTheScaleOne) {
  const NetCalibrationParameter table = largest_values(net_, values_);
  const auto compiled =
      bm1684x::compile(net_, {.type = DType::i8, .table = &table, .float_inputs = false});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  ASSERT_EQ(compiled->inputs.size(), 1u);
  EXPECT_EQ(compiled->inputs[0].type, GetParam());
  EXPECT_EQ(compiled->inputs[0].scale, 1);
  const auto outputs = run(*compiled, net_, values_);
  ASSERT_TRUE(outputs.ok()) << outputs.status().message();
  for (size_t i = 0; i < outputs->front().size(); ++i)
    EXPECT_NEAR(outputs->front()[i], values_["x"].data[i % 64 * 2 + i / 64], 1e-3f) << i;
}

// So no value is rounded: the scale of signed bytes would be 2 for 0 to 255.
TEST_P(ByteInputs, AreExactIfTheyBecomeBytesOfFloats) {
  EXPECT_EQ(compare(net_, DType::i8, 1e-5f, values_), "");
}

TEST_P(ByteInputs, HaveTheTypeOfANetOfFloats) {
  const auto compiled = bm1684x::compile(net_, {.type = DType::f16, .float_inputs = false});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_EQ(compiled->inputs[0].type, DType::f16);
}

INSTANTIATE_TEST_SUITE_P(All, ByteInputs, ::testing::Values(DType::u8, DType::i8));

}  // namespace
}  // namespace tputwin::net::testing
