#include "sheet.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace {

const int kClasses = 10, kPerClass = 14;
const int kZoom = 3, kFrame = 3, kCaption = 18, kGap = 8, kMargin = 18, kTitle = 84;
const int kTile = kSide * kZoom + 2 * kFrame;
const int kPitch = kTile + kGap, kRow = kTile + kCaption + kGap;
const cv::Scalar kPaper(24, 20, 18), kInk(205, 200, 195), kDim(120, 115, 110), kWrong(70, 70, 235);

void write(cv::Mat& sheet, const std::string& text, int x, int y, double size,
           const cv::Scalar& colour) {
  cv::putText(sheet, text, cv::Point(x, y), cv::FONT_HERSHEY_SIMPLEX, size, colour, 1, cv::LINE_AA);
}

// Draws the picture and the class that the chip found; in a red frame if that is wrong.
void draw_tile(cv::Mat& sheet, int x, int y, const Dataset& dataset, size_t image, uint8_t seen) {
  const bool wrong = seen != dataset.labels[image];
  const cv::Mat grey(kSide, kSide, CV_8UC1, const_cast<uint8_t*>(&dataset.pixels[image * kPixels]));
  cv::Mat colour;
  cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
  if (wrong) cv::rectangle(sheet, cv::Rect(x, y, kTile, kTile), kWrong, cv::FILLED);
  cv::Mat target = sheet(cv::Rect(x + kFrame, y + kFrame, kSide * kZoom, kSide * kZoom));
  cv::resize(colour, target, target.size(), 0, 0, cv::INTER_CUBIC);
  write(sheet, class_name(seen), x + kFrame, y + kTile + kCaption - 5, 0.4, wrong ? kWrong : kDim);
}

}  // namespace

bool write_sheet(const std::string& path, const Dataset& dataset,
                 const std::vector<uint8_t>& classes) {
  cv::Mat sheet(2 * kMargin + kClasses * kRow - kGap, 2 * kMargin + kTitle + kPerClass * kPitch,
                CV_8UC3, kPaper);
  for (int label = 0; label < kClasses; label++) {
    const int y = kMargin + label * kRow;
    write(sheet, class_name((uint8_t)label), kMargin, y + kTile / 2, 0.5, kInk);
    int column = 0;
    for (size_t i = 0; i < dataset.count() && column < kPerClass; i++)
      if (dataset.labels[i] == label)
        draw_tile(sheet, kMargin + kTitle + column++ * kPitch, y, dataset, i, classes[i]);
  }
  return cv::imwrite(path, sheet);
}
