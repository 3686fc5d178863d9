// By OpenCV.
#include "tools/debug/picture_file.h"

#include "base/errors/tools.h"
#include "bmnet/data/picture_files.h"

namespace tputwin::tools {

Status write_picture(const nlohmann::json& picture) {
  const std::string file = picture.value("file", "");
  auto rgb = picture.value("rgb", std::vector<uint8_t>());
  const int width = picture.value("width", 0), height = picture.value("height", 0);
  for (size_t i = 0; i + 2 < rgb.size(); i += 3) std::swap(rgb[i], rgb[i + 2]);  // OpenCV: BGR
  const std::string reason =
      rgb.empty() ? "it has no picture"
                  : net::write_picture_file(file, cv::Mat(height, width, CV_8UC3, rgb.data()));
  if (reason.empty()) return {};
  return Error(errors::cli_debug).argument("FILE.png", file).detail(reason);
}

}  // namespace tputwin::tools
