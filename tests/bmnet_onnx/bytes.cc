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

// They wrap as ONNX's integers of 8 bits do.
TEST(Bytes, AreComputedWithAsIntegers) {
  struct Case {
    const char* type;
    bool is_signed;
    std::vector<float> result;
  };
  const std::vector<float> a{200, 3, 16, 0}, b{100, 5, 17, 255};
  const std::vector<float> c{100, -3, -128, 7}, d{100, 5, 1, -7};
  const Case cases[] = {{"Add", false, {44, 8, 33, 255}},       {"Sub", false, {100, 254, 255, 1}},
                        {"Mul", false, {32, 15, 16, 0}},        {"Max", false, {200, 5, 17, 255}},
                        {"Min", false, {100, 3, 16, 0}},        {"Add", true, {-56, 2, -127, 0}},
                        {"Sub", true, {0, -8, 127, 14}},        {"Mul", true, {16, -15, -128, -49}},
                        {"Max", true, {100, 5, 1, 7}},          {"Greater", false, {1, 0, 0, 0}},
                        {"Less", true, {0, 1, 1, 0}},           {"Equal", true, {1, 0, 0, 0}},
                        {"GreaterOrEqual", false, {1, 0, 0, 0}}};
  for (const Case& one : cases) {
    const int type = one.is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    ModelBuilder builder(13);
    builder.input("a", {1, 4}, type);
    builder.input("b", {1, 4}, type);
    builder.node(one.type, {"a", "b"}, {"y"});
    builder.output("y");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << one.type << network.status().message();
    const Blobs inputs{{"a", {{1, 4}, one.is_signed ? c : a}},
                       {"b", {{1, 4}, one.is_signed ? d : b}}};
    auto result = run_float(*network, inputs);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->begin()->second.data, one.result) << one.type << " " << one.is_signed;
  }
}

