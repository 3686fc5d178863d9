// Drawing of boxes, names and sheets.
#include "tools/vision/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <opencv2/imgproc.hpp>

#include "base/file.h"
#include "bmnet/data/picture_files.h"

namespace tputwin::tools {
namespace {

constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
// Smaller pictures are enlarged to keep names readable.
constexpr int kLeastSide = 112;
constexpr size_t kShownClasses = 2;
const cv::Scalar kPaper(250, 250, 250), kInk(30, 30, 30);

// Colours of consecutive labels differ strongly and are dark enough for white letters.
cv::Scalar colour(int label) {
  constexpr std::array<std::array<int, 3>, 8> kColours{{{40, 60, 200},
                                                        {160, 90, 20},
                                                        {40, 130, 40},
                                                        {150, 40, 140},
                                                        {20, 110, 190},
                                                        {130, 120, 20},
                                                        {90, 40, 60},
                                                        {60, 60, 60}}};
  const auto& [b, g, r] = kColours[static_cast<size_t>(label) % kColours.size()];
  return {static_cast<double>(b), static_cast<double>(g), static_cast<double>(r)};
}

struct Pen {
  double letters;
  int line;
};
Pen pen_for(const cv::Mat& picture) {
  const int side = std::min(picture.rows, picture.cols);
  return {std::clamp(side / 700.0, 0.38, 2.0), std::max(1, side / 250)};
}

void write(cv::Mat& picture, const std::string& text, const cv::Point& corner, double size,
           const cv::Scalar& ink) {
  cv::putText(picture, text, corner, kFont, size, ink, size > 1 ? 2 : 1, cv::LINE_AA);
}

int rounded(float value) { return static_cast<int>(std::lround(value)); }

void draw_box(cv::Mat& picture, const Detection& box) {
  cv::rectangle(picture, {rounded(box.x1), rounded(box.y1)}, {rounded(box.x2), rounded(box.y2)},
                colour(box.label), pen_for(picture).line, cv::LINE_AA);
}

// Draws on a plate above the box or, at the upper edge of the picture, in it.
void draw_name(cv::Mat& picture, const Detection& box, const std::string& name) {
  const Pen pen = pen_for(picture);
  int below = 0;
  const cv::Size letters = cv::getTextSize(name, kFont, pen.letters, 1, &below);
  const int height = letters.height + below + 2 * pen.line;
  const int top = rounded(box.y1) >= height ? rounded(box.y1) - height : rounded(box.y1);
  const int left = std::clamp(rounded(box.x1), 0, std::max(0, picture.cols - letters.width - 4));
  cv::rectangle(picture, {left, top}, {left + letters.width + 4, top + height}, colour(box.label),
                cv::FILLED);
  write(picture, name, {left + 2, top + height - below}, pen.letters, cv::Scalar::all(255));
}

cv::Mat enlarged(const cv::Mat& picture) {
  const int side = std::min(picture.rows, picture.cols);
  const int factor = side < kLeastSide ? (kLeastSide + side - 1) / side : 1;
  cv::Mat large;
  cv::resize(picture, large, {}, factor, factor, cv::INTER_NEAREST);
  return large;
}

cv::Mat with_classes(const cv::Mat& picture, const Seen& seen, const Viewer& viewer) {
  cv::Mat result = enlarged(picture);
  const double size = pen_for(result).letters;
  const int line = static_cast<int>(34 * size) + 4;
  const size_t lines = std::min(kShownClasses, seen.classes.size());
  cv::copyMakeBorder(result, result, 0, line * static_cast<int>(lines) + 6, 0, 0,
                     cv::BORDER_CONSTANT, kPaper);
  int y = result.rows - line * static_cast<int>(lines) - 6;
  for (size_t i = 0; i < lines; ++i) {
    y += line;
    const auto& [label, score] = seen.classes[i];
    write(result, fmt::format("{} {:.2f}", viewer.label(label), score), {2, y - line / 4}, size,
          i == 0 ? kInk : cv::Scalar::all(140));
  }
  return result;
}

}  // namespace

cv::Mat drawn(const cv::Mat& picture, const Seen& seen, const Viewer& viewer) {
  if (!viewer.detects()) return with_classes(picture, seen, viewer);
  cv::Mat result = picture.clone();
  for (const Detection& box : seen.boxes) draw_box(result, box);
  for (auto box = seen.boxes.rbegin(); box != seen.boxes.rend(); ++box)
    draw_name(result, *box, fmt::format("{} {:.2f}", viewer.label(box->label), box->score));
  return result;
}

cv::Mat sheet(const std::vector<cv::Mat>& pictures) {
  constexpr int kGap = 8;
  const auto count = static_cast<int>(pictures.size());
  const int most = std::max(1, static_cast<int>(std::ceil(std::sqrt(1.6 * count))));
  const int rows = (count + most - 1) / most, columns = (count + rows - 1) / std::max(1, rows);
  int width = 0;
  // of rows; a row has the height of its highest picture
  std::vector<int> tops{kGap};
  for (int i = 0; i < count; ++i) {
    const cv::Mat& picture = pictures[static_cast<size_t>(i)];
    width = std::max(width, picture.cols);
    if (i % columns == 0) tops.push_back(tops.back());
    const int top = tops[tops.size() - 2];
    tops.back() = std::max(tops.back(), top + picture.rows + kGap);
  }
  cv::Mat all(tops.back(), std::min(count, columns) * (width + kGap) + kGap, CV_8UC3, kPaper);
  for (int i = 0; i < count; ++i) {
    const cv::Mat& picture = pictures[static_cast<size_t>(i)];
    picture.copyTo(
        all(cv::Rect(kGap + i % columns * (width + kGap), tops[static_cast<size_t>(i / columns)],
                     picture.cols, picture.rows)));
  }
  return all;
}

Status write_picture(const std::string& path, const cv::Mat& picture) {
  std::vector<uint8_t> file;
  const std::string kind = std::filesystem::path(path).extension();
  const std::string reason = net::encode_picture_file(kind, picture, file);
  return reason.empty() ? write_bytes(path, file) : Status(picture_error(path, reason));
}

}  // namespace tputwin::tools
