// Raw tensors, and the API for data sets of all kinds.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

namespace fs = std::filesystem;

class Raw final : public DataSet {
 public:
  Raw(DataOptions options, std::vector<uint8_t> bytes, size_t samples)
      : options_(std::move(options)), bytes_(std::move(bytes)) {
    labels_.assign(samples, -1);
  }

  Status sample(size_t index, std::span<float> values) const override {
    const size_t size = bytes_.size() / labels_.size();
    const uint8_t* from = bytes_.data() + index * size;
    if (values.size() * (options_.raw_type == RawType::f32 ? 4 : 1) != size)
      return Error(errors::net_data_shape)
          .in("data set")
          .argument("values", std::to_string(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      if (options_.raw_type == RawType::f32)
        std::memcpy(&values[i], from + 4 * i, 4);
      else
        values[i] = options_.raw_type == RawType::u8
                        ? static_cast<float>(from[i])
                        : static_cast<float>(static_cast<int8_t>(from[i]));
    }
    return apply_mean_and_scale(options_, 0, 0, values);
  }
  Result<Extents> natural_shape() const override {
    return data_error("raw tensors", "the shape must be given");
  }

 private:
  DataOptions options_;
  std::vector<uint8_t> bytes_;
};

Result<std::unique_ptr<DataSet>> open_kind(const std::string& path, const DataOptions& options) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !fs::exists(path, error)) return data_error(path, "does not exist");
  switch (options.kind) {
    case DataKind::images:
      return open_images(path, options);
    case DataKind::idx:
      return open_idx(path, options);
    case DataKind::raw:
      return open_raw(path, options);
    case DataKind::lmdb:
      return open_lmdb(path, options);
    case DataKind::automatic:
      break;
  }
  if (folder)
    return fs::exists(fs::path(path) / "data.mdb", error) ? open_lmdb(path, options)
                                                          : open_images(path, options);
  return is_idx(path) ? open_idx(path, options) : open_raw(path, options);
}

}  // namespace

Result<std::unique_ptr<DataSet>> open_raw(const std::string& path, const DataOptions& options) {
  auto bytes = read_bytes(path);
  if (!bytes.ok()) return data_error(path, bytes.error().message());
  const size_t sample = static_cast<size_t>(options.shape.c * options.shape.h * options.shape.w) *
                        (options.raw_type == RawType::f32 ? 4 : 1);
  if (sample == 0 || bytes->size() % sample != 0)
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("file", path)
        .detail(fmt::format("{} bytes are no number of samples of {}", bytes->size(), sample));
  const size_t samples = bytes->size() / sample;
  return std::unique_ptr<DataSet>(std::make_unique<Raw>(options, std::move(*bytes), samples));
}

Result<std::unique_ptr<DataSet>> open_data_set(const std::string& path,
                                               const DataOptions& options) {
  TW_ASSIGN_OR_RETURN(data, open_kind(path, options));
  if (data->size() == 0)
    return Error(errors::net_data_empty)
        .in("data set")
        .argument("--data", path)
        .detail(std::filesystem::is_directory(path)
                    ? "the folder, or every folder in it, holds no picture (jpg, png, bmp, ...)"
                    : "the file holds none");
  return data;
}

}  // namespace tputwin::net
