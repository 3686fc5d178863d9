// Pictures as samples, and outputs as boxes.
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet/data/decode.h"
#include "bmnet/data/readers.h"
#include "tools/vision/detections.h"

namespace tputwin::tools {
namespace {

using Boxes = std::vector<Detection>;

constexpr net::Extents kSample{1, 3, 64, 128};

// ---- Samples ----

std::vector<float> sample_of(const net::Extents& picture, net::DataOptions options) {
  options.shape = {1, 1, 4, 4};
  std::vector<float> values(16);
  const net::Picture given{picture, std::vector<float>(static_cast<size_t>(picture.count()), 50)};
  EXPECT_TRUE(net::prepare(given, options, "picture", values).ok());
  return values;
}

TEST(Pictures, KeepTheirProportionsInALetterbox) {
  const net::DataOptions options{.letterbox = true, .border = 9};
  const std::vector<float> wide = sample_of({1, 1, 10, 20}, options);
  const std::vector<float> high = sample_of({1, 1, 20, 10}, options);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(wide[i], i / 4 == 1 || i / 4 == 2 ? 50 : 9) << i;
    EXPECT_EQ(high[i], i % 4 == 1 || i % 4 == 2 ? 50 : 9) << i;
  }
}

TEST(Pictures, HaveTheBorderNormalizedAsThePixels) {
  const net::DataOptions options{.mean = {10}, .scale = {0.5f}, .letterbox = true, .border = 30};
  EXPECT_EQ(sample_of({1, 1, 1, 4}, options).front(), 10);
}

TEST(Pictures, ArePlacedWhereSamplesHaveThem) {
  net::DataOptions options{.shape = {1, 3, 64, 128}};
  const net::Placement stretched = net::place({1, 3, 10, 10}, options);
  EXPECT_EQ(std::tie(stretched.height, stretched.width, stretched.top), std::tuple(64, 128, 0));
  options.letterbox = true;
  const net::Placement kept = net::place({1, 3, 10, 10}, options);
  EXPECT_EQ(std::tie(kept.height, kept.width, kept.top, kept.left), std::tuple(64, 64, 0, 32));
  options.letterbox = false;
  options.crop = true;
  const net::Placement cut = net::place({1, 3, 70, 131}, options);
  EXPECT_EQ(std::tie(cut.height, cut.width, cut.top, cut.left), std::tuple(70, 131, -3, -1));
}

TEST(Pictures, OfPixelsHaveTheirChannelsInOrder) {
  const std::vector<uint8_t> pixels{1, 2, 3, 4, 5, 6};  // two of blue, green, red
  EXPECT_EQ(net::picture_of(pixels, {1, 3, 1, 2}, 3, false)->values,
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(net::picture_of(pixels, {1, 3, 1, 2}, 3, true)->values,
            (std::vector<float>{3, 6, 2, 5, 1, 4}));
  EXPECT_EQ(net::picture_of(std::vector<uint8_t>{7}, {1, 1, 1, 1}, 3, true)->values,
            (std::vector<float>{7, 7, 7}));
  EXPECT_FALSE(net::picture_of(pixels, {1, 3, 1, 1}, 3, true).ok());
}

// ---- Bounds ----

std::string refusal(std::string_view file) {
  const auto pixels = net::decode_file({reinterpret_cast<const uint8_t*>(file.data()), file.size()},
                                       false, "photo");
  return pixels.ok() ? "" : pixels.error().detail();
}

TEST(Pictures, OfAbsurdSizeCostNothing) {
  EXPECT_NE(refusal("P5 20000 20000 255\n1").find("20000 rows of 20000 pixels"), std::string::npos);
  EXPECT_NE(refusal("P5 65000 65000 255\n1").find("more than 67108864 pixels"), std::string::npos);
  EXPECT_NE(refusal("P6 3 100000 255\n1").find("100000 rows"), std::string::npos);
  EXPECT_NE(refusal("P5 300 300 255\n1").find("cannot be read"), std::string::npos);
}

TEST(Pictures, OfOtherKindsAreNotRequested) {
  EXPECT_NE(refusal("NITF02.10").find("not a JPEG"), std::string::npos);
  EXPECT_NE(refusal("").find("not a JPEG"), std::string::npos);
}

TEST(Pictures, HaveFewScans) {
  std::string file = "\xff\xd8\xff";
  for (int i = 0; i < 200; ++i) file += "\xff\xda";
  EXPECT_NE(refusal(file).find("200 scans"), std::string::npos);
}

TEST(Pictures, AreNotScaledToAbsurdSizes) {
  net::DataOptions options{.shape = {1, 1, 4, 4}};
  options.resize_h = options.resize_w = 1 << 30;
  std::vector<float> values(16);
  const net::Picture picture{{1, 1, 2, 2}, std::vector<float>(4)};
  EXPECT_FALSE(net::prepare(picture, options, "photo", values).ok());
}

// ---- Classes ----

TEST(Classes, AreTheHighestTheFirstOfEqualOnesFirst) {
  const std::vector<float> scores{0.1f, 0.7f, 0.7f, 0.2f};
  const auto found = best(scores, 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].label, 1);
  EXPECT_EQ(found[1].label, 2);
  EXPECT_EQ(found[2].label, 3);
  EXPECT_EQ(best(scores, 9).size(), 4u);
}

// ---- Boxes ----

void expect_box(const Detection& box, int label, float x1, float y1, float x2, float y2) {
  EXPECT_EQ(box.label, label);
  EXPECT_NEAR(box.x1, x1, 1e-3);
  EXPECT_NEAR(box.y1, y1, 1e-3);
  EXPECT_NEAR(box.x2, x2, 1e-3);
  EXPECT_NEAR(box.y2, y2, 1e-3);
}

TEST(Detections, OfSsdAreTheRowsOfAnImage) {
  const std::vector<float> rows{0,  1,  0.9f, 0.25f, 0.5f, 0.5f, 1,    // kept
                                1,  1,  0.9f, 0,     0,    1,    1,    // of another image
                                0,  2,  0.3f, 0,     0,    1,    1,    // too unsure
                                -1, -1, -1,   -1,    -1,   -1,   -1};  // unused row
  const OutputView view{"boxes", {1, 4, 7}, rows};
  auto found = detect({&view, 1}, 0, kSample, {.kind = DetectionKind::ssd});
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 1, 32, 32, 64, 64);
}

