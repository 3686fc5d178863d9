#include "chain_sheet.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace {

const int kZoom = 4, kFeatureZoom = 2, kGap = 6, kCaption = 22, kMargin = 18;
const int kClasses = 10, kPerClass = 3;
const int kTile = kSide * kZoom, kFeatureTile = kSide * kFeatureZoom;
const int kPanelWidth = 2 * kTile + 4 * kFeatureTile + 2 * kGap;
const int kPanelHeight = kTile + kCaption + kGap;
const cv::Scalar kPaper(24, 20, 18), kInk(205, 200, 195);

cv::Mat plane(const std::vector<uint8_t>& planes, size_t index) {
  return cv::Mat(kSide, kSide, CV_8UC1, const_cast<uint8_t*>(&planes[index * kPixels]));
}

void paste(cv::Mat& sheet, const cv::Mat& image, int x, int y, int zoom, int how) {
  cv::Mat target = sheet(cv::Rect(x, y, kSide * zoom, kSide * zoom));
  cv::resize(image, target, target.size(), 0, 0, how);
}

void draw_panel(cv::Mat& sheet, int x, int y, const Dataset& dataset, const ChainResult& result,
                size_t image) {
  cv::putText(sheet, class_name(dataset.labels[image]), cv::Point(x, y + kCaption - 8),
              cv::FONT_HERSHEY_SIMPLEX, 0.45, kInk, 1, cv::LINE_AA);
  y += kCaption;
  cv::Mat coloured;
  cv::cvtColor(plane(dataset.pixels, image), coloured, cv::COLOR_GRAY2BGR);
  paste(sheet, coloured, x, y, kZoom, cv::INTER_NEAREST);
  x += kTile + kGap;
  for (int f = 0; f < kFeatures; f++) {
    cv::applyColorMap(plane(result.features, image * kFeatures + (size_t)f), coloured,
                      cv::COLORMAP_INFERNO);
    paste(sheet, coloured, x + f % 4 * kFeatureTile, y + f / 4 * kFeatureTile, kFeatureZoom,
          cv::INTER_NEAREST);
  }
  x += 4 * kFeatureTile + kGap;
  const size_t first = image * kColours;
  cv::merge(std::vector<cv::Mat>{plane(result.colours, first + 2), plane(result.colours, first + 1),
                                 plane(result.colours, first)},
            coloured);
  paste(sheet, coloured, x, y, kZoom, cv::INTER_CUBIC);
}

// The first images of every class, class by class.
std::vector<size_t> choose(const Dataset& dataset) {
  std::vector<size_t> chosen;
  for (int label = 0; label < kClasses; label++) {
    size_t wanted = chosen.size() + kPerClass;
    for (size_t i = 0; i < dataset.count() && chosen.size() < wanted; i++)
      if (dataset.labels[i] == label) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

bool write_sheet(const std::string& path, const Dataset& dataset, const ChainResult& result) {
  const int columns = kPerClass, rows = kClasses;
  cv::Mat sheet(2 * kMargin + rows * kPanelHeight - kGap,
                3 * kMargin + columns * (kPanelWidth + kMargin) - 2 * kMargin, CV_8UC3, kPaper);
  const std::vector<size_t> chosen = choose(dataset);
  for (size_t i = 0; i < chosen.size(); i++)
    draw_panel(sheet, kMargin + (int)i % columns * (kPanelWidth + kMargin),
               kMargin / 2 + (int)i / columns * kPanelHeight, dataset, result, chosen[i]);
  return cv::imwrite(path, sheet);
}
