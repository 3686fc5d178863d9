// Videos by OpenCV.
#include "tools/vision/reader/video_reader.h"

#include <algorithm>
#include <opencv2/videoio.hpp>

namespace tputwin::tools {
namespace {

class OpenCvReader final : public VideoReader {
 public:
  bool open(const char* path) { return capture_.open(path); }
  size_t count() const override {
    return static_cast<size_t>(std::max(0.0, capture_.get(cv::CAP_PROP_FRAME_COUNT)));
  }
  bool read(cv::Mat& pixels) override { return capture_.read(pixels); }

 private:
  cv::VideoCapture capture_;
};

}  // namespace
}  // namespace tputwin::tools

extern "C" tputwin::tools::VideoReader* tputwin_make_video_reader(const char* path) {
  auto* reader = new tputwin::tools::OpenCvReader;
  if (reader->open(path)) return reader;
  delete reader;
  return nullptr;
}
