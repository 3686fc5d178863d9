// Models with inputs of bytes, as converters of TensorFlow and TFLite write them: unscaled
// pictures.
#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

// x of bytes (1,2,3,2) -> rows and columns after the channels -> Cast -> Conv(1x1) -> y
ModelBuilder picture_model() {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 3, 2}, onnx::TensorProto::UINT8);
  builder.set(builder.node("Transpose", {"x"}, {"planes"}), "perm",
              std::vector<int64_t>{0, 3, 1, 2});
  builder.set(builder.node("Cast", {"planes"}, {"real"}), "to", int64_t{onnx::TensorProto::FLOAT});
  builder.weights("w", {1, 2, 1, 1}, {1, -2});
  builder.node("Conv", {"real", "w"}, {"y"});
  builder.output("y");
  return builder;
}

TEST(Bytes, ArePixelsUntilTheyAreFloats) {
  auto network = import(picture_model().model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  Blobs inputs{{"x", {{1, 2, 3, 2}, {}}}};
  for (int i = 0; i < 12; ++i) inputs["x"].data.push_back(static_cast<float>(i * 21));
  auto result = run_float(*network, inputs);
  ASSERT_TRUE(result.ok()) << result.status().message();
  const auto& x = inputs["x"].data;
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(result->at("y").data[i], x[2 * i] - 2 * x[2 * i + 1]) << i;
  auto net = quantized(*network, inputs);
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto in_int8 = run_int8(*net, inputs);
  ASSERT_TRUE(in_int8.ok()) << in_int8.status().message();
  EXPECT_GT(cosine(in_int8->at("y").data, result->at("y").data), 0.999);
}

TEST(Bytes, AreNotComputedWith) {
  ModelBuilder builder = picture_model();
  builder.node("Add", {"x", "x"}, {"twice"});
  builder.output("twice");
  auto loaded = load(builder.model);
  ASSERT_FALSE(loaded.ok());
  for (const char* word : {"n_twice (Add)", "put a Cast to floats before it"})
    EXPECT_NE(loaded.error().message().find(word), std::string::npos) << loaded.error().message();
  builder = picture_model();
  builder.model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->set_elem_type(onnx::TensorProto::INT64);
  EXPECT_FALSE(load(builder.model).ok());
}

// x -> Relu -> QuantizeLinear -> y: the integers, in int8 as well
TEST(Bytes, MayBeOutputs) {
  for (const int64_t zero : {0, -20}) {
    ModelBuilder builder(13);
    builder.input("x", {1, 6});
    builder.weights("s", {}, {0.25f});
    builder.integers("z", {}, {zero}, onnx::TensorProto::INT8);
    builder.node("Relu", {"x"}, {"r"});
    builder.node("QuantizeLinear", {"r", "s", "z"}, {"y"});
    builder.output("y");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const Blobs inputs{{"x", {{1, 6}, {-3, 0, 0.25f, 5.2f, 25, 90}}}};
    auto result = run_float(*network, inputs);
    ASSERT_TRUE(result.ok()) << result.status().message();
    const auto real = static_cast<float>(zero);
    const std::vector<float> expected{real, real, 1 + real, 21 + real, 100 + real, 127};
    EXPECT_EQ(result->at("y").data, expected);
    auto net = quantized(*network, inputs);
    ASSERT_TRUE(net.ok()) << net.status().message();
    auto in_int8 = run_int8(*net, inputs);
    ASSERT_TRUE(in_int8.ok()) << in_int8.status().message();
    EXPECT_GT(cosine(in_int8->at("y").data, expected), 0.999);
  }
}

// x of int8 -> DequantizeLinear -> y, and -> Cast to another type
TEST(Bytes, MayHaveSigns) {
  ModelBuilder builder(13);
  builder.input("x", {1, 4}, onnx::TensorProto::INT8);
  builder.weights("s", {}, {0.5f});
  builder.integers("z", {}, {-3}, onnx::TensorProto::INT8);
  builder.node("DequantizeLinear", {"x", "s", "z"}, {"y"});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto result = run_float(*network, {{"x", {{1, 4}, {-128, -3, 0, 127}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("y").data, (std::vector<float>{-62.5f, 0, 1.5f, 65}));
  builder.set(builder.node("Cast", {"x"}, {"unsigned"}), "to", int64_t{onnx::TensorProto::UINT8});
  builder.output("unsigned");
  auto loaded = load(builder.model);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message().find("a signed type"), std::string::npos)
      << loaded.error().message();
}

// x of bytes -> DequantizeLinear -> Conv -> QuantizeLinear -> DequantizeLinear -> y
TEST(Bytes, OfQuantizedNetsHaveTheirScale) {
  ModelBuilder builder(13);
  builder.input("x", {1, 1, 2, 2}, onnx::TensorProto::UINT8);
  builder.weights("s", {}, {1.0f / 64});
  builder.integers("mid", {}, {128}, onnx::TensorProto::UINT8);
  builder.weights("w", {1, 1, 1, 1}, {-0.5f});
  builder.node("DequantizeLinear", {"x", "s", "mid"}, {"real"});
  builder.node("Conv", {"real", "w"}, {"c"});
  builder.node("QuantizeLinear", {"c", "s", "mid"}, {"q"});
  builder.node("DequantizeLinear", {"q", "s", "mid"}, {"y"});
  builder.output("y");
  auto loaded = load(builder.model);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::map<std::string, float> thresholds;
  for (const auto& entry : loaded->thresholds.layer())
    for (const auto& blob : entry.blob_param()) thresholds[blob.name()] = blob.threshold_y();
  EXPECT_EQ(thresholds.at("x"), 256);
  EXPECT_EQ(thresholds.at("y"), 2);
  auto network = import(builder.model);
  auto result = run_float(*network, {{"x", {{1, 1, 2, 2}, {0, 128, 192, 255}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("y").data, (std::vector<float>{1, 0, -0.5f, -127.0f / 128}));
}

}  // namespace
}  // namespace tputwin::test
