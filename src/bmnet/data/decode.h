// Picture files to pixels, whoever made them: OpenCV's decoders within bounds.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::net {

// JPEG, PNG, BMP, PNM, TIFF and WebP, told by their first bytes; other decoders of OpenCV, which
// go to further libraries, are not asked.
inline constexpr size_t kMostPictureBytes = size_t{1} << 28;
inline constexpr int64_t kMostPixels = int64_t{1} << 26;  // 201 MB of blue, green, red
inline constexpr int64_t kLongestSide = int64_t{1} << 16;
inline constexpr size_t kMostScans = 100;  // of a progressive JPEG, each of which costs a picture

// Rows of bytes, one channel or blue, green, red. What is larger than the bounds is an error before
// memory is taken for it. Errors: net_data.
Result<cv::Mat> decode_file(std::span<const uint8_t> file, bool grey, const std::string& name);

// Whether a picture may have this size.
bool is_picture_size(int64_t height, int64_t width);

}  // namespace tputwin::net
