// What libtputwin_video.so gives.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>

namespace tputwin::tools {

class VideoReader {
 public:
  virtual ~VideoReader() = default;
  virtual size_t count() const = 0;  // frames, as the file says
  virtual bool read(cv::Mat& pixels) = 0;
};

// nullptr if the file is no video.
using MakeVideoReader = VideoReader*(const char* path);
inline constexpr const char* kMakeVideoReader = "tputwin_make_video_reader";

}  // namespace tputwin::tools
