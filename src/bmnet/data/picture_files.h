// Encoded pictures: PNG, JPEG and other formats that OpenCV reads.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>
#include <string>
#include <vector>

namespace tputwin::net {

// Both functions return the reason of a failure; an empty string on success.
// `picture` has rows of bytes with one channel, or with blue, green, red. Its size is not bounded;
// decode.h checks it.
std::string decode_picture_file(std::span<const uint8_t> file, bool grey, cv::Mat& picture);
// `kind` is a file name's suffix: ".png", ".jpg", ...
std::string encode_picture_file(const std::string& kind, const cv::Mat& picture,
                                std::vector<uint8_t>& file);

}  // namespace tputwin::net
