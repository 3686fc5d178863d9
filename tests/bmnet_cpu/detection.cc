// Operators of detectors.
#include "bmnet_cpu/call.h"
#include "host/detection/boxes.h"

namespace tputwin::test {
namespace {

using host::Box;

TEST(Boxes, Overlap) {
  const Box a{0, 0, 2, 2}, b{1, 1, 3, 3};
  EXPECT_FLOAT_EQ(host::overlap(a, b), 1.0F / 7);
  EXPECT_FLOAT_EQ(host::overlap(a, b, 1), 4.0F / 14);
  EXPECT_FLOAT_EQ(host::overlap(a, {2, 0, 3, 1}), 0);
  EXPECT_FLOAT_EQ(host::overlap({1, 1, 0, 0}, a), 0);
}

TEST(Boxes, SuppressKeepsTheBest) {
  const std::vector<Box> boxes{{0, 0, 10, 10}, {0, 0, 10, 9}, {20, 0, 30, 10}, {0, 0, 10, 6}};
  EXPECT_EQ(host::suppress(boxes, {1, 0, 2, 3}, 0.65F), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(host::suppress(boxes, {1, 0, 2, 3}, 0.68F), (std::vector<size_t>{1, 2, 3}));
  // eta: 0.68, then 0.612 and below
  EXPECT_EQ(host::suppress(boxes, {2, 1, 3}, 0.68F, 0.9F), (std::vector<size_t>{2, 1}));
}

TEST(PriorBox, SizesAndRatios) {
  CpuCall call("tg_prior_box");
  auto* param = call.op.mutable_tg_prior_box_param();
  param->add_min_size(4);
  param->add_max_size(9);
  for (float ratio : {1.0F, 4.0F, 0.25F}) param->add_aspect_ratio(ratio);
  for (float variance : {0.1F, 0.1F, 0.2F, 0.2F}) param->add_variance(variance);
  call.input({1, 5, 1, 2}, Floats(10)).input({1, 3, 10, 20}, Floats(600)).output({1, 2, 32});
  const Floats values = call.run();
  // The second pixel: center (15, 5); sizes 4x4, 6x6, 8x2, 2x8.
  const Floats second(values.begin() + 16, values.begin() + 32);
  expect_near(second, {13 / 20.0F, 0.3F, 17 / 20.0F, 0.7F, 0.6F, 0.2F, 0.9F, 0.8F,  //
                       11 / 20.0F, 0.4F, 19 / 20.0F, 0.6F, 0.7F, 0.1F, 0.8F, 0.9F});
  const Floats variances(values.begin() + 32, values.begin() + 40);
  expect_near(variances, {0.1F, 0.1F, 0.2F, 0.2F, 0.1F, 0.1F, 0.2F, 0.2F});
}

TEST(PriorBox, ClipStepOffsetAndImageSize) {
  CpuCall call("tg_prior_box");
  auto* param = call.op.mutable_tg_prior_box_param();
  param->add_min_size(8);
  param->set_step_h(2);
  param->set_step_w(4);
  param->set_offset(0);
  param->set_img_h(16);
  param->set_img_w(16);
  call.input({1, 1, 1, 2}, Floats(2)).output({1, 2, 8});
  Floats values = call.run();
  expect_near({values.begin(), values.begin() + 8},
              {-0.25F, -0.25F, 0.25F, 0.25F, 0, -0.25F, 0.5F, 0.25F});
  expect_near({values.begin() + 8, values.begin() + 12}, {0.1F, 0.1F, 0.1F, 0.1F});
  param->set_clip(true);
  values = call.run();
  expect_near({values.begin(), values.begin() + 4}, {0, 0, 0.25F, 0.25F});
  param->set_num_priors(2);
  call.expect_refused();
  param->set_num_priors(1);
  call.output({1, 2, 12}).expect_refused();
}

// Returns a call with two priors and two classes; class 0 is the background.
CpuCall detect_output(const Floats& locations, const Floats& confidences, int64_t rows) {
  CpuCall call("tg_detectoutput");
  auto* param = call.op.mutable_tg_detectoutput_param();
  param->set_num_classes(2);
  param->set_code_type(2);
  call.input({1, 8}, locations).input({1, 4}, confidences);
  call.input({1, 2, 8}, {0.1F, 0.1F, 0.3F, 0.5F, 0.5F, 0.5F, 0.9F, 0.9F,  //
                         0.1F, 0.1F, 0.2F, 0.2F, 0.1F, 0.1F, 0.2F, 0.2F});
  call.output({1, 1, rows, 7});
  return call;
}

TEST(DetectOutput, CenterSize) {
  // First prior: center (0.2, 0.3), size (0.2, 0.4). Moved right by 0.1 * its width * 5.
  auto call = detect_output({5, 0, 0, std::log(2.0F) * 5, 0, 0, 0, 0}, {0.1F, 0.9F, 0.6F, 0.4F}, 3);
  expect_near(call.run(), {0,  1,  0.9F, 0.2F, -0.1F, 0.4F, 0.7F,  //
                           0,  1,  0.4F, 0.5F, 0.5F,  0.9F, 0.9F,  //
                           -1, -1, -1,   -1,   -1,    -1,   -1});
  call.op.mutable_tg_detectoutput_param()->set_keep_top_k(1);
  EXPECT_EQ(call.run()[7], -1);
  call.op.mutable_tg_detectoutput_param()->set_confidence_threshold(0.95F);
  EXPECT_EQ(call.run()[0], -1);
}

TEST(DetectOutput, CornerAndCornerSize) {
  auto call = detect_output({1, 1, 1, 1, 0, 0, 0, 0}, {0.1F, 0.9F, 0.6F, 0}, 1);
  auto* param = call.op.mutable_tg_detectoutput_param();
  param->set_code_type(1);
  expect_near(call.run(), {0, 1, 0.9F, 0.2F, 0.2F, 0.5F, 0.7F});
  param->set_code_type(3);  // times the prior's size, 0.2 x 0.4
  expect_near(call.run(), {0, 1, 0.9F, 0.12F, 0.14F, 0.34F, 0.58F});
  param->set_variance_encoded_in_target(true);
  expect_near(call.run(), {0, 1, 0.9F, 0.3F, 0.5F, 0.5F, 0.9F});
  param->set_code_type(4);
  call.expect_refused();
}

TEST(DetectOutput, SuppressesWithinAClassOnly) {
  // Both priors end at one position: prior 1 is moved onto prior 0.
  auto call = detect_output({0, 0, 0, 0, -4, -4, -3, -2}, {0.2F, 0.8F, 0.7F, 0.3F}, 4);
  auto* param = call.op.mutable_tg_detectoutput_param();
  param->set_code_type(1);
  EXPECT_EQ(call.run()[7], -1) << "the second overlaps the first";
  param->set_background_label_id(-1);
  const Floats all = call.run();
  // Class 0: 0.7 wins; class 1: 0.8 wins; classes in order.
  EXPECT_EQ(all[1], 0);
  EXPECT_FLOAT_EQ(all[2], 0.7F);
  EXPECT_EQ(all[8], 1);
  EXPECT_FLOAT_EQ(all[9], 0.8F);
  EXPECT_EQ(all[14], -1);
}

TEST(DetectOutput, LocationsPerClassAndSeveralImages) {
  CpuCall call("DetectOutput");
  auto* param = call.op.mutable_tg_detectoutput_param();
  param->set_num_classes(2);
  param->set_share_location(false);
  param->set_code_type(1);
  call.input({2, 8}, {9, 9, 9, 9, 0, 0, 1, 1, 9, 9, 9, 9, 0, 0, 2, 2});
  call.input({2, 2}, {0, 0.5F, 0, 0.6F});
  call.input({1, 2, 4}, {0, 0, 0.5F, 0.5F, 0.1F, 0.1F, 0.1F, 0.1F}).output({1, 1, 2, 7});
  expect_near(call.run(), {0, 1, 0.5F, 0, 0, 0.6F, 0.6F, 1, 1, 0.6F, 0, 0, 0.7F, 0.7F});
  call.inputs[1].second.pop_back();
  call.inputs[1].first = {1, 3};
  call.expect_refused();
}

TEST(Proposal, AnchorsAndSuppression) {
  CpuCall call("tg_proposal");
  auto* param = call.op.mutable_tg_proposal_param();
  param->set_feat_stride(16);
  param->add_scale(1);
  param->add_ratio(1);
  param->set_post_nms_topn(3);
  param->set_min_size(4);
  // One anchor per pixel, (0, 0, 15, 15) and 16 to the right of it.
  call.input({1, 2, 1, 2}, {0, 0, 0.3F, 0.8F}).input({1, 4, 1, 2}, Floats(8));
  call.input({1, 3}, {16, 32, 1}).output({3, 5});
  expect_near(call.run(), {0, 16, 0, 31.0F, 15, 0, 0, 0, 16, 15, 0, 0, 0, 0, 0});
  call.inputs[1].second = {1, 0, 0, 0, 0, 0, 0, 0};  // the first moves onto the second
  Floats moved = call.run();
  EXPECT_EQ(moved[5 + 3], 0) << "suppressed";
  call.inputs[1].second = {0, 0, 0, 0, -3, 0, 0, 0};  // the first becomes 0.8 pixels wide
  moved = call.run();
  EXPECT_EQ(moved[5 + 3], 0) << "too small";
  call.inputs[0].first = {1, 1, 2, 2};
  call.expect_refused();
}

TEST(Proposal, TheUsualAnchors) {
  CpuCall call("tg_proposal");
  call.op.mutable_tg_proposal_param()->set_nms_thresh(1);
  Floats scores(18);
  for (size_t i = 9; i < 18; ++i) scores[i] = 1.0F / static_cast<float>(i);
  call.input({1, 18, 1, 1}, scores).input({1, 36, 1, 1}, Floats(36));
  call.input({1, 3}, {2000, 2000, 1}).output({300, 5});
  // (-84, -40, 99, 55), the first anchor of Faster R-CNN, moved by (1, 1) times its size.
  call.inputs[1].second[0] = call.inputs[1].second[1] = 1;
  const Floats values = call.run();
  expect_near({values.begin(), values.begin() + 5}, {0, 100, 56, 284, 152}, 1.01F);
}

TEST(Proposal, SeveralImagesAndScores) {
  CpuCall call("tg_proposal");
  auto* param = call.op.mutable_tg_proposal_param();
  param->add_scale(1);
  param->add_ratio(1);
  param->set_post_nms_topn(1);
  param->set_feat_stride(32);
  const Floats scores{0, 0.3F, 0, 0.8F}, deltas(8), size{32, 32, 1};
  Floats rows(10), best(2);
  const net::ConstTensor in[] = {
      {{2, 2, 1, 1}, scores.data()}, {{2, 4, 1, 1}, deltas.data()}, {{1, 3}, size.data()}};
  const net::MutableTensor out[] = {{{2, 5}, rows.data()}, {{2, 1}, best.data()}};
  ASSERT_TRUE(net::run_cpu_op(call.op, in, out).ok());
  expect_near(rows, {0, 0, 0, 16, 16, 1, 0, 0, 16, 16});
  expect_near(best, {0.3F, 0.8F});
}

TEST(RoiPooling, MaximumOfBins) {
  CpuCall call("tg_roi_pooling");
  auto* param = call.op.mutable_tg_roi_pooling_param();
  param->set_pooled_h(2);
  param->set_pooled_w(2);
  param->set_spatial_scale(0.5F);
  Floats map(16);
  for (size_t i = 0; i < 16; ++i) map[i] = static_cast<float>(i);
  call.input({1, 1, 4, 4}, map).input({2, 5}, {0, 0, 0, 6, 6, 0, 4, 4, 4, 4});
  call.output({2, 1, 2, 2});
  // The second is one pixel, (2,2), which all bins share.
  expect_near(call.run(), {5, 7, 13, 15, 10, 10, 10, 10});
  call.inputs[1].second = {0, 10, 0, 20, 2, 0, 0, 0, 4, 4};
  expect_near(call.run(), {0, 0, 0, 0, 5, 6, 9, 10});  // bins of 1.5 pixels overlap
  call.inputs[1].second[0] = 1;
  call.expect_refused();
  call.inputs[1].second[0] = NAN;
  call.expect_refused();
}

TEST(PsRoiPooling, AverageOfTheBinsChannel) {
  CpuCall call("tg_psroi_pooling");
  auto* param = call.op.mutable_tg_psroi_pooling_param();
  param->set_group_size(2);
  param->set_output_dim(1);
  param->set_spatial_scale(1);
  Floats map;
  for (float channel : {100, 200, 300, 400})
    for (int i = 0; i < 4; ++i) map.push_back(channel + static_cast<float>(i));
  call.input({1, 4, 2, 2}, map).input({1, 5}, {0, 0, 0, 1, 1}).output({1, 1, 2, 2});
  expect_near(call.run(), {100, 201, 302, 403});
  call.inputs[1].second = {0, 0, 0, 3, 3};  // bins of two pixels, the others outside
  expect_near(call.run(), {101.5F, 0, 0, 0});
  call.output({1, 2, 2, 2}).expect_refused();
}

TEST(Region, SigmoidsAndSoftmax) {
  CpuCall call("tg_region");
  auto* param = call.op.mutable_tg_region_param();
  param->set_classes(2);
  param->set_num(1);
  call.input({1, 7, 1, 1}, {0, 0, 2, 3, 0, 1, 1}).output({1, 7, 1, 1});
  expect_near(call.run(), {0.5F, 0.5F, 2, 3, 0.5F, 0.5F, 0.5F});
  param->set_softmax(0);
  const float one = 1 / (1 + std::exp(-1.0F));
  expect_near(call.run(), {0.5F, 0.5F, 2, 3, 0.5F, one, one});
  param->set_softmax(1);
  param->set_background(1);
  const float e = std::exp(1.0F), sum = 1 + 2 * e;
  expect_near(call.run(), {0.5F, 0.5F, 2, 3, 1 / sum, e / sum, e / sum});
  param->set_num(2);
  call.expect_refused();
}

TEST(Yolo, Sigmoids) {
  CpuCall call("tg_yolo");
  call.op.mutable_tg_yolo_param()->set_classes(1);
  call.input({1, 12, 1, 1}, {0, 0, 2, 3, 0, 0, 0, 0, 4, 5, 0, 0}).output({1, 12, 1, 1});
  expect_near(call.run(), {0.5F, 0.5F, 2, 3, 0.5F, 0.5F, 0.5F, 0.5F, 4, 5, 0.5F, 0.5F});
  call.op.mutable_tg_yolo_param()->set_classes(2);
  call.expect_refused();
}

TEST(YoloPost, DecodesEveryScale) {
  CpuCall call("tg_yolopost");
  auto* param = call.op.mutable_tg_yolopost_param();
  param->set_classes(1);
  param->set_netw(100);
  param->set_neth(100);
  for (int i : {1, 0}) param->add_mask(i);
  for (int size : {10, 20, 30, 40}) param->add_anchor(size);
  // A map of one pixel with anchor 1, and one of two with anchor 0; entries x, y, w, h, obj, class.
  call.input({1, 6, 1, 1}, {0.5F, 0.5F, 0, 0, 0.9F, 1});
  call.input({1, 6, 1, 2}, {0.5F, 0.5F, 0.5F, 0.5F, 0, 0, 0, 0, 0.6F, 0.8F, 0.5F, 1});
  call.output({1, 1, 3, 7});
  // The first pixel of the second map: 0.6 * 0.5 is below the threshold.
  expect_near(call.run(), {0,  0,  0.9F, 0.35F, 0.3F, 0.65F, 0.7F,  //
                           0,  0,  0.8F, 0.7F,  0.4F, 0.8F,  0.6F,  //
                           -1, -1, -1,   -1,    -1,   -1,    -1});
  param->set_obj_threshold(0.85F);
  EXPECT_EQ(call.run()[7], -1);
  param->clear_mask();
  param->add_mask(2);
  call.expect_refused();
}

}  // namespace
}  // namespace tputwin::test
