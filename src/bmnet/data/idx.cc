// The idx files of MNIST, plain or gzip.
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <filesystem>

#include "base/errors/bmnet.h"
#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

constexpr size_t kMostBytes = size_t{1} << 32;

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, CloseFile>;

bool read_exactly(gzFile file, uint8_t* to, size_t size) {
  constexpr size_t kPiece = size_t{1} << 30;
  for (size_t done = 0; done < size;) {
    const int got = gzread(file, to + done, static_cast<unsigned>(std::min(kPiece, size - done)));
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

struct Idx {
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;
};

// Format: 0, 0, type, number of extents; extents of four bytes, big-endian; values.
Result<Idx> read_idx(const std::string& path) {
  const File file(gzopen(path.c_str(), "rb"));
  std::array<uint8_t, 4> word;
  if (!file) return data_error(path, "cannot be opened");
  if (!read_exactly(file.get(), word.data(), 4) || word[0] != 0 || word[1] != 0)
    return data_error(path, "not an idx file");
  if (word[2] != 8) return data_error(path, "an idx file of a type that is not unsigned bytes");
  Idx idx;
  size_t size = 1;
  const int axes = word[3];
  for (int i = 0; i < axes; ++i) {
    if (!read_exactly(file.get(), word.data(), 4)) return data_error(path, "it ends in the header");
    const int64_t extent =
        int64_t{word[0]} << 24 | int64_t{word[1]} << 16 | int64_t{word[2]} << 8 | word[3];
    idx.dims.push_back(extent);
    size *= static_cast<size_t>(extent);
    if (size > kMostBytes) return data_error(path, "it is too large");
  }
  // A false header of a short file must not cause a large allocation, so values are read in pieces.
  constexpr size_t kPiece = size_t{1} << 24;
  while (idx.bytes.size() < size) {
    const size_t begin = idx.bytes.size(), piece = std::min(kPiece, size - begin);
    idx.bytes.resize(begin + piece);
    if (!read_exactly(file.get(), idx.bytes.data() + begin, piece))
      return data_error(path, "it ends before its last value");
  }
  return idx;
}

class IdxImages final : public DataSet {
 public:
  IdxImages(DataOptions options, Idx images, std::string path)
      : options_(std::move(options)), images_(std::move(images)), path_(std::move(path)) {
    labels_.assign(images_.dims[0], -1);
    const size_t axes = images_.dims.size();
    extents_ = {1, axes == 4 ? images_.dims[1] : 1, images_.dims[axes - 2], images_.dims[axes - 1]};
  }

  Status add_labels(const std::string& path) {
    TW_ASSIGN_OR_RETURN(labels, read_idx(path));
    if (labels.bytes.size() != labels_.size())
      return Error(errors::net_data_label)
          .in("data set")
          .argument("file", path)
          .detail(fmt::format("{} labels, {} samples", labels.bytes.size(), labels_.size()));
    labels_.assign(labels.bytes.begin(), labels.bytes.end());
    return {};
  }

  Status sample(size_t index, std::span<float> values) const override {
    const auto begin = images_.bytes.begin() + static_cast<int64_t>(index) * extents_.count();
    return prepare({extents_, {begin, begin + extents_.count()}}, options_, path_, values);
  }
  Result<Extents> natural_shape() const override { return extents_; }

 private:
  DataOptions options_;
  Idx images_;
  std::string path_;
  Extents extents_;
};

}  // namespace

bool is_idx(const std::string& path) {
  const File file(gzopen(path.c_str(), "rb"));
  std::array<uint8_t, 4> word;
  return file && read_exactly(file.get(), word.data(), 4) && word[0] == 0 && word[1] == 0 &&
         word[2] == 8 && (word[3] == 3 || word[3] == 4);
}

Result<std::unique_ptr<DataSet>> open_idx(const std::string& path, const DataOptions& options) {
  TW_ASSIGN_OR_RETURN(images, read_idx(path));
  if (images.dims.size() != 3 && images.dims.size() != 4)
    return data_error(path, fmt::format("it has {} axes, not 3 or 4", images.dims.size()));
  for (const int64_t extent : images.dims)
    if (extent == 0) return Error(errors::net_data_empty).in("data set").argument("file", path);
  auto data = std::make_unique<IdxImages>(options, std::move(images), path);
  std::string labels = options.list;
  if (labels.empty()) {
    constexpr std::string_view kImages = "images-idx3", kLabels = "labels-idx1";
    labels = path;
    const size_t at = labels.rfind(kImages);
    if (at == std::string::npos) return std::unique_ptr<DataSet>(std::move(data));
    labels.replace(at, kImages.size(), kLabels);
    if (std::error_code error; !std::filesystem::exists(labels, error))
      return std::unique_ptr<DataSet>(std::move(data));
  }
  TW_RETURN_IF_ERROR(data->add_labels(labels));
  return std::unique_ptr<DataSet>(std::move(data));
}

}  // namespace tputwin::net