TEST(Detections, OfYoloComeFromAnchorsInCells) {
  // one anchor, two classes, 2 x 2 cells; all planes 0 except those of the last cell
  std::vector<float> planes(7 * 4, -20);
  for (const size_t entry : {0, 1, 2, 3}) planes[entry * 4 + 3] = 0;
  planes[4 * 4 + 3] = 20;
  planes[6 * 4 + 3] = 20;
  const OutputView view{"scale", {7, 2, 2}, planes};
  DetectionOptions options{.kind = DetectionKind::yolo, .anchors = {{10, 20}}};
  auto found = detect({&view, 1}, 0, kSample, options);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 1, 96 - 5, 48 - 10, 96 + 5, 48 + 10);
  options.anchors = {{10, 20}, {10, 20}};
  EXPECT_FALSE(detect({&view, 1}, 0, kSample, options).ok());
}

TEST(Detections, OfYoloV5AreSquaresOfAnchorsAndBoxesMoveByTwoCells) {
  // the same cell, whose numbers are adjacent; logistic(0) is 0.5: the middle, an anchor's size
  std::vector<float> numbers(4 * 7, -20);
  const size_t cell = 3 * 7;
  for (const size_t entry : {0, 1, 2}) numbers[cell + entry] = 0;
  numbers[cell + 3] = 20;  // twice the anchor, squared
  numbers[cell + 4] = numbers[cell + 5] = 20;
  const OutputView view{"scale", {1, 2, 2, 7}, numbers};
  const DetectionOptions options{.kind = DetectionKind::yolov5, .anchors = {{10, 5}}};
  auto found = detect({&view, 1}, 0, kSample, options);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 0, 96 - 5, 48 - 10, 96 + 5, 48 + 10);
}

