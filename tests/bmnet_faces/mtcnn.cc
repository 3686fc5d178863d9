#include "bmnet_faces/mtcnn.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace tputwin::testing {
namespace {

constexpr double kSmallestFace = 20, kFactor = 0.709;
constexpr int kCell = 12, kStride = 2;
constexpr float kProposal = 0.6f, kRefine = 0.7f, kOutput = 0.7f;

using Regression = std::array<float, 4>;

std::vector<double> scales(const cv::Mat& picture) {
  std::vector<double> all;
  double scale = kCell / kSmallestFace;
  for (double side = std::min(picture.rows, picture.cols) * scale; side >= kCell; side *= kFactor) {
    all.push_back(scale);
    scale *= kFactor;
  }
  return all;
}

cv::Mat scaled(const cv::Mat& picture, double scale) {
  cv::Mat small;
  cv::resize(picture, small,
             cv::Size(static_cast<int>(std::ceil(picture.cols * scale)),
                      static_cast<int>(std::ceil(picture.rows * scale))),
             0, 0, cv::INTER_AREA);
  return small;
}

// The nets were trained on pictures in RGB order with rows and columns swapped.
void append(const cv::Mat& picture, net::Blob& batch) {
  for (int c = 2; c >= 0; --c)
    for (int x = 0; x < picture.cols; ++x)
      for (int y = 0; y < picture.rows; ++y)
        batch.data.push_back((static_cast<float>(picture.at<cv::Vec3b>(y, x)[c]) - 127.5f) *
                             0.0078125f);
}

net::Blob blob_of(const cv::Mat& picture) {
  net::Blob blob{{1, 3, picture.cols, picture.rows}, {}};
  append(picture, blob);
  return blob;
}

Box moved(const Box& box, const Regression& r, float extra) {
  const float w = box.width() + extra, h = box.height() + extra;
  return {box.x1 + r[0] * w, box.y1 + r[1] * h, box.x2 + r[2] * w, box.y2 + r[3] * h, box.score};
}

Box squared(const Box& box) {
  const float side = std::max(box.width(), box.height());
  const float x = box.x1 + (box.width() - side) / 2, y = box.y1 + (box.height() - side) / 2;
  return {x, y, x + side, y + side, box.score};
}

struct Candidates {
  std::vector<Box> boxes;
  std::vector<Regression> regressions;
  void keep(const std::vector<size_t>& indices) {
    boxes = pick(boxes, indices);
    regressions = pick(regressions, indices);
  }
  void move_all(float extra) {
    for (size_t i = 0; i < boxes.size(); ++i) boxes[i] = moved(boxes[i], regressions[i], extra);
  }
};

// Appends scores and regressions of one scale; positions are (x, y) as in the input.
void decode(const Outputs& outputs, double scale, Candidates& all) {
  const net::Blob& score = outputs.at("prob1");
  const net::Blob& regression = outputs.at("conv4-2");
  const size_t w = static_cast<size_t>(score.shape[2]), h = static_cast<size_t>(score.shape[3]);
  Candidates found;
  for (size_t x = 0; x < w; ++x)
    for (size_t y = 0; y < h; ++y) {
      const size_t at = x * h + y;
      const float s = score.data[w * h + at];
      if (s < kProposal) continue;
      auto place = [&](size_t cell, int offset) {
        return static_cast<float>(std::floor((kStride * static_cast<int>(cell) + offset) / scale));
      };
      found.boxes.push_back({place(x, 1), place(y, 1), place(x, kCell), place(y, kCell), s});
      Regression r;
      for (size_t c = 0; c < 4; ++c) r[c] = regression.data[c * w * h + at];
      found.regressions.push_back(r);
    }
  found.keep(suppress(found.boxes, 0.5f));
  all.boxes.insert(all.boxes.end(), found.boxes.begin(), found.boxes.end());
  all.regressions.insert(all.regressions.end(), found.regressions.begin(), found.regressions.end());
}

// Returns the parts of the picture in the boxes; black beyond its edges.
net::Blob crops(const cv::Mat& picture, const std::vector<Box>& boxes, int size) {
  net::Blob batch{{static_cast<int64_t>(boxes.size()), 3, size, size}, {}};
  for (const Box& box : boxes) {
    const int x = static_cast<int>(box.x1), y = static_cast<int>(box.y1);
    const int side = std::max(1, static_cast<int>(box.x2) - x);
    const cv::Rect wanted(x - 1, y - 1, side, side);
    const cv::Rect there = wanted & cv::Rect(0, 0, picture.cols, picture.rows);
    cv::Mat crop = cv::Mat::zeros(side, side, CV_8UC3), small;
    if (!there.empty()) picture(there).copyTo(crop(there - wanted.tl()));
    cv::resize(crop, small, cv::Size(size, size), 0, 0, cv::INTER_AREA);
    append(small, batch);
  }
  return batch;
}

// Returns the candidates that a net of the second or third step accepts as faces.
Candidates judged(const std::vector<Box>& boxes, const Outputs& outputs,
                  const std::string& regression, float threshold) {
  Candidates kept;
  for (size_t i = 0; i < boxes.size(); ++i) {
    Box box = boxes[i];
    box.score = outputs.at("prob1").data[2 * i + 1];
    if (box.score <= threshold) continue;
    Regression r;
    std::copy_n(outputs.at(regression).data.begin() + static_cast<long>(4 * i), 4, r.begin());
    kept.boxes.push_back(box);
    kept.regressions.push_back(r);
  }
  return kept;
}

void make_square(std::vector<Box>& boxes) {
  std::transform(boxes.begin(), boxes.end(), boxes.begin(), squared);
}

}  // namespace

std::vector<net::Blob> pyramid(const cv::Mat& picture) {
  std::vector<net::Blob> blobs;
  for (double scale : scales(picture)) blobs.push_back(blob_of(scaled(picture, scale)));
  return blobs;
}

Samples pyramid_tiles(const cv::Mat& picture, int width, int height) {
  Samples samples;
  for (double scale : scales(picture)) {
    cv::Mat image = scaled(picture, scale);
    cv::copyMakeBorder(image, image, 0, std::max(0, height - image.rows), 0,
                       std::max(0, width - image.cols), cv::BORDER_REPLICATE);
    for (int y = 0; y + height <= image.rows; y += height)
      for (int x = 0; x + width <= image.cols; x += width)
        samples.add(blob_of(image(cv::Rect(x, y, width, height))));
  }
  return samples;
}

std::vector<Box> Mtcnn::detect(const cv::Mat& picture) const {
  Candidates all;
  const std::vector<net::Blob> images = pyramid(picture);
  const std::vector<double> factors = scales(picture);
  for (size_t i = 0; i < images.size(); ++i) decode(proposal(images[i]), factors[i], all);
  all.keep(suppress(all.boxes, 0.7f));
  all.move_all(0);
  make_square(all.boxes);
  if (all.boxes.empty()) return {};

  all = judged(all.boxes, refine(crops(picture, all.boxes, 24)), "conv5-2", kRefine);
  all.keep(suppress(all.boxes, 0.7f));
  all.move_all(1);
  make_square(all.boxes);
  if (all.boxes.empty()) return {};

  all = judged(all.boxes, output(crops(picture, all.boxes, 48)), "conv6-2", kOutput);
  all.move_all(1);
  all.keep(suppress(all.boxes, 0.7f, Overlap::of_smaller));
  return all.boxes;
}

}  // namespace tputwin::testing
