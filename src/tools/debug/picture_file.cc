// Picture files by OpenCV.
#include "tools/debug/picture_file.h"

#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "bmnet/data/picture_files.h"

namespace tputwin::tools {

Status write_picture(const CheckedJson& picture) {
  const std::string file = picture.value("file", "");
  auto rgb = picture.value("rgb", std::vector<uint8_t>());
  const int width = picture.value("width", 0), height = picture.value("height", 0);
  for (size_t i = 0; i + 2 < rgb.size(); i += 3) std::swap(rgb[i], rgb[i + 2]);  // OpenCV uses BGR
  std::vector<uint8_t> encoded;
  std::string reason = "it has no picture";
  if (!rgb.empty())
    reason = net::encode_picture_file(std::filesystem::path(file).extension(),
                                      cv::Mat(height, width, CV_8UC3, rgb.data()), encoded);
  if (reason.empty() && !write_bytes(file, encoded).ok()) reason = "it cannot be written";
  if (reason.empty()) return {};
  return Error(errors::cli_debug).argument("FILE.png", file).detail(reason);
}

}  // namespace tputwin::tools
