// Runs a net on one batch of pictures after the other.
#include "tools/vision/run_pictures.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "tools/progress.h"
#include "tools/run_times.h"
#include "tools/vision/draw.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// ---- Text and JSON ----

std::string text_of(const Seen& seen, const Viewer& viewer) {
  std::string text = seen.picture + "\n";
  for (const Scored& scored : seen.classes)
    text += fmt::format("  {:8.4f}  {}\n", scored.score, viewer.label(scored.label));
  for (const Detection& box : seen.boxes)
    text += fmt::format("  {:8.4f}  {}  ({:.1f},{:.1f})-({:.1f},{:.1f})\n", box.score,
                        viewer.label(box.label), box.x1, box.y1, box.x2, box.y2);
  if (viewer.detects() && seen.boxes.empty()) text += "  nothing\n";
  return text;
}

Json json_of(const Seen& seen, const Viewer& viewer) {
  Json object{{"picture", seen.picture}};
  for (const Scored& scored : seen.classes)
    object["classes"].push_back(
        {{"label", scored.label}, {"name", viewer.label(scored.label)}, {"score", scored.score}});
  if (viewer.detects()) object["boxes"] = Json::array();
  for (const Detection& box : seen.boxes)
    object["boxes"].push_back({{"label", box.label},
                               {"name", viewer.label(box.label)},
                               {"score", box.score},
                               {"box", {box.x1, box.y1, box.x2, box.y2}}});
  return object;
}

// ---- Files ----

// Names of files that are not used yet.
class FreshNames {
 public:
  std::string name(const std::string& picture) {
    const size_t before = taken_[picture]++;
    return before == 0 ? picture : fmt::format("{}-{}", picture, before + 1);
  }

 private:
  std::map<std::string, size_t> taken_;
};

Status write_outputs(const Seen& seen, const Net& net, const LookOptions& options,
                     const std::string& name) {
  std::error_code ignored;
  fs::create_directories(options.output, ignored);
  for (size_t i = 0; i < seen.outputs.size(); ++i) {
    const Array& output = seen.outputs[i];
    std::string tensor = net.outputs()[i].name;
    std::ranges::replace(tensor, '/', '_');
    const std::string path = fs::path(options.output) / fmt::format("{}.{}", name, tensor);
    if (options.format == ResultFormat::bin) {
      TW_RETURN_IF_ERROR(write_bytes(path + ".bin", output.bytes));
      continue;
    }
    const std::vector<float> values = floats_of(output, net.outputs()[i]);
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    const Array floats{'f', 4, output.shape, {bytes, bytes + values.size() * sizeof(float)}};
    TW_RETURN_IF_ERROR(write_bytes(path + ".npy", write_npy(floats)));
  }
  return {};
}

// Drawings: each in a file of a folder, or all on one sheet.
class Drawings {
 public:
  Drawings(std::string path, size_t pictures) : path_(std::move(path)) {
    std::error_code ignored;
    in_folder_ = path_.ends_with('/') || fs::is_directory(path_, ignored);
    if (in_folder_) fs::create_directories(path_, ignored);
    sheet_ = !in_folder_ && pictures > 1;
  }
  Status add(const cv::Mat& drawing, const std::string& name) {
    if (path_.empty()) return {};
    if (in_folder_) return write_picture(fs::path(path_) / (name + ".png"), drawing);
    if (!sheet_) return write_picture(path_, drawing);
    drawings_.push_back(drawing);
    return {};
  }
  Status finish() const {
    return drawings_.empty() ? Status() : write_picture(path_, sheet(drawings_));
  }
  bool wanted() const { return !path_.empty(); }

 private:
  const std::string path_;
  bool in_folder_ = false, sheet_ = false;
  std::vector<cv::Mat> drawings_;
};

// ---- All pictures ----

class Look {
 public:
  Look(Net& net, const Viewer& viewer, const LookOptions& options, size_t pictures)
      : net_(net), viewer_(viewer), options_(options), drawings_(options.draw, pictures) {
    if (options.progress && pictures > 1) bar_.emplace(pictures);
  }

  Status show(std::span<const Frame> frames) {
    const auto start = std::chrono::steady_clock::now();
    TW_ASSIGN_OR_RETURN(batch, viewer_.see(frames));
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (size_t i = 0; i < batch.size(); ++i) {
      const std::string name = names_.name(batch[i].picture);
      text_ += text_of(batch[i], viewer_);
      json_.push_back(json_of(batch[i], viewer_));
      if (options_.format == ResultFormat::npy || options_.format == ResultFormat::bin)
        TW_RETURN_IF_ERROR(write_outputs(batch[i], net_, options_, name));
      if (drawings_.wanted())
        TW_RETURN_IF_ERROR(drawings_.add(drawn(frames[i].pixels, batch[i], viewer_), name));
      batch[i].outputs.clear();  // they are written already, and large
      seen_.push_back(std::move(batch[i]));
    }
    if (bar_) bar_->advance(batch.size());
    return {};
  }

  Result<LookReport> finish() {
    bar_.reset();
    TW_RETURN_IF_ERROR(drawings_.finish());
    if (options_.format == ResultFormat::json) text_ = json_.dump(2) + "\n";
    if (options_.format == ResultFormat::json && !options_.output.empty()) {
      TW_RETURN_IF_ERROR(write_bytes(
          options_.output, {reinterpret_cast<const uint8_t*>(text_.data()), text_.size()}));
      text_.clear();
    }
    if (options_.format == ResultFormat::text) {
      text_ += fmt::format("time    {} pictures in {}\n", seen_.size(), seconds_text(seconds_));
      if (drawings_.wanted()) text_ += fmt::format("wrote   {}\n", options_.draw);
    }
    return LookReport{std::move(text_), std::move(seen_)};
  }

 private:
  Net& net_;
  const Viewer& viewer_;
  const LookOptions& options_;
  Drawings drawings_;
  FreshNames names_;
  std::optional<ProgressBar> bar_;
  std::string text_;
  Json json_ = Json::array();
  std::vector<Seen> seen_;
  double seconds_ = 0;
};

}  // namespace

Result<LookReport> look(Net& net, const LookOptions& options) {
  TW_ASSIGN_OR_RETURN(viewer, Viewer::create(net, options.view));
  TW_ASSIGN_OR_RETURN(source, open_frames(options.images));
  Look look(net, viewer, options, source->count());
  std::vector<Frame> frames;
  for (bool more = true; more;) {
    TW_ASSIGN_OR_RETURN(frame, source->next());
    more = frame.has_value();
    if (more) frames.push_back(std::move(*frame));
    if (frames.size() == viewer.batch() || (!more && !frames.empty())) {
      TW_RETURN_IF_ERROR(look.show(frames));
      frames.clear();
    }
  }
  return look.finish();
}

}  // namespace tputwin::tools
