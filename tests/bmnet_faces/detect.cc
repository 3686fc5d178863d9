// Face detectors on a photograph: int8 on the simulator finds the faces that float finds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "bmnet_faces/mtcnn.h"
#include "bmnet_faces/ultraface.h"
#include "common/shared_data.h"

namespace tputwin::testing {
namespace {

constexpr float kLeastOverlap = 0.9f;
// The bound for MTCNN on pictures that calibration has not seen. Each face has several candidates
// of high probability. In int8 these probabilities are all 127, so the kept candidate may differ
// from float's. If only the probabilities of the float nets are rounded, boxes move as far.
constexpr float kLeastOverlapUnseen = 0.8f;
constexpr size_t kFaces = 2;
constexpr int64_t kCandidates = 16;

// The calibration picture, and two variants that calibration has not seen.
std::vector<cv::Mat> pictures() {
  const cv::Mat picture = cv::imread(shared_data("mtcnn/test1.jpg"));
  cv::Mat mirrored, small;
  cv::flip(picture, mirrored, 1);
  cv::resize(mirrored, small, cv::Size(), 0.8, 0.8, cv::INTER_AREA);
  return {picture, mirrored, small};
}

TEST(Faces, MtcnnFindsInInt8WhatItFindsInFloat) {
  TW_NEED_SHARED_DATA("mtcnn/det1.caffemodel");
  TW_NEED_SHARED_DATA("mtcnn/test1.jpg");
  const std::vector<cv::Mat> all = pictures();
  Samples for_refine, for_output;
  const Mtcnn in_float{opencv_net(kDet1), recorded(opencv_net(kDet2), &for_refine),
                       recorded(opencv_net(kDet3), &for_output)};
  std::vector<std::vector<Box>> expected = {in_float.detect(all[0])};
  const Samples seen_by_refine = for_refine, seen_by_output = for_output;
  for (size_t i = 1; i < all.size(); ++i) expected.push_back(in_float.detect(all[i]));

  const net::CalibrationOptions options;
  net::CalibrationOptions tiles = options;
  tiles.input_shapes = {net::make_shape({1, 3, 48, 48})};
  auto det1 = Int8Net::create(kDet1, pyramid_tiles(all[0], 48, 48), tiles);
  ASSERT_TRUE(det1.ok()) << det1.error().message();
  auto det2 = Int8Net::create(kDet2, seen_by_refine, options, kCandidates);
  ASSERT_TRUE(det2.ok()) << det2.error().message();
  auto det3 = Int8Net::create(kDet3, seen_by_output, options, kCandidates);
  ASSERT_TRUE(det3.ok()) << det3.error().message();
  const Mtcnn in_int8{simulated_net(*det1), simulated_net(*det2), simulated_net(*det3)};
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(fmt::format("picture {}", i));
    EXPECT_EQ(expected[i].size(), kFaces);
    expect_same_faces(fmt::format("picture{}", i), expected[i], in_int8.detect(all[i]),
                      i == 0 ? kLeastOverlap : kLeastOverlapUnseen);
  }
  if (HasFailure())
    for (const auto& net : {*det1, *det2, *det3})
      ADD_FAILURE() << net::report_text(net->calibration());
}

TEST(Faces, UltraFaceFindsInInt8WhatItFindsInFloat) {
  TW_NEED_SHARED_DATA("ultraface/RFB-320.caffemodel");
  TW_NEED_SHARED_DATA("mtcnn/test1.jpg");
  const std::vector<cv::Mat> all = pictures();
  Samples samples;
  samples.add(ultraface_input(all[0]));
  auto net = Int8Net::create(kUltraFace, samples, {});
  ASSERT_TRUE(net.ok()) << net.error().message();
  const Runner in_float = opencv_net(kUltraFace), in_int8 = simulated_net(*net);
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(fmt::format("picture {}", i));
    const std::vector<Box> expected = ultraface_detect(in_float, all[i]);
    EXPECT_EQ(expected.size(), kFaces);
    expect_same_faces(fmt::format("picture{}", i), expected, ultraface_detect(in_int8, all[i]),
                      kLeastOverlap);
  }
  if (HasFailure()) ADD_FAILURE() << net::report_text((*net)->calibration());
}

}  // namespace
}  // namespace tputwin::testing
