// Single layers whose values were recorded from Caffe: BVLC's master 9b891540 and the branch ssd
// 4817bf8b, both on the processor.
#include "bmnet_caffe_values/values.h"

namespace tputwin::net::testing {
namespace {

std::string layer_text(const std::string& type, const std::string& parameters,
                       const std::string& bottoms = "bottom: 'x'") {
  return "layer { name: 'y' type: '" + type + "' " + bottoms + " top: 'y' " + parameters + " }\n";
}

// Returns the only output of a net whose inputs are all given.
Floats output(const Result<Values>& values) {
  if (!values.ok()) {
    ADD_FAILURE() << values.status().message();
    return {};
  }
  EXPECT_EQ(values->size(), 1U);
  return values->begin()->second;
}

// ---- Bias ----

struct BiasCase {
  const char* parameters;
  Shape input, blob;
  Floats bias, values, right;
};

class Biases : public ::testing::TestWithParam<BiasCase> {};

TEST_P(Biases, KeepTheirBlobInInt8) {
  const BiasCase& c = GetParam();
  for (const char* type : {"Bias", "Scale"}) {
    const bool is_bias = std::string(type) == "Bias";
    const std::string parameters =
        is_bias ? "bias_param { " + std::string(c.parameters) + " }"
                : "scale_param { bias_term: true " + std::string(c.parameters) + " }";
    std::vector<LayerBlob> blobs{{"y", c.blob, c.bias}};
    if (!is_bias) blobs.insert(blobs.begin(), {"y", c.blob, Floats(c.bias.size(), 1)});
    const auto net = make_net(input_text("x", c.input) + layer_text(type, parameters), blobs);
    expect_floats(output(run_float(net, {{"x", c.values}})), c.right);
    expect_floats(output(run_folded(net, {{"x", c.values}})), c.right);
    const auto int8 = run_int8(net, {{{"x", c.values}}});
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    EXPECT_GT(sqnr(c.right, int8->outputs[0].begin()->second), 35) << type;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Axes, Biases,
    ::testing::Values(BiasCase{"axis: -3", {1, 2, 1, 1}, {2}, {5, 3}, {1, -1}, {6, 2}},
                      BiasCase{"axis: 1", {1, 2, 1, 1}, {2}, {5, 3}, {1, -1}, {6, 2}},
                      BiasCase{"axis: 0 num_axes: 0", {1, 2, 1, 1}, {}, {5}, {1, -1}, {6, 4}},
                      BiasCase{"num_axes: 0", {1, 2, 1, 1}, {}, {5}, {1, -1}, {6, 4}},
                      BiasCase{"axis: -4 num_axes: 1", {1, 2, 1, 1}, {1}, {5}, {1, -1}, {6, 4}},
                      BiasCase{"axis: 1 num_axes: -1", {1, 2}, {2}, {5, 3}, {1, -1}, {6, 2}},
                      BiasCase{"axis: -1", {1, 2}, {2}, {5, 3}, {1, -1}, {6, 2}},
                      BiasCase{"axis: 1 num_axes: 2", {1, 2, 1}, {2, 1}, {5, 3}, {1, -1}, {6, 2}}));

TEST(Bias, AfterAConvolutionKeepsItsBlobInInt8) {
  const auto net = make_net(
      input_text("x", {1, 2, 1, 2}) +
          "layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c' convolution_param {"
          " num_output: 2 kernel_size: 1 bias_term: false } }\n"
          "layer { name: 'y' type: 'Bias' bottom: 'c' top: 'y' bias_param { axis: -3 } }\n",
      {{"c", {2, 2, 1, 1}, {1, 0.5F, -0.5F, 1}}, {"y", {2}, {5, 3}}});
  const Values x{{"x", {1, -1, 0.5F, 0.25F}}};
  const Floats right{6.25F, 4.125F, 3, 3.75F};
  expect_floats(output(run_float(net, x)), right);
  const auto int8 = run_int8(net, {x});
  ASSERT_TRUE(int8.ok()) << int8.status().message();
  EXPECT_GT(sqnr(right, int8->outputs[0].at("y")), 35);
}

TEST(InnerProduct, OfAnyAxis) {
  // By Caffe's definition, the axes before `axis` are rows, and all others the inputs of a row.
  const Floats x{1, 2, 3, 4, 5, 6, 7, 8};
  struct Case {
    const char* axis;
    Shape weight;
    Floats weights, right;
  };
  for (const Case& c :
       {Case{"2", {1, 2}, {1, 10}, {21, 43, 65, 87}}, Case{"-1", {1, 2}, {1, 10}, {21, 43, 65, 87}},
        Case{"0", {1, 8}, {1, 1, 1, 1, 1, 1, 1, 2}, {44}},
        Case{"-3", {1, 8}, {1, 1, 1, 1, 1, 1, 1, 2}, {44}},
        Case{"1", {1, 4}, {1, 0, 0, 1}, {5, 13}}}) {
    const auto net =
        make_net(input_text("x", {2, 2, 2}) +
                     layer_text("InnerProduct",
                                "inner_product_param { num_output: 1 bias_term: false axis: " +
                                    std::string(c.axis) + " }"),
                 {{"y", c.weight, c.weights}});
    expect_floats(output(run_float(net, {{"x", x}})), c.right);
    expect_floats(output(run_folded(net, {{"x", x}})), c.right);
    const auto int8 = run_int8(net, {{{"x", x}}});
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    EXPECT_GT(sqnr(c.right, int8->outputs[0].begin()->second), 35) << c.axis;
  }
}

// BatchNorm's channels are axis 1, and the product's outputs axis 2.
TEST(InnerProduct, OfAnotherAxisTakesNoFactorsOfChannels) {
  const auto net = make_net(
      input_text("x", {1, 2, 2}) +
          "layer { name: 'p' type: 'InnerProduct' bottom: 'x' top: 'p' inner_product_param {"
          " num_output: 2 bias_term: false axis: -1 } }\n"
          "layer { name: 'y' type: 'Scale' bottom: 'p' top: 'y' }\n",
      {{"p", {2, 2}, {1, 0, 0, 1}}, {"y", {2}, {2, 10}}});
  expect_floats(output(run_folded(net, {{"x", {1, 2, 3, 4}}})), {2, 4, 30, 40});
}

TEST(Bias, OfTwoBottomsAddsTheSecond) {
  const auto net = make_net(input_text("x", {1, 2, 2}) + input_text("b", {2}) +
                            "layer { name: 'y' type: 'Bias' bottom: 'x' bottom: 'b' top: 'y'"
                            " bias_param { axis: -2 } }\n");
  expect_floats(output(run_float(net, {{"x", {1, 2, 3, 4}}, {"b", {10, 20}}})), {11, 12, 23, 24});
}

// ---- SSD ----

Floats priors(const std::string& parameters, const Shape& map, const Shape& image) {
  const auto net = make_net(
      input_text("x", map) + input_text("im", image) +
      layer_text("PriorBox", "prior_box_param { " + parameters + " }", "bottom: 'x' bottom: 'im'"));
  Values inputs{{"x", {}}, {"im", {}}};
  inputs["x"].resize(static_cast<size_t>(map[0] * map[1] * map[2] * map[3]));
  inputs["im"].resize(static_cast<size_t>(image[0] * image[1] * image[2] * image[3]));
  Floats values = output(run_float(net, inputs));
  values.resize(values.size() / 2);  // without variances
  return values;
}

TEST(PriorBox, CutsSizesToWholeNumbers) {
  const Floats found = priors("min_size: 35.84 max_size: 76.8", {1, 1, 1, 1}, {1, 3, 512, 512});
  expect_floats(found, {0.465820312F, 0.465820312F, 0.534179688F, 0.534179688F,  //
                        0.449633598F, 0.449633598F, 0.550366402F, 0.550366402F});
  expect_floats(priors("min_size: 1.9", {1, 1, 1, 1}, {1, 3, 10, 10}),
                {0.45F, 0.45F, 0.55F, 0.55F});
}

TEST(PriorBox, CutsSizesOfFlippedRatiosToo) {
  const Floats found =
      priors("min_size: 4.75 aspect_ratio: 4", {1, 1, 1, 1}, {1, 3, 16, 16});  // 4x4, 8x2, 2x8
  expect_floats(found, {0.375F, 0.375F, 0.625F, 0.625F, 0.25F, 0.4375F, 0.75F, 0.5625F, 0.4375F,
                        0.25F, 0.5625F, 0.75F});
}

TEST(PriorBox, WantsBothExtentsOfAnImageAndBothSteps) {
  for (const char* one : {"img_h: 5", "img_w: 5", "step_h: 5", "step_w: 5"}) {
    const auto net =
        make_net(input_text("x", {1, 1, 1, 1}) + input_text("im", {1, 3, 10, 10}) +
                 layer_text("PriorBox", "prior_box_param { min_size: 2 " + std::string(one) + " }",
                            "bottom: 'x' bottom: 'im'"));
    EXPECT_FALSE(import_caffe(net).ok()) << one;
  }
}

struct Detector {
  Floats locations, confidences, priors;
};

Result<Values> detect(const Detector& d, const std::string& parameters,
                      const std::string& type = "DetectionOutput") {
  const auto count = static_cast<int64_t>(d.priors.size()) / 2;
  const auto net =
      make_net(input_text("loc", {1, static_cast<int64_t>(d.locations.size())}) +
               input_text("conf", {1, static_cast<int64_t>(d.confidences.size())}) +
               input_text("pri", {1, 2, count}) +
               layer_text(type, parameters, "bottom: 'loc' bottom: 'conf' bottom: 'pri'"));
  return run_float(net, {{"loc", d.locations}, {"conf", d.confidences}, {"pri", d.priors}});
}

// Returns the rows of detections, of seven values each, without unused rows.
Floats rows(const Result<Values>& values) {
  Floats found = output(values);
  while (found.size() >= 7 && found[found.size() - 7] == -1) found.resize(found.size() - 7);
  return found;
}

TEST(DetectionOutput, CodesCornersUnlessSetOtherwise) {
  const Detector one{{1, 1, 1, 1}, {0, 0.9F}, {0.1F, 0.1F, 0.3F, 0.3F, 0.1F, 0.1F, 0.1F, 0.1F}};
  const std::string wanted = "num_classes: 2 keep_top_k: 5 confidence_threshold: 0.5 ";
  expect_floats(rows(detect(one, "detection_output_param { " + wanted + "}")),
                {0, 1, 0.9F, 0.2F, 0.2F, 0.4F, 0.4F});
  expect_floats(
      rows(detect(one, "detection_output_param { " + wanted + "code_type: CENTER_SIZE }")),
      {0, 1, 0.9F, 0.109482907F, 0.109482907F, 0.330517093F, 0.330517093F}, 1e-7F);
  // The type DetectOutput is another dialect, with its own defaults.
  expect_floats(rows(detect(one, "detectoutput_param { " + wanted + "}", "DetectOutput")),
                {0, 1, 0.9F, 0.109482907F, 0.109482907F, 0.330517093F, 0.330517093F}, 1e-7F);
}

TEST(DetectionOutput, SuppressesAboveAnOverlapOfThreeTenths) {
  const Detector two{
      Floats(8), {0, 0.9F, 0, 0.8F}, {0, 0, 0.5F, 1, 0.2F, 0, 0.7F, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
  const std::string wanted = "num_classes: 2 keep_top_k: 5 confidence_threshold: 0.5 ";
  EXPECT_EQ(rows(detect(two, "detection_output_param { " + wanted + "}")).size(), 7U);
  EXPECT_EQ(
      rows(detect(two, "detection_output_param { " + wanted + "nms_param { eta: 1 } }")).size(),
      7U);
  EXPECT_EQ(rows(detect(two, "detection_output_param { " + wanted +
                                 "nms_param { nms_threshold: 0.45 } }"))
                .size(),
            14U);
  // A threshold of 0 suppresses every box that touches another.
  EXPECT_EQ(
      rows(detect(two, "detection_output_param { " + wanted + "nms_param { nms_threshold: 0 } }"))
          .size(),
      7U);
}

TEST(DetectionOutput, HasNoThresholdOfItsOwn) {
  const Detector one{Floats(4), {0, 0.005F}, {0.1F, 0.1F, 0.3F, 0.3F, 1, 1, 1, 1}};
  expect_floats(rows(detect(one, "detection_output_param { num_classes: 2 keep_top_k: 5 }")),
                {0, 1, 0.005F, 0.1F, 0.1F, 0.3F, 0.3F});
}

TEST(DetectionOutput, KeepsAllUnlessSetOtherwise) {
  constexpr int kPriors = 450;
  Detector many;
  many.locations.resize(4 * kPriors);
  for (int i = 0; i < kPriors; ++i) {
    many.confidences.insert(many.confidences.end(), {0, 0.5F + static_cast<float>(i) / 1000});
    const auto x = static_cast<float>(2 * i);
    many.priors.insert(many.priors.end(), {x, 0, x + 1, 1});
  }
  many.priors.resize(8 * kPriors, 1);
  const auto count = [&](const std::string& parameters) {
    return rows(detect(many, "detection_output_param { num_classes: 2 " + parameters + " }"))
               .size() /
           7;
  };
  EXPECT_EQ(count("keep_top_k: 1000"), 450U);
  EXPECT_EQ(count(""), 450U);
  EXPECT_EQ(count("keep_top_k: -1"), 450U);
  EXPECT_EQ(count("keep_top_k: -1 nms_param { top_k: 40 }"), 40U);
  EXPECT_EQ(count("keep_top_k: 7"), 7U);
}

TEST(DetectionOutput, DemandsNumClasses) {
  const Detector one{Floats(4), {0, 0.5F}, {0.1F, 0.1F, 0.3F, 0.3F, 1, 1, 1, 1}};
  const auto found = detect(one, "detection_output_param { keep_top_k: 5 }");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message().find("num_classes"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::net::testing
