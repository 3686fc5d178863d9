// Operators of detectors, compared with plain definitions in double.
#include <algorithm>
#include <set>

#include "host/support.h"

namespace tputwin::testing {
namespace {

double plain_iou(const float* a, const float* b) {
  const double w = std::max(0.0, std::min<double>(a[2], b[2]) - std::max<double>(a[0], b[0]));
  const double h = std::max(0.0, std::min<double>(a[3], b[3]) - std::max<double>(a[1], b[1]));
  const auto area = [](const float* c) { return (double{c[2]} - c[0]) * (double{c[3]} - c[1]); };
  return w * h / (area(a) + area(b) - w * h);
}

// Returns boxes on a coarse grid, so that many overlap and some are equal.
Array boxes(Random& random, int64_t number) {
  std::vector<float> values;
  for (int64_t i = 0; i < number; ++i) {
    const auto x = static_cast<float>(random.below(8)), y = static_cast<float>(random.below(8));
    values.insert(values.end(), {x, y, x + static_cast<float>(1 + random.below(6)),
                                 y + static_cast<float>(1 + random.below(6))});
  }
  return floats({number, 4}, std::move(values));
}

// A set is right if no box in it is covered by a better one, and every other box is covered.
void expect_right(const Array& all, const std::vector<float>& scores,
                  const std::vector<int32_t>& kept, double threshold) {
  const std::set<int32_t> inside(kept.begin(), kept.end());
  ASSERT_EQ(inside.size(), kept.size());
  const auto better = [&](int32_t a, int32_t b) {
    const float first = scores[static_cast<size_t>(a)], second = scores[static_cast<size_t>(b)];
    return first > second || (first == second && a < b);
  };
  for (size_t i = 1; i < kept.size(); ++i) EXPECT_TRUE(better(kept[i - 1], kept[i]));
  for (int32_t i = 0; i < static_cast<int32_t>(scores.size()); ++i) {
    const bool covered = std::ranges::any_of(kept, [&](int32_t other) {
      return better(other, i) &&
             plain_iou(all.f32().data() + 4 * i, all.f32().data() + 4 * other) > threshold;
    });
    EXPECT_EQ(covered, !inside.contains(i)) << i;
  }
}

TEST(Nms, KeepsWhatNoBetterOneCovers) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const int64_t number = random.below(30);
    const Array all = boxes(random, number), scores = random.coarse({number});
    const float threshold = random.uniform(0.1F, 0.77F);
    const Array kept =
        run1("nms iou_threshold=" + std::to_string(threshold), {all, scores}, Type::i32);
    expect_right(all, scores.f32(), kept.i32(), std::stof(std::to_string(threshold)));
  }
}