// The difference of the operands would wrap.
TEST(Bytes, AreComparedAfterACast) {
  for (const int type : {onnx::TensorProto::UINT8, onnx::TensorProto::UINT16,
                         onnx::TensorProto::INT8, onnx::TensorProto::INT16}) {
    ModelBuilder builder(13);
    for (const char* name : {"a", "b"}) {
      builder.input(name, {1, 3});
      ModelBuilder::set(builder.node("Cast", {name}, {std::string(name) + "_int"}), "to",
                        int64_t{type});
    }
    builder.node("Greater", {"a_int", "b_int"}, {"y"});
    builder.output("y");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto result = run_float(*network, {{"a", {{1, 3}, {3, 100, 7}}}, {"b", {{1, 3}, {5, 4, 7}}}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->begin()->second.data, (std::vector<float>{0, 1, 0})) << type;
  }
}

TEST(Bytes, MayBeReducedAndClipped) {
  ModelBuilder builder(13);
  builder.input("x", {1, 2, 3}, onnx::TensorProto::UINT8);
  builder.integers("least", {}, {20}, onnx::TensorProto::UINT8);
  builder.integers("most", {}, {200}, onnx::TensorProto::UINT8);
  builder.node("Clip", {"x", "least", "most"}, {"clipped"});
  auto& node = builder.node("ReduceMax", {"clipped"}, {"y"});
  ModelBuilder::set(node, "axes", std::vector<int64_t>{2});
  ModelBuilder::set(node, "keepdims", int64_t{0});
  builder.output("y");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto result = run_float(*network, {{"x", {{1, 2, 3}, {5, 7, 9, 30, 250, 3}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->begin()->second.data, (std::vector<float>{20, 200}));
}

// Every pair of bytes, but for the divisor 0. As in C, quotients have no fraction.
TEST(Bytes, AreDivided) {
  struct Case {
    const char* type;
    bool is_signed, fmod;
    int (*result)(int, int);
  };
  const auto quotient = [](int a, int b) { return a / b; };
  const auto rest = [](int a, int b) { return a % b; };
  const auto modulo = [](int a, int b) { return (a % b + b) % b; };
  const Case cases[] = {{"Div", false, false, quotient},
                        {"Mod", false, false, rest},
                        {"Div", true, false, quotient},
                        {"Mod", true, false, modulo},
                        {"Mod", true, true, rest}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.type) + (one.is_signed ? " signed" : ""));
    const int64_t least = one.is_signed ? -128 : 0;
    std::vector<float> a, b, expected;
    for (int64_t x = least; x < least + 256; ++x)
      for (int64_t y = least; y < least + 256; ++y) {
        if (y == 0) continue;
        const int result = one.result(static_cast<int>(x), static_cast<int>(y));
        a.push_back(static_cast<float>(x));
        b.push_back(static_cast<float>(y));
        expected.push_back(static_cast<float>(result == 128 && one.is_signed ? -128 : result));
      }
    const int type = one.is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    const auto count = static_cast<int64_t>(a.size());
    ModelBuilder builder(13);
    builder.input("a", {1, count}, type);
    builder.input("b", {1, count}, type);
    auto& node = builder.node(one.type, {"a", "b"}, {"y"});
    if (one.fmod) ModelBuilder::set(node, "fmod", int64_t{1});
    builder.output("y");
    auto network = import(builder.model);
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto result = run_float(*network, {{"a", {{1, count}, a}}, {"b", {{1, count}, b}}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->begin()->second.data, expected);
  }
}

// Bytes as int32 are divided by a constant, and have powers that are whole.
TEST(Bytes, AreDividedAsLargerIntegers) {
  ModelBuilder builder(13);
  builder.input("x", {1, 5}, onnx::TensorProto::UINT8);
  builder.integers("seven", {}, {7}, onnx::TensorProto::INT32);
  builder.integers("two", {}, {2}, onnx::TensorProto::INT32);
  builder.set(builder.node("Cast", {"x"}, {"whole"}), "to", int64_t{onnx::TensorProto::INT32});
  builder.node("Div", {"whole", "seven"}, {"quotient"});
  builder.node("Pow", {"whole", "two"}, {"square"});
  builder.node("Pow", {"two", "whole"}, {"power"});
  builder.output("quotient");
  builder.output("square");
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto result = run_float(*network, {{"x", {{1, 5}, {0, 6, 7, 200, 255}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("quotient").data, (std::vector<float>{0, 0, 1, 28, 36}));
  EXPECT_EQ(result->at("square").data, (std::vector<float>{0, 36, 49, 40000, 65025}));
  builder.output("power");
  auto loaded = load(builder.model);
  ASSERT_FALSE(loaded.ok());
  for (const char* word : {"n_power (Pow)", "put a Cast to floats before it"})
    EXPECT_NE(loaded.error().message().find(word), std::string::npos) << loaded.error().message();
}

TEST(Bytes, OfSixtyFourBitsAreNoInput) {
  ModelBuilder builder = picture_model();
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
  builder.set(builder.node("Cast", {"x"}, {"wide"}), "to", int64_t{onnx::TensorProto::INT32});
  builder.node("Add", {"wide", "wide"}, {"twice"});
  builder.output("unsigned");
  builder.output("twice");
  network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  result = run_float(*network, {{"x", {{1, 4}, {-128, -3, 0, 127}}}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->at("unsigned").data, (std::vector<float>{128, 253, 0, 127}));
  EXPECT_EQ(result->at("twice").data, (std::vector<float>{-256, -6, 0, 254}));
}

// So a net of bytes can have inputs of the same type and values.
TEST(Bytes, AreKnownAsInputsOfTheNet) {
  ModelBuilder builder(13);
  builder.input("picture", {1, 4}, onnx::TensorProto::UINT8);
  builder.input("offsets", {1, 4}, onnx::TensorProto::INT8);
  builder.input("mask", {1, 4}, onnx::TensorProto::BOOL);
  builder.input("real", {1, 4});
  for (const std::string name : {"picture", "offsets", "mask"})
    builder.set(builder.node("Cast", {name}, {"f" + name}), "to",
                int64_t{onnx::TensorProto::FLOAT});
  builder.node("Sum", {"fpicture", "foffsets", "fmask", "real"}, {"y"});
  builder.output("y");
  const auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  using Types = decltype(network->byte_inputs);
  EXPECT_EQ(network->byte_inputs,
            (Types{{"picture", DType::u8}, {"offsets", DType::i8}, {"mask", DType::u8}}));
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
