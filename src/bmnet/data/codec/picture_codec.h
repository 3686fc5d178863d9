// What libtputwin_pictures.so gives.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>

namespace tputwin::net {

// Both return why not, nothing when it is done.
struct PictureCodec {
  std::string (*decode)(std::span<const uint8_t> file, int64_t channels, cv::Mat& picture);
  std::string (*write)(const std::string& path, const cv::Mat& picture);
};

using GetPictureCodec = const PictureCodec*();
inline constexpr const char* kGetPictureCodec = "tputwin_picture_codec";

}  // namespace tputwin::net
