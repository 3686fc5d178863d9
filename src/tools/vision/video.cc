// Frames of videos. A library of ours reads them, and the first video loads it: the libraries that
// it needs load more slowly than most commands run.
#include <dlfcn.h>

#include <filesystem>

#include "tools/vision/frames.h"
#include "tools/vision/reader/video_reader.h"

namespace tputwin::tools {
namespace {

class Video final : public FrameSource {
 public:
  Video(const std::string& path, std::unique_ptr<VideoReader> reader)
      : name_(std::filesystem::path(path).filename()), reader_(std::move(reader)) {}
  size_t count() const override { return reader_->count(); }
  Result<std::optional<Frame>> next() override {
    Frame frame;
    if (!reader_->read(frame.pixels)) return std::optional<Frame>();
    frame.name = name_ + "-" + std::to_string(++number_);
    return std::optional(std::move(frame));
  }

 private:
  const std::string name_;
  const std::unique_ptr<VideoReader> reader_;
  size_t number_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_video(const std::string& path) {
  static void* const library = dlopen("libtputwin_video.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return picture_error(path, std::string("no reader of videos: ") +
                                   (reason != nullptr ? reason : "libtputwin_video.so"));
  }
  const auto make = reinterpret_cast<MakeVideoReader*>(dlsym(library, kMakeVideoReader));
  std::unique_ptr<VideoReader> reader(make != nullptr ? make(path.c_str()) : nullptr);
  if (reader == nullptr) return picture_error(path, "OpenCV cannot open it");
  return std::unique_ptr<FrameSource>(std::make_unique<Video>(path, std::move(reader)));
}

}  // namespace tputwin::tools
