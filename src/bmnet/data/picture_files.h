// Pictures as files hold them: PNG, JPEG and what else OpenCV reads.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>

namespace tputwin::net {

// Of 1 channel, or of 3: blue, green, red. Returns why not, nothing when it is done.
std::string decode_picture_file(std::span<const uint8_t> file, int64_t channels, cv::Mat& picture);
// The kind of file is its name's suffix. Returns why not, nothing when it is done.
std::string write_picture_file(const std::string& path, const cv::Mat& picture);

}  // namespace tputwin::net
