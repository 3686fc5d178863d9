// Sources of pictures: files, folders of files, the frames of videos.
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct Frame {
  std::string name;           // of the file; "clip.mp4-12" of a video's twelfth frame
  cv::Mat pixels;             // blue, green, red
  std::vector<uint8_t> file;  // bytes of a picture's file; empty for a video
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual size_t count() const = 0;  // if it is known
  virtual Result<std::optional<Frame>> next() = 0;
};

// Opens all these paths, in order; the pictures of a folder are sorted by name.
Result<std::unique_ptr<FrameSource>> open_frames(const std::vector<std::string>& paths);
Result<std::unique_ptr<FrameSource>> open_video(const std::string& path);

Error picture_error(const std::string& path, std::string detail);

}  // namespace tputwin::tools
