// Frames: pictures are read when they are requested.
#include "tools/vision/frames.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "bmnet/data/decode.h"
#include "bmnet/data/readers.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

bool is_video_name(const fs::path& path) {
  constexpr std::array kKnown{".avi", ".mp4", ".mkv", ".mov", ".webm", ".mpg", ".mpeg"};
  std::string extension = path.extension();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kKnown, extension) != kKnown.end();
}

class PictureFile final : public FrameSource {
 public:
  explicit PictureFile(std::string path) : path_(std::move(path)) {}
  size_t count() const override { return 1; }
  Result<std::optional<Frame>> next() override {
    if (done_) return std::optional<Frame>();
    done_ = true;
    TW_ASSIGN_OR_RETURN(bytes, read_bytes(path_, net::kMostPictureBytes));
    auto pixels = net::decode_file(bytes, /*grey=*/false, path_);
    if (!pixels.ok()) return picture_error(path_, pixels.error().detail());
    Frame frame{fs::path(path_).filename(), *pixels, std::move(bytes)};
    return std::optional(std::move(frame));
  }

 private:
  const std::string path_;
  bool done_ = false;
};

class Sequence final : public FrameSource {
 public:
  void add(std::unique_ptr<FrameSource> source) {
    count_ += source->count();
    sources_.push_back(std::move(source));
  }
  size_t count() const override { return count_; }
  Result<std::optional<Frame>> next() override {
    for (; at_ < sources_.size(); ++at_) {
      TW_ASSIGN_OR_RETURN(frame, sources_[at_]->next());
      if (frame) return frame;
    }
    return std::optional<Frame>();
  }

 private:
  std::vector<std::unique_ptr<FrameSource>> sources_;
  size_t at_ = 0, count_ = 0;
};

std::vector<fs::path> pictures_of(const fs::path& folder) {
  std::vector<fs::path> pictures;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (net::is_picture_name(i->path().filename())) pictures.push_back(i->path());
  std::ranges::sort(pictures);
  return pictures;
}

}  // namespace

Error picture_error(const std::string& path, std::string detail) {
  return Error(errors::cli_picture).argument("--image", path).detail(std::move(detail));
}

Result<std::unique_ptr<FrameSource>> open_frames(const std::vector<std::string>& paths) {
  auto all = std::make_unique<Sequence>();
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      const std::vector<fs::path> pictures = pictures_of(path);
      if (pictures.empty()) return picture_error(path, "the folder has no pictures");
      for (const fs::path& picture : pictures) all->add(std::make_unique<PictureFile>(picture));
    } else if (is_video_name(path)) {
      TW_ASSIGN_OR_RETURN(video, open_video(path));
      all->add(std::move(video));
    } else {
      all->add(std::make_unique<PictureFile>(path));
    }
  }
  return std::unique_ptr<FrameSource>(std::move(all));
}

}  // namespace tputwin::tools
