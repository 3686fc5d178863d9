// Interface of libtputwin_pictures.so.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

namespace tputwin::net {

// Both functions return the reason of a failure; an empty string on success.
struct PictureCodec {
  std::string (*decode)(std::span<const uint8_t> file, bool grey, cv::Mat& picture);
  std::string (*encode)(const std::string& kind, const cv::Mat& picture,
                        std::vector<uint8_t>& file);
};

using GetPictureCodec = const PictureCodec*();
inline constexpr const char* kGetPictureCodec = "tputwin_picture_codec";

}  // namespace tputwin::net
