// By OpenCV.
#include "tools/debug/picture_file.h"

#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "base/errors/tools.h"
#include "base/file.h"

namespace tputwin::tools {

Status write_picture(const nlohmann::json& picture) {
  const std::string file = picture.value("file", "");
  auto rgb = picture.value("rgb", std::vector<uint8_t>());
  const int width = picture.value("width", 0), height = picture.value("height", 0);
  for (size_t i = 0; i + 2 < rgb.size(); i += 3) std::swap(rgb[i], rgb[i + 2]);  // OpenCV: BGR
  bool written = false;
  try {
    std::vector<uint8_t> encoded;
    written = !rgb.empty() &&
              cv::imencode(std::filesystem::path(file).extension().string(),
                           cv::Mat(height, width, CV_8UC3, rgb.data()), encoded) &&
              write_bytes(file, encoded).ok();
  } catch (const cv::Exception&) {
  }
  if (written) return {};
  return Error(errors::cli_debug).argument("FILE.png", file).detail("it cannot be written");
}

}  // namespace tputwin::tools
