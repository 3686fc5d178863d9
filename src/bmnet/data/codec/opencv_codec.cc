// Decoding and encoding of pictures by OpenCV.
#include <opencv2/imgcodecs.hpp>

#include "bmnet/data/codec/picture_codec.h"

namespace tputwin::net {
namespace {

std::string decode(std::span<const uint8_t> file, bool grey, cv::Mat& picture) {
  try {
    const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8U, const_cast<uint8_t*>(file.data()));
    picture = cv::imdecode(bytes, grey ? cv::IMREAD_GRAYSCALE : cv::IMREAD_COLOR);
  } catch (const cv::Exception& error) {
    return error.err;
  } catch (const std::exception& error) {
    return error.what();
  }
  return picture.empty() ? "its pixels cannot be read" : "";
}

std::string encode(const std::string& kind, const cv::Mat& picture, std::vector<uint8_t>& file) {
  try {
    if (cv::imencode(kind, picture, file, {cv::IMWRITE_PNG_COMPRESSION, 9})) return "";
  } catch (const cv::Exception& error) {
    return error.err;
  }
  return "it cannot be written";
}

constexpr PictureCodec kCodec{decode, encode};

}  // namespace
}  // namespace tputwin::net

extern "C" const tputwin::net::PictureCodec* tputwin_picture_codec() {
  return &tputwin::net::kCodec;
}
