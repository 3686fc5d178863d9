// Public float nets: calibrated, compiled and run on the simulator, their results agree with float.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "bmnet/caffe/import.h"
#include "bmnet/float/execute.h"
#include "bmnet/quantize/quantize.h"
#include "bmnet_faces/boxes.h"
#include "bmnet_faces/nets.h"
#include "common/shared_data.h"

namespace tputwin::testing {
namespace {

// Returns (1,3,height,width) of a picture in order BGR, minus a mean per channel.
net::Blob input_of(const cv::Mat& picture, int width, int height, const cv::Scalar& mean) {
  cv::Mat small;
  cv::resize(picture, small, cv::Size(width, height), 0, 0, cv::INTER_AREA);
  net::Blob blob{{1, 3, height, width}, {}};
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        blob.data.push_back(static_cast<float>(small.at<cv::Vec3b>(y, x)[c]) -
                            static_cast<float>(mean[c]));
  return blob;
}

cv::Mat crop(const cv::Mat& picture, double x, double y, double size) {
  const auto part = [&](double at, int extent) { return static_cast<int>(at * extent); };
  return picture(cv::Rect(part(x, picture.cols), part(y, picture.rows), part(size, picture.cols),
                          part(size, picture.rows)));
}

// Runs the float execution of tputwin, which tests/bmnet_float compares with recorded floats.
Outputs in_float(const net::caffe::NetParameter& caffe, const net::Blob& input) {
  auto network = net::import_caffe(caffe);
  if (!network.ok()) return ADD_FAILURE() << network.error().message(), Outputs{};
  auto executor = net::FloatExecutor::create(*network);
  if (!executor.ok()) return ADD_FAILURE() << executor.error().message(), Outputs{};
  auto outputs = (*executor)->run({{"data", input}});
  if (!outputs.ok()) return ADD_FAILURE() << outputs.error().message(), Outputs{};
  return *outputs;
}

// ---- libfacedetection: Normalize layers, priors, DetectionOutput ----

const cv::Scalar kFaceMean(103.94, 116.78, 123.68);
constexpr int kFaceWidth = 320, kFaceHeight = 240;
constexpr float kLeastOverlap = 0.9f, kShown = 0.3f;  // kShown: the net's own visualize_threshold

std::vector<Box> faces(const Outputs& outputs) {
  std::vector<Box> boxes;
  const std::vector<float>& rows = outputs.at("detection_out").data;
  for (size_t i = 0; i + 7 <= rows.size(); i += 7)
    if (rows[i] >= 0 && rows[i + 2] >= kShown)
      boxes.push_back({rows[i + 3] * kFaceWidth, rows[i + 4] * kFaceHeight,
                       rows[i + 5] * kFaceWidth, rows[i + 6] * kFaceHeight, rows[i + 2]});
  return boxes;
}

TEST(PublicNets, YuFaceFindsInInt8WhatItFindsInFloat) {
  TW_NEED_SHARED_DATA("bm1880-real/yufacedetect/yufacedetectnet-open-v1.caffemodel");
  TW_NEED_SHARED_DATA("mtcnn/test1.jpg");
  const cv::Mat photo = cv::imread(shared_data("bm1880-real/yufacedetect/photo.jpg"));
  auto input = [&](const cv::Mat& picture) {
    return input_of(picture, kFaceWidth, kFaceHeight, kFaceMean);
  };
  Samples samples;
  for (const cv::Mat& picture : {photo, cv::imread(shared_data("mtcnn/test1.jpg"))}) {
    samples.add(input(picture));
    for (double size : {0.5, 0.75})
      for (double x : {0.0, 0.25}) samples.add(input(crop(picture, x, x / 2, size)));
  }
  auto net = Int8Net::create(kYuFace, samples, {});
  ASSERT_TRUE(net.ok()) << net.error().message();
  // The scales of its Normalize layers stay floats, but it is not a float net.
  auto model = (*net)->reshaped({1, 3, kFaceHeight, kFaceWidth});
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_FALSE(net::has_float_weights(model->network));

  auto caffe = Int8Net::load(kYuFace);
  ASSERT_TRUE(caffe.ok()) << caffe.error().message();
  const std::vector<Box> expected = faces(in_float(*caffe, input(photo)));
  EXPECT_FALSE(expected.empty());
  expect_same_faces("photo", expected, faces((*net)->run(input(photo))), kLeastOverlap);
  if (HasFailure()) ADD_FAILURE() << net::report_text((*net)->calibration());
}

// ---- cifar10_quick: averages whose last windows are cut off ----

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    ab += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

TEST(PublicNets, CifarGivesInInt8WhatItGivesInFloat) {
  TW_NEED_SHARED_DATA("bm1880-real/cifar10/cifar10_quick_iter_5000.caffemodel");
  TW_NEED_SHARED_DATA("mtcnn/test1.jpg");
  const cv::Mat photo = cv::imread(shared_data("mtcnn/test1.jpg"));
  Samples samples;
  std::vector<net::Blob> inputs = {
      {{1, 3, 32, 32}, recorded_floats("bm1880-real/cifar10/input_1_3_32_32.f32")}};
  for (double size : {0.2, 0.4})
    for (double x = 0; x < 0.6; x += 0.1)
      inputs.push_back(input_of(crop(photo, x, x / 2, size), 32, 32, {125, 123, 114}));
  for (const net::Blob& input : inputs) samples.add(input);

  auto caffe = Int8Net::load(kCifar);
  ASSERT_TRUE(caffe.ok()) << caffe.error().message();
  caffe->mutable_layer()->RemoveLast();  // removes the softmax: logits are the output
  auto net = Int8Net::create(*caffe, samples, {});
  ASSERT_TRUE(net.ok()) << net.error().message();
  double least = 1;
  for (const net::Blob& input : inputs)
    least = std::min(
        least, cosine((*net)->run(input).at("ip2").data, in_float(*caffe, input).at("ip2").data));
  EXPECT_GE(least, 0.99);
  RecordProperty("least_cosine", std::to_string(least));
  EXPECT_GE(cosine((*net)->run(inputs[0]).at("ip2").data,
                   recorded_floats("bm1880-real/cifar10/ip2_1_10.f32")),
            0.99);
  if (HasFailure()) ADD_FAILURE() << net::report_text((*net)->calibration());
}

}  // namespace
}  // namespace tputwin::testing
