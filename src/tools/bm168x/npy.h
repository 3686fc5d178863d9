// Arrays in files of numpy: .npy (one), .npz (an archive of them by name).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Elements in C order, least significant byte first.
struct Array {
  char kind = 'f';  // f, i, u: float, signed, unsigned
  uint32_t element_bytes = 4;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;

  uint64_t count() const { return bytes.size() / element_bytes; }
};

Result<Array> read_npy(std::vector<uint8_t> file);
std::vector<uint8_t> write_npy(const Array& array);

using Arrays = std::map<std::string, Array>;
Result<Arrays> read_npz(const std::string& path);
Status write_npz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays);

}  // namespace tputwin::tools
