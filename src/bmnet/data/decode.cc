// Bounds of pictures. OpenCV allocates memory after it has read a file's header. The allocator
// checks the size there, for every format.
#include "bmnet/data/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bmnet/data/picture_files.h"
#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

using namespace std::literals;

// OpenCV's allocator with a check: refuses pictures that are too large while this thread decodes.
class BoundedAllocator final : public cv::MatAllocator {
 public:
  cv::UMatData* allocate(int dims, const int* sizes, int type, void* data, size_t* step,
                         cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
    if (is_decoding && dims == 2 && sizes[0] > 1 && !is_picture_size(sizes[0], sizes[1])) {
      refused = fmt::format("its header gives {} rows of {} pixels; at most {} and {} in all",
                            sizes[0], sizes[1], kLongestSide, kMostPixels);
      CV_Error(cv::Error::StsNoMem, refused);
    }
    return own().allocate(dims, sizes, type, data, step, flags, usage);
  }
  bool allocate(cv::UMatData* data, cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
    return own().allocate(data, flags, usage);
  }
  void deallocate(cv::UMatData* data) const override { own().deallocate(data); }

  static thread_local bool is_decoding;
  static thread_local std::string refused;

 private:
  static cv::MatAllocator& own() { return *cv::Mat::getStdAllocator(); }
};
thread_local bool BoundedAllocator::is_decoding = false;
thread_local std::string BoundedAllocator::refused;

// While an object exists, this thread's pictures are bounded. The allocator stays installed
// afterwards because other threads may be decoding.
struct Decoding {
  Decoding() {
    static cv::MatAllocator* const installed = [] {
      auto* allocator = new BoundedAllocator;  // never deleted: matrices may refer to it
      cv::Mat::setDefaultAllocator(allocator);
      return allocator;
    }();
    static_cast<void>(installed);
    BoundedAllocator::is_decoding = true;
    BoundedAllocator::refused.clear();
  }
  ~Decoding() { BoundedAllocator::is_decoding = false; }
};

bool is_known(std::string_view file) {
  constexpr std::array kBegin{"\xff\xd8\xff"sv, "\x89PNG\r\n\x1a\n"sv,
                              "BM"sv,           "P1"sv,
                              "P2"sv,           "P3"sv,
                              "P4"sv,           "P5"sv,
                              "P6"sv,           "II*\0"sv,
                              "MM\0*"sv};
  const bool is_webp = file.starts_with("RIFF") && file.size() >= 12 && file.substr(8, 4) == "WEBP";
  return is_webp ||
         std::ranges::any_of(kBegin, [&](auto begin) { return file.starts_with(begin); });
}

size_t scans_of(std::string_view file) {
  if (!file.starts_with("\xff\xd8\xff")) return 1;
  size_t count = 0;
  for (size_t at = 0; (at = file.find("\xff\xda", at)) != file.npos; at += 2) ++count;
  return count;
}

}  // namespace

bool is_picture_size(int64_t height, int64_t width) {
  return height > 0 && width > 0 && height <= kLongestSide && width <= kLongestSide &&
         height * width <= kMostPixels;
}

Result<cv::Mat> decode_file(std::span<const uint8_t> file, bool grey, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!is_known(text)) return data_error(name, "not a JPEG, PNG, BMP, PNM, TIFF or WebP picture");
  if (file.size() > kMostPictureBytes)
    return data_error(name,
                      fmt::format("it has {} bytes, more than {}", file.size(), kMostPictureBytes));
  if (const size_t scans = scans_of(text); scans > kMostScans)
    return data_error(name, fmt::format("it has {} scans, more than {}", scans, kMostScans));
  const Decoding bounded;
  cv::Mat pixels;
  const std::string reason = decode_picture_file(file, grey, pixels);
  if (reason.empty()) return pixels;
  if (!BoundedAllocator::refused.empty()) return data_error(name, BoundedAllocator::refused);
  // OpenCV checks its own bounds first. They are wider than kMostPixels.
  if (reason.find("CV_IO_MAX_IMAGE") != reason.npos)
    return data_error(name, fmt::format("its header gives more than {} pixels", kMostPixels));
  return data_error(name, reason);
}

}  // namespace tputwin::net
