// Texts of operators: their parameters are checked before anything runs.
#include <fstream>
#include <sstream>

#include "host/support.h"

namespace tputwin::testing {
namespace {

std::string refused(const std::string& text, size_t inputs = 1, size_t outputs = 1) {
  auto op = host::make_operator(text, inputs, outputs);
  return op.ok() ? "nothing" : op.status().message();
}

TEST(Texts, WhatIsRefused) {
  EXPECT_THAT(refused(""), HasSubstr("it begins with a name"));
  EXPECT_THAT(refused("  \n\t"), HasSubstr("it begins with a name"));
  EXPECT_THAT(refused("frobnicate k=1"), HasSubstr("operator = frobnicate"));
  EXPECT_THAT(refused("nonzero order=both"), HasSubstr("order = both"));
  EXPECT_THAT(refused("nonzero order"), HasSubstr("it is key=value"));
  EXPECT_THAT(refused("nonzero =1"), HasSubstr("it is key=value"));
  EXPECT_THAT(refused("nonzero order=onnx order=onnx"), HasSubstr("given once"));
  EXPECT_THAT(refused("nonzero axis=1"), HasSubstr("no such parameter"));
  EXPECT_THAT(refused("argmax axis=one"), HasSubstr("it is an integer"));
  EXPECT_THAT(refused("argmax axis=99999999999999999999"), HasSubstr("it is an integer"));
  EXPECT_THAT(refused("argmax keepdims=2"), HasSubstr("it is 0 to 1"));
  EXPECT_THAT(refused("nms iou_threshold=nan", 2), HasSubstr("it is a number"));
  EXPECT_THAT(refused("anchors sizes=1,,x aspect_ratios=1 stride_h=1 stride_w=1"),
              HasSubstr("numbers with commas"));
  EXPECT_THAT(refused("anchors sizes= aspect_ratios=1 stride_h=1 stride_w=1"),
              HasSubstr("numbers with commas"));
  EXPECT_THAT(refused("where"), HasSubstr("inputs = 1"));
  EXPECT_THAT(refused("where", 3, 2), HasSubstr("outputs = 2"));
  EXPECT_EQ(refused("  nonzero \n order=torch  "), "nothing");
}

TEST(Texts, ResultsHaveToFit) {
  const Array in = integers({3}, {1, 1, 0});
  EXPECT_THAT(try_run("nonzero", {in}, {Type::i32}, 1).status().message(),
              HasSubstr("output 0 = (1,2): a result must have at most"));
  EXPECT_TRUE(try_run("nonzero", {in}, {Type::i32}, 2).ok());
}

TEST(Texts, PositionsThatAreNoFloats) {
  std::vector<int32_t> many(static_cast<size_t>((1 << 24) + 2));
  many.back() = 1;
  const Array in = integers({(1 << 24) + 2}, std::move(many));
  EXPECT_THAT(failure("nonzero", {in}), HasSubstr("make output 0 int32"));
}

TEST(Texts, EveryOperatorIsInTheDocument) {
  std::ifstream file(TPUTWIN_SOURCE_DIR "/docs/host-operators.md");
  std::stringstream page;
  page << file.rdbuf();
  for (std::string_view name : host::operator_names())
    EXPECT_THAT(page.str(), HasSubstr("\n| `" + std::string(name) + "` |"));
}

}  // namespace
}  // namespace tputwin::testing
