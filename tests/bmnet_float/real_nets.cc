// Whole nets against OpenCV.
#include <gtest/gtest.h>

#include "bmnet_float/against_opencv.h"
#include "common/shared_data.h"

namespace tputwin::net::testing {
namespace {

void expect_net(const std::string& prototxt, const std::string& caffemodel) {
  using tputwin::testing::shared_data;
  auto net = load_caffe(shared_data(prototxt), shared_data(caffemodel));
  ASSERT_TRUE(net.ok()) << net.status().message();
  expect_as_opencv(*net, 7, 1e-4f, 1);
  auto folded = fold_batch_norm(*net);
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  expect_as_opencv(*folded, 8, 1e-4f, 1);
}

TEST(RealNets, LeNet) {
  TW_NEED_SHARED_DATA("lenet/lenet_iter_10000.caffemodel");
  expect_net("lenet/lenet.prototxt", "lenet/lenet_iter_10000.caffemodel");
}
TEST(RealNets, Det1) {
  TW_NEED_SHARED_DATA("mtcnn/det1.caffemodel");
  expect_net("mtcnn/det1.prototxt", "mtcnn/det1.caffemodel");
}
TEST(RealNets, Det2) {
  TW_NEED_SHARED_DATA("mtcnn/det2.caffemodel");
  expect_net("mtcnn/det2.prototxt", "mtcnn/det2.caffemodel");
}
TEST(RealNets, Det3) {
  TW_NEED_SHARED_DATA("mtcnn/det3.caffemodel");
  expect_net("mtcnn/det3.prototxt", "mtcnn/det3.caffemodel");
}
TEST(RealNets, UltraFace) {
  TW_NEED_SHARED_DATA("ultraface/RFB-320.caffemodel");
  expect_net("ultraface/RFB-320.prototxt", "ultraface/RFB-320.caffemodel");
}

}  // namespace
}  // namespace tputwin::net::testing
