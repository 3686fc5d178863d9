// The readers that open_data_set uses, and their shared functions.
#pragma once

#include "bmnet/data/data_set.h"

namespace tputwin::net {

// Planes of a picture, one channel after the other.
struct Picture {
  Extents extents;
  std::vector<float> values;
};

// Position of a picture in a sample: scaled to height and width, with its corner at (top, left).
// top and left are negative where edges are cut off.
struct Placement {
  int64_t height, width, top, left;
};
Placement place(const Extents& picture, const DataOptions& options);

// Scales and crops a picture into a sample of options.shape, and applies mean and scale. `name` is
// for errors.
Status prepare(const Picture& picture, const DataOptions& options, const std::string& name,
               std::span<float> values);
Status apply_mean_and_scale(const DataOptions& options, int64_t top, int64_t left,
                            std::span<float> values);
// Decodes a picture file to 1 or 3 channels.
Result<Picture> decode_picture(std::span<const uint8_t> file, int64_t channels, bool rgb,
                               const std::string& name);
// Converts 8-bit pixels, rows of 1 or 3 channels with blue first.
Result<Picture> picture_of(std::span<const uint8_t> pixels, const Extents& extents,
                           int64_t channels, bool rgb);
bool is_picture_name(const std::string& name);

Error data_error(const std::string& name, std::string detail);

Result<std::unique_ptr<DataSet>> open_images(const std::string& path, const DataOptions& options);
Result<std::unique_ptr<DataSet>> open_idx(const std::string& path, const DataOptions& options);
Result<std::unique_ptr<DataSet>> open_raw(const std::string& path, const DataOptions& options);
Result<std::unique_ptr<DataSet>> open_lmdb(const std::string& path, const DataOptions& options);
bool is_idx(const std::string& path);

}  // namespace tputwin::net
