#include "dataset.h"

#include <zlib.h>

namespace {

// The payload of an IDX file whose header is `header` bytes long.
bool read_idx(const std::string& path, size_t header, std::vector<uint8_t>& payload) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == NULL) return false;
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  int got;
  while ((got = gzread(file, chunk, sizeof chunk)) > 0)
    bytes.insert(bytes.end(), chunk, chunk + got);
  gzclose(file);
  if (got < 0 || bytes.size() < header) return false;
  payload.assign(bytes.begin() + (long)header, bytes.end());
  return true;
}

}  // namespace

bool read_dataset(const std::string& directory, const std::string& part, Dataset& dataset,
                  std::string& reason) {
  const std::string images = directory + "/" + part + "-images-idx3-ubyte.gz";
  const std::string labels = directory + "/" + part + "-labels-idx1-ubyte.gz";
  if (!read_idx(images, 16, dataset.pixels) || !read_idx(labels, 8, dataset.labels)) {
    reason =
        "cannot read " + images + " and its labels; they are in Debian's dataset-fashion-mnist";
    return false;
  }
  if (dataset.pixels.size() != dataset.count() * kPixels) {
    reason = images + " does not hold one 28x28 image per label";
    return false;
  }
  return true;
}

const char* class_name(uint8_t label) {
  static const char* const names[] = {"t-shirt", "trouser", "pullover", "dress", "coat",
                                      "sandal",  "shirt",   "sneaker",  "bag",   "boot"};
  return label < 10 ? names[label] : "?";
}
