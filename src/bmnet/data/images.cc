// Folders of pictures.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "bmnet/data/decode.h"
#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

namespace fs = std::filesystem;

class Images final : public DataSet {
 public:
  explicit Images(DataOptions options) : options_(std::move(options)) {}

  void add(std::string file, int label) {
    files_.push_back(std::move(file));
    labels_.push_back(label);
  }

  Status sample(size_t index, std::span<float> values) const override {
    const std::string& name = files_[index];
    auto file = read_bytes(name, kMostPictureBytes);
    if (!file.ok()) return data_error(name, file.error().message());
    TW_ASSIGN_OR_RETURN(picture, decode_picture(*file, options_.shape.c, options_.rgb, name));
    return prepare(picture, options_, name, values);
  }
  Result<Extents> natural_shape() const override {
    auto file = read_bytes(files_[0], kMostPictureBytes);
    if (!file.ok()) return data_error(files_[0], file.error().message());
    TW_ASSIGN_OR_RETURN(picture, decode_picture(*file, 3, false, files_[0]));
    return picture.extents;
  }

 private:
  DataOptions options_;
  std::vector<std::string> files_;
};

// Returns the names in a folder, sorted.
std::vector<fs::path> entries(const fs::path& folder, bool folders) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    std::error_code ignored;
    if (folders ? i->is_directory(ignored) : is_picture_name(i->path().filename()))
      result.push_back(i->path());
  }
  std::ranges::sort(result);
  return result;
}

// Reads lines "FILE [LABEL]". The label is the last word if it is a number.
Status add_listed(const fs::path& folder, const std::string& list, Images& images) {
  auto text = read_bytes(list, kMostPictureBytes);
  if (!text.ok()) return data_error(list, text.error().message());
  std::istringstream lines(std::string(text->begin(), text->end()));
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    if (line.empty()) continue;
    int label = -1;
    const size_t gap = line.find_last_of(" \t");
    if (gap != std::string::npos) {
      const char *begin = line.data() + gap + 1, *end = line.data() + line.size();
      if (int number = -1; std::from_chars(begin, end, number).ptr == end) {
        label = number;
        line.resize(line.find_last_not_of(" \t", gap) + 1);
      }
    }
    images.add(folder / line, label);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<DataSet>> open_images(const std::string& path, const DataOptions& options) {
  auto images = std::make_unique<Images>(options);
  if (!options.list.empty()) {
    TW_RETURN_IF_ERROR(add_listed(path, options.list, *images));
  } else {
    for (const fs::path& file : entries(path, false)) images->add(file, -1);
    int label = 0;
    if (images->size() == 0)
      for (const fs::path& folder : entries(path, true)) {
        for (const fs::path& file : entries(folder, false)) images->add(file, label);
        ++label;
      }
  }
  return std::unique_ptr<DataSet>(std::move(images));
}

}  // namespace tputwin::net
