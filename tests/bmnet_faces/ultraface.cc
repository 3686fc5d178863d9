#include "bmnet_faces/ultraface.h"

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace tputwin::testing {
namespace {

constexpr int kWidth = 320, kHeight = 240;
constexpr float kCentreVariance = 0.1f, kSizeVariance = 0.2f;
constexpr float kScore = 0.7f, kSuppress = 0.3f;

struct Prior {
  float x, y, w, h;  // centre and size, relative to the picture
};

std::vector<Prior> priors() {
  const std::vector<std::vector<float>> sizes = {{10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}};
  std::vector<Prior> all;
  for (size_t level = 0; level < sizes.size(); ++level) {
    const int stride = 8 << level;
    const int w = (kWidth + stride - 1) / stride, h = (kHeight + stride - 1) / stride;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (float size : sizes[level])
          all.push_back({(static_cast<float>(x) + 0.5f) * static_cast<float>(stride) / kWidth,
                         (static_cast<float>(y) + 0.5f) * static_cast<float>(stride) / kHeight,
                         size / kWidth, size / kHeight});
  }
  return all;
}

}  // namespace

net::Blob ultraface_input(const cv::Mat& picture) {
  cv::Mat small;
  cv::resize(picture, small, cv::Size(kWidth, kHeight));
  net::Blob blob{{1, 3, kHeight, kWidth}, {}};
  for (int c = 2; c >= 0; --c)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        blob.data.push_back((static_cast<float>(small.at<cv::Vec3b>(y, x)[c]) - 127) / 128);
  return blob;
}

std::vector<Box> ultraface_detect(const Runner& runner, const cv::Mat& picture) {
  const Outputs outputs = runner(ultraface_input(picture));
  const std::vector<float>& scores = outputs.at("scores").data;
  const std::vector<float>& coordinates = outputs.at("boxes").data;
  const std::vector<Prior> all = priors();
  if (scores.size() != 2 * all.size() || coordinates.size() != 4 * all.size()) return {};
  const float width = static_cast<float>(picture.cols), height = static_cast<float>(picture.rows);
  std::vector<Box> boxes;
  for (size_t i = 0; i < all.size(); ++i) {
    if (scores[2 * i + 1] <= kScore) continue;
    const float* place = &coordinates[4 * i];
    const Prior& prior = all[i];
    const float x = prior.x + place[0] * kCentreVariance * prior.w;
    const float y = prior.y + place[1] * kCentreVariance * prior.h;
    const float w = prior.w * std::exp(place[2] * kSizeVariance);
    const float h = prior.h * std::exp(place[3] * kSizeVariance);
    boxes.push_back({(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width,
                     (y + h / 2) * height, scores[2 * i + 1]});
  }
  return pick(boxes, suppress(boxes, kSuppress));
}

}  // namespace tputwin::testing
