// Encoded pictures by OpenCV.
#include <opencv2/imgcodecs.hpp>

#include "bmnet/data/codec/picture_codec.h"

namespace tputwin::net {
namespace {

std::string decode(std::span<const uint8_t> file, int64_t channels, cv::Mat& picture) {
  try {
    const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8U, const_cast<uint8_t*>(file.data()));
    picture = cv::imdecode(bytes, channels == 1 ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR);
  } catch (const cv::Exception& error) {
    return error.err;
  }
  return picture.empty() ? "not a picture" : "";
}

std::string write(const std::string& path, const cv::Mat& picture) {
  try {
    if (cv::imwrite(path, picture, {cv::IMWRITE_PNG_COMPRESSION, 9})) return "";
  } catch (const cv::Exception& error) {
    return error.err;
  }
  return "it cannot be written";
}

constexpr PictureCodec kCodec{decode, write};

}  // namespace
}  // namespace tputwin::net

extern "C" const tputwin::net::PictureCodec* tputwin_picture_codec() {
  return &tputwin::net::kCodec;
}