TEST(Nms, LimitsAndSpecialValues) {
  const Array all = floats({4, 4}, {0, 0, 1, 1, 5, 5, 6, 6, 2, 2, 2, 2, 2, 2, 2, 2});
  const Array scores = floats({4}, {0.1F, kNan, 0.5F, 0.5F});
  // boxes without an area do not cover each other; NaN comes first
  EXPECT_THAT(run1("nms", {all, scores}, Type::i32).i32(), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(run1("nms max_output=2", {all, scores}, Type::i32).i32(), ElementsAre(1, 2));
  EXPECT_THAT(run1("nms score_threshold=0.5", {all, scores}, Type::i32).i32(),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(run1("nms", {floats({0, 4}, {}), floats({0}, {})}, Type::i32).i32(), IsEmpty());
  EXPECT_THAT(failure("nms", {all, floats({3}, {1, 2, 3})}), HasSubstr("boxes are (n,4)"));
}

TEST(OnnxNms, RowsByImageAndClass) {
  Random random(7);
  const int64_t images = 2, classes = 3, number = 12;
  std::vector<float> values, swapped;
  for (int64_t i = 0; i < images; ++i) {
    const Array some = boxes(random, number);
    for (size_t k = 0; k < some.size(); k += 4) {
      const float* box = some.f32().data() + k;
      values.insert(values.end(), box, box + 4);
      // any two opposite corners, y before x
      if (random.below(2))
        swapped.insert(swapped.end(), {box[3], box[0], box[1], box[2]});
      else
        swapped.insert(swapped.end(), {box[1], box[0], box[3], box[2]});
    }
  }
  const Array scores = random.coarse({images, classes, number});
  const Array out = run1("onnx_nms max_output_boxes_per_class=100 iou_threshold=0.4",
                         {floats({images, number, 4}, swapped), scores}, Type::i32);
  for (int64_t image = 0; image < images; ++image)
    for (int64_t label = 0; label < classes; ++label) {
      std::vector<int32_t> kept;
      for (size_t row = 0; row < out.size(); row += 3)
        if (out.i32()[row] == image && out.i32()[row + 1] == label)
          kept.push_back(out.i32()[row + 2]);
      const float* from = scores.f32().data() + (image * classes + label) * number;
      const auto first = values.begin() + image * number * 4;
      expect_right(floats({number, 4}, {first, first + number * 4}), {from, from + number}, kept,
                   0.4F);
    }
  for (size_t row = 3; row < out.size(); row += 3)
    EXPECT_LE(out.i32()[row - 3] * classes + out.i32()[row - 2],
              out.i32()[row] * classes + out.i32()[row + 1]);
}

TEST(OnnxNms, LimitsAsInputs) {
  const Array one = floats({1, 3, 4}, {1, 1, 2, 2, 1, 1, 2, 2.1F, 8, 8, 2, 4});  // centers
  const Array scores = floats({1, 1, 3}, {0.3F, 0.9F, 0.6F});
  const auto result = [&](const std::string& text, std::vector<Array> more) {
    std::vector<Array> inputs{one, scores};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return run1("onnx_nms center_point_box=1" + text, inputs, Type::i32);
  };
  EXPECT_EQ(result("", {}).shape, (Shape{0, 3}));  // ONNX: none, unless a number is given
  EXPECT_THAT(result("", {integers({1}, {2}), floats({1}, {0.5F})}).i32(),
              ElementsAre(0, 0, 1, 0, 0, 2));
  EXPECT_THAT(result("", {integers({1}, {9}), floats({1}, {1}), floats({1}, {0.5F})}).i32(),
              ElementsAre(0, 0, 1, 0, 0, 2));
  EXPECT_THAT(result(" score_threshold=0.6 max_output_boxes_per_class=5", {}).i32(),
              ElementsAre(0, 0, 1));  // above, not equal
  EXPECT_THAT(failure("onnx_nms", {one, scores, integers({1}, {-1})}), HasSubstr("0 or more"));
  EXPECT_THAT(failure("onnx_nms", {one, floats({1, 3}, {0, 0, 0})}), HasSubstr("3 axes"));
}

TEST(PriorBox, CaffesFormula) {
  const Array layer = floats({1, 2, 3, 5}, std::vector<float>(30));
  const Array out = run1(
      "prior_box min_size=4,10 max_size=9,20 aspect_ratio=2 variance=0.1,0.2,0.3,0.4 "
      "img_h=30 img_w=40 step_h=8 step_w=10 offset=0.25",
      {layer});
  const double sizes[8][2] = {{4, 4},
                              {6, 6},
                              {4 * std::sqrt(2.0), 4 / std::sqrt(2.0)},
                              {4 * std::sqrt(0.5), 4 / std::sqrt(0.5)},
                              {10, 10},
                              {std::sqrt(200.0), std::sqrt(200.0)},
                              {10 * std::sqrt(2.0), 10 / std::sqrt(2.0)},
                              {10 * std::sqrt(0.5), 10 / std::sqrt(0.5)}};
  ASSERT_EQ(out.shape, (Shape{1, 2, 3 * 5 * 8 * 4}));
  for (int64_t y = 0; y < 3; ++y)
    for (int64_t x = 0; x < 5; ++x)
      for (int64_t s = 0; s < 8; ++s) {
        const int64_t box = (y * 5 + x) * 8 + s;
        const double cx = (static_cast<double>(x) + 0.25) * 10,
                     cy = (static_cast<double>(y) + 0.25) * 8;
        const double corners[] = {(cx - sizes[s][0] / 2) / 40, (cy - sizes[s][1] / 2) / 30,
                                  (cx + sizes[s][0] / 2) / 40, (cy + sizes[s][1] / 2) / 30};
        for (int64_t i = 0; i < 4; ++i) {
          EXPECT_NEAR(at(out.f32(), out.shape, {0, 0, box * 4 + i}), corners[i], 1e-5);
          EXPECT_EQ(at(out.f32(), out.shape, {0, 1, box * 4 + i}),
                    static_cast<float>(static_cast<double>(i + 1) / 10));
        }
      }
}

TEST(PriorBox, TheImageAsAnInput) {
  const Array layer = floats({1, 1, 1, 2}, {0, 0}),
              image = floats({1, 1, 4, 8}, std::vector<float>(32));
  const Array out = run1("prior_box min_size=6 clip=1 flip=0", {layer, image});
  EXPECT_THAT(out.f32(), ElementsAre(0, 0, 0.625F, 1, 0.375F, 0, 1, 1, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F,
                                     0.1F, 0.1F, 0.1F));
  EXPECT_THAT(failure("prior_box min_size=6", {layer}), HasSubstr("img_h and img_w"));
  EXPECT_THAT(failure("prior_box", {layer}), HasSubstr("min_size = not given"));
  EXPECT_THAT(failure("prior_box min_size=6 max_size=5", {layer}), HasSubstr("above min_size"));
}

// Two priors, the second far away; corner code: location times variance is added.
TEST(DetectionOutput, CodesThresholdsAndRows) {
  const Array priors =
      floats({1, 2, 12}, {0,    0,    0.4F, 0.2F, 0.5F, 0.5F, 0.9F, 0.9F, 0.1F, 0,    0.5F, 0.2F,
                          0.1F, 0.1F, 0.2F, 0.2F, 0.1F, 0.1F, 0.2F, 0.2F, 0.1F, 0.1F, 0.2F, 0.2F});
  const Array locations = floats({1, 12}, {1, 2, 0.5F, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  const Array confidences = floats({1, 6}, {0.1F, 0.9F, 0.3F, 0.7F, 0.2F, kNan});
  const auto result = [&](const std::string& text) {
    return run1("detection_output num_classes=2 " + text, {locations, confidences, priors});
  };
  const float e = std::exp(0.1F) * 0.4F, f = std::exp(0.2F) * 0.2F;
  const Array center = result("code_type=center_size confidence_threshold=0.5");
  ASSERT_EQ(center.shape, (Shape{1, 1, 2, 7}));
  expect_floats(center,
                {0, 1, 0.9F, 0.24F - e / 2, 0.14F - f / 2, 0.24F + e / 2, 0.14F + f / 2, 0, 1, 0.7F,
                 0.5F, 0.5F, 0.9F, 0.9F},
                1e-6F);
  const Array corner = result("confidence_threshold=0.8");
  expect_floats(corner, {0, 1, 0.9F, 0.1F, 0.2F, 0.5F, 0.4F}, 1e-6F);
  const Array sized = result("code_type=corner_size keep_top_k=1 background_label_id=-1");
  expect_floats(sized, {0, 1, 0.9F, 0.04F, 0.04F, 0.44F, 0.24F}, 1e-6F);
  EXPECT_EQ(result("confidence_threshold=0.95").shape, (Shape{1, 1, 0, 7}));  // nothing found
  EXPECT_THAT(failure("detection_output", {locations, confidences, priors}),
              HasSubstr("num_classes = not given"));
  EXPECT_THAT(failure("detection_output num_classes=3", {locations, confidences, priors}),
              HasSubstr("num_classes confidences per prior"));
}

TEST(YoloBox, PaddlesFormula) {
  Random random(9);
  const int64_t classes = 2, height = 2, width = 3;
  const std::vector<float> anchors{10, 13, 16, 30};
  const Array in = random.fine({2, 14, height, width}),
              sizes = integers({2, 2}, {100, 200, 50, 80});
  for (bool clip : {false, true}) {
    const auto out =
        run("yolo_box anchors=10,13,16,30 class_num=2 conf_thresh=0.4 "
            "downsample_ratio=16 scale_x_y=1.2 clip_bbox=" +
                std::string(clip ? "1" : "0"),
            {in, sizes}, {Type::f32, Type::f32});
    ASSERT_EQ(out[0].shape, (Shape{2, 12, 4}));
    ASSERT_EQ(out[1].shape, (Shape{2, 12, classes}));
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    for_each_place({2, 2, height, width}, [&](const std::vector<int64_t>& p) {
      const auto entry = [&](int64_t e) {
        return double{at(in.f32(), in.shape, {p[0], p[1] * 7 + e, p[2], p[3]})};
      };
      const int64_t box = (p[1] * height + p[2]) * width + p[3];
      const double image_h = p[0] ? 50 : 100, image_w = p[0] ? 80 : 200;
      const double found = sigmoid(entry(4)) >= 0.4 ? 1 : 0;
      const double x =
          (static_cast<double>(p[3]) + sigmoid(entry(0)) * 1.2 - 0.1) / width * image_w;
      const double y =
          (static_cast<double>(p[2]) + sigmoid(entry(1)) * 1.2 - 0.1) / height * image_h;
      const auto a = static_cast<size_t>(p[1]);
      const double w = std::exp(entry(2)) * anchors[2 * a] / (16 * width) * image_w;
      const double h = std::exp(entry(3)) * anchors[2 * a + 1] / (16 * height) * image_h;
      double corners[] = {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
      if (clip) {
        for (int i : {0, 1}) corners[i] = std::max(corners[i], 0.0);
        corners[2] = std::min(corners[2], image_w - 1);
        corners[3] = std::min(corners[3], image_h - 1);
      }
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_NEAR(at(out[0].f32(), out[0].shape, {p[0], box, i}), found * corners[i], 1e-3);
      for (int64_t c = 0; c < classes; ++c)
        EXPECT_NEAR(at(out[1].f32(), out[1].shape, {p[0], box, c}),
                    found * sigmoid(entry(4)) * sigmoid(entry(5 + c)), 1e-5);
    });
  }
  EXPECT_THAT(failure("yolo_box anchors=1,2,3 class_num=1", {in, sizes}, {Type::f32, Type::f32}),
              HasSubstr("a width and a height"));
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Region, LogisticFunctionsAndSoftmaxOfClasses) {
  Random random(11);
  const Array in = random.fine({2, 2 * 8, 2, 3});
  for (const bool softmax : {true, false}) {
    const Array out =
        run1("region classes=3 coords=4 num=2 softmax=" + std::to_string(softmax), {in});
    ASSERT_EQ(out.shape, in.shape);
    for_each_place({2, 2, 2, 3}, [&](const std::vector<int64_t>& p) {
      const auto entry = [&](const Array& of, int64_t e) {
        return double{at(of.f32(), of.shape, {p[0], p[1] * 8 + e, p[2], p[3]})};
      };
      double sum = 0;
      for (int64_t c = 5; c < 8; ++c) sum += std::exp(entry(in, c));
      for (int64_t e = 0; e < 8; ++e) {
        const double x = entry(in, e);
        const double wanted = e == 2 || e == 3 ? x
                              : e < 5          ? logistic(x)
                              : softmax        ? std::exp(x) / sum
                                               : logistic(x);
        EXPECT_NEAR(entry(out, e), wanted, 1e-6);
      }
    });
  }
  EXPECT_THAT(failure("region classes=3 num=3", {in}), HasSubstr("num * (coords + 1 + classes)"));
  EXPECT_THAT(failure("region", {in}), HasSubstr("classes = not given"));
}

TEST(Yolo, LogisticFunctions) {
  const Array in = floats({1, 12, 1, 1}, {0, 0, 2, 3, 0, 0, 0, 0, 4, 5, 0, 0});
  expect_floats(run1("yolo classes=1", {in}),
                {0.5F, 0.5F, 2, 3, 0.5F, 0.5F, 0.5F, 0.5F, 4, 5, 0.5F, 0.5F}, 1e-6F);
  EXPECT_THAT(failure("yolo classes=2", {in}), HasSubstr("7 channels per anchor"));
  EXPECT_THAT(failure("yolo classes=1", {floats({12}, std::vector<float>(12))}),
              HasSubstr("4 axes"));
}

// A map of one pixel with anchor 1, and one of two with anchor 0.
TEST(YoloDetections, BoxesOfEveryScale) {
  const Array coarse = floats({1, 6, 1, 1}, {0.5F, 0.5F, 0, 0, 0.9F, 1});
  const Array fine =
      floats({1, 6, 1, 2}, {0.5F, 0.5F, 0.5F, 0.5F, 0, 0, 0, 0, 0.6F, 0.8F, 0.5F, 1});
  const std::string text =
      "yolo_detections classes=1 netw=100 neth=100 masks=1,0 anchors=10,20,30,40";
  const Array out = run1(text, {coarse, fine});
  ASSERT_EQ(out.shape, (Shape{1, 1, 2, 7}));  // 0.6 * 0.5 is below the threshold
  expect_floats(out, {0, 0, 0.9F, 0.35F, 0.3F, 0.65F, 0.7F, 0, 0, 0.8F, 0.7F, 0.4F, 0.8F, 0.6F},
                1e-6F);
  EXPECT_EQ(run1(text + " keep_top_k=1", {coarse, fine}).shape, (Shape{1, 1, 1, 7}));
  EXPECT_EQ(run1(text + " obj_threshold=0.95", {coarse, fine}).shape, (Shape{1, 1, 0, 7}));
  EXPECT_THAT(failure("yolo_detections classes=1 anchors=1,2,3", {coarse}),
              HasSubstr("a width and a height"));
  EXPECT_THAT(failure("yolo_detections classes=1 masks=2 anchors=1,2,3,4", {coarse}),
              HasSubstr("no anchor 2"));
  EXPECT_THAT(failure("yolo_detections classes=1 masks=0.5 anchors=1,2", {coarse}),
              HasSubstr("integers from 0 on"));
}

// One anchor per pixel, (0, 0, 15, 15) and 16 to the right of it.
TEST(Proposal, RegionsAndScores) {
  const Array scores = floats({1, 2, 1, 2}, {0, 0, 0.3F, 0.8F});
  const Array still = floats({1, 4, 1, 2}, std::vector<float>(8));
  const Array image = floats({1, 3}, {16, 32, 1});
  const std::string text = "proposal scale=1 ratio=1 post_nms_topn=3 min_size=4";
  const auto out = run(text, {scores, still, image}, {Type::f32, Type::f32});
  ASSERT_EQ(out[0].shape, (Shape{3, 5}));
  expect_floats(out[0], {0, 16, 0, 31, 15, 0, 0, 0, 16, 15, 0, 0, 0, 0, 0}, 1e-6F);
  expect_floats(out[1], {0.8F, 0.3F, 0}, 1e-6F);
  // Without sizes the image is the map times the stride.
  expect_floats(run1(text, {scores, still}), out[0].f32(), 1e-6F);
  EXPECT_THAT(failure("proposal scale=1,2 ratio=1", {scores, still}),
              HasSubstr("each of 2 anchors"));
  EXPECT_THAT(failure("proposal scale=-1", {scores, still}), HasSubstr("numbers above 0"));
}

TEST(RoiPooling, MaximaAndAverages) {
  std::vector<float> values(16);
  for (size_t i = 0; i < 16; ++i) values[i] = static_cast<float>(i);
  const Array map = floats({1, 1, 4, 4}, values);
  const std::string text = "roi_pooling pooled_h=2 pooled_w=2 spatial_scale=0.5";
  // The second region is one pixel, (2,2), which all bins share.
  const Array out = run1(text, {map, floats({2, 5}, {0, 0, 0, 6, 6, 0, 4, 4, 4, 4})});
  ASSERT_EQ(out.shape, (Shape{2, 1, 2, 2}));
  expect_floats(out, {5, 7, 13, 15, 10, 10, 10, 10}, 0);
  EXPECT_THAT(failure(text, {map, floats({1, 5}, {1, 0, 0, 6, 6})}), HasSubstr("is in image 1"));
  EXPECT_THAT(failure(text, {map, floats({1, 5}, {0, 0, kNan, 6, 6})}), HasSubstr("is no box"));
  std::vector<float> planes;
  for (float channel : {100, 200, 300, 400})
    for (int i = 0; i < 4; ++i) planes.push_back(channel + static_cast<float>(i));
  const Array by_bin = floats({1, 4, 2, 2}, planes);
  const std::string positions = "psroi_pooling group_size=2 output_dim=1";
  expect_floats(run1(positions, {by_bin, floats({1, 5}, {0, 0, 0, 1, 1})}), {100, 201, 302, 403},
                0);
  expect_floats(run1(positions, {by_bin, floats({1, 5}, {0, 0, 0, 3, 3})}), {101.5F, 0, 0, 0}, 0);
  EXPECT_THAT(
      failure("psroi_pooling group_size=2 output_dim=2", {by_bin, floats({1, 5}, {0, 0, 0, 1, 1})}),
      HasSubstr("input channels"));
}

TEST(Anchors, TorchvisionsGrid) {
  const Array layer = floats({1, 1, 2, 3}, std::vector<float>(6));
  const Array out = run1("anchors sizes=32,64 aspect_ratios=0.5,1 stride_h=8 stride_w=16", {layer});
  ASSERT_EQ(out.shape, (Shape{2 * 3 * 4, 4}));
  // 0.5: w = 32 * sqrt(2) = 45.25, h = 22.63; rounded halves 23 and 11
  const double base[4][2] = {{23, 11}, {45, 23}, {16, 16}, {32, 32}};
  for (int64_t i = 0; i < 24; ++i) {
    const double x = static_cast<double>(i / 4 % 3) * 16, y = static_cast<double>(i / 12) * 8;
    const double* half = base[i % 4];
    const double corners[] = {x - half[0], y - half[1], x + half[0], y + half[1]};
    for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(at(out.f32(), out.shape, {i, k}), corners[k]);
  }
  EXPECT_THAT(failure("anchors sizes=1 aspect_ratios=-1 stride_h=1 stride_w=1", {layer}),
              HasSubstr("ratios are above 0"));
}

}  // namespace
}  // namespace tputwin::testing
