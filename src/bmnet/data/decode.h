// Decoding of picture files of any origin: OpenCV's decoders within bounds.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::net {

// Formats are JPEG, PNG, BMP, PNM, TIFF and WebP, detected by the first bytes. Other decoders of
// OpenCV, which call further libraries, are not used.
inline constexpr size_t kMostPictureBytes = size_t{1} << 28;
inline constexpr int64_t kMostPixels = int64_t{1} << 26;  // 201 MB of blue, green, red
inline constexpr int64_t kLongestSide = int64_t{1} << 16;
// Scans of a progressive JPEG. Each scan costs as much as a picture.
inline constexpr size_t kMostScans = 100;

// Returns rows of bytes, one channel or blue, green, red. A picture beyond the bounds is an error
// before memory is allocated for it. Errors: net_data.
Result<cv::Mat> decode_file(std::span<const uint8_t> file, bool grey, const std::string& name);

// Returns true if a picture may have this size.
bool is_picture_size(int64_t height, int64_t width);

}  // namespace tputwin::net