TEST(Detections, OfYoloV5AndV8ComeInPixels) {
  std::vector<float> rows(9 * 7);
  const float box[] = {40, 30, 20, 10, 0.9f, 0.1f, 0.8f};
  std::copy(std::begin(box), std::end(box), rows.begin() + 4 * 7);
  const OutputView view{"boxes", {9, 7}, rows};
  auto found = detect({&view, 1}, 0, kSample, {.kind = DetectionKind::yolov5});
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 1, 30, 25, 50, 35);
  EXPECT_NEAR(found->front().score, 0.9 * 0.8, 1e-6);
  std::vector<float> columns(6 * 9);
  for (size_t entry = 0; entry < 4; ++entry) columns[entry * 9 + 2] = box[entry];
  columns[4 * 9 + 2] = 0.7f;
  const OutputView transposed{"boxes", {6, 9, 1}, columns};
  found = detect({&transposed, 1}, 0, kSample, {.kind = DetectionKind::yolov8});
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 0, 30, 25, 50, 35);
  EXPECT_FALSE(detect({&view, 1}, 0, kSample, {.kind = DetectionKind::mtcnn}).ok());
  const OutputView thin{"boxes", {9, 4}, std::span(rows).first(36)};
  EXPECT_FALSE(detect({&thin, 1}, 0, kSample, {.kind = DetectionKind::yolov8}).ok());
}

TEST(Detections, OfPriorsMoveThem) {
  // one prior of 32 pixels in each of 2 x 4 cells
  std::vector<float> coordinates(8 * 4), scores(8 * 2);
  for (size_t i = 0; i < 8; ++i) scores[2 * i] = 1;
  scores[2 * 5 + 1] = 0.9f;
  coordinates[5 * 4] = 1;                          // to the right by variance * size
  coordinates[5 * 4 + 3] = std::log(2.0f) / 0.2f;  // twice as high
  const std::vector<OutputView> views{{"scores", {8, 2}, scores}, {"boxes", {8, 4}, coordinates}};
  const DetectionOptions options{
      .kind = DetectionKind::priors, .background = 0, .sizes = {{32}}, .strides = {32}};
  auto found = detect(views, 0, kSample, options);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 1, 48 + 3.2f - 16, 48 - 32, 48 + 3.2f + 16, 48 + 32);
}

TEST(Detections, OfMtcnnSlideAWindow) {
  std::vector<float> scores(2 * 6), moves(4 * 6);
  scores[6 + 4] = 0.8f;  // row 1, column 1 of 2 x 3
  moves[2 * 6 + 4] = 0.5f;
  const std::vector<OutputView> views{{"prob", {2, 2, 3}, scores}, {"moves", {4, 2, 3}, moves}};
  DetectionOptions options{.kind = DetectionKind::mtcnn};
  auto found = detect(views, 0, kSample, options);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->size(), 1u);
  expect_box(found->front(), 1, 2, 2, 2 + 12 + 6, 2 + 12);
}

TEST(Detections, AreSkippedWhereABetterOneOfTheLabelIs) {
  const Boxes boxes{{1, 0.5f, 0, 0, 10, 10}, {1, 0.9f, 1, 0, 11, 10}, {2, 0.4f, 0, 0, 10, 10}};
  const Boxes kept = suppressed(boxes, 0.5f);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].score, 0.9f);
  EXPECT_EQ(kept[1].label, 2);
}

// ---- Descriptions ----

TEST(Descriptions, ReportWhatTheyDoNotKnow) {
  Description description;
  const Status status = parse_description(R"({"mean": 1, "size": 3})", description);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().argument(), "field");
  EXPECT_NE(status.message().find("size"), std::string::npos);
  EXPECT_FALSE(parse_description(R"({"rgb": "yes"})", description).ok());
  EXPECT_FALSE(parse_description(R"({"resize": [1]})", description).ok());
  EXPECT_FALSE(parse_description(R"({"detections": {"kind": "best"}})", description).ok());
}

TEST(Descriptions, FillWhatTheyName) {
  Description description;
  const Status status = parse_description(
      R"({"mean": [1, 2, 3], "scale": 0.5, "resize": [4, 5], "labels": ["a"],
          "detections": {"kind": "yolo", "anchors": [[1, 2]], "activated": true}})",
      description);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(description.preparation.mean, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(description.preparation.scale, std::vector<float>{0.5f});
  EXPECT_EQ(description.preparation.resize_w, 5);
  EXPECT_EQ(description.detections.kind, DetectionKind::yolo);
  EXPECT_TRUE(description.detections.activated);
}

}  // namespace
}  // namespace tputwin::tools
