// Pictures as files hold them: PNG, JPEG and what else OpenCV reads.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

namespace tputwin::net {

// Both return why not, nothing when it is done.
// Rows of bytes, one channel or blue, green, red. Without bounds: decode.h has them.
std::string decode_picture_file(std::span<const uint8_t> file, bool grey, cv::Mat& picture);
// `kind` is a file name's suffix: ".png", ".jpg", ...
std::string encode_picture_file(const std::string& kind, const cv::Mat& picture,
                                std::vector<uint8_t>& file);

}  // namespace tputwin::net
