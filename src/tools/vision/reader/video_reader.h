// Interface of libtputwin_video.so.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>

namespace tputwin::tools {

class VideoReader {
 public:
  virtual ~VideoReader() = default;
  virtual size_t count() const = 0;  // frames, according to the file
  virtual bool read(cv::Mat& pixels) = 0;
};

// Returns nullptr if the file is no video.
using MakeVideoReader = VideoReader*(const char* path);
inline constexpr const char* kMakeVideoReader = "tputwin_make_video_reader";

}  // namespace tputwin::tools
