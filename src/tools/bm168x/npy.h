// Arrays in files of numpy: .npy (one), .npz (an archive of them by name).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Elements in C order, least significant byte first.
struct Array {
  char kind = 'f';  // f, i, u, b: float, signed, unsigned, boolean of one byte
  uint32_t element_bytes = 4;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;

  uint64_t count() const { return bytes.size() / element_bytes; }
};

Result<Array> read_npy(std::vector<uint8_t> file);
std::vector<uint8_t> write_npy(const Array& array);

using Arrays = std::map<std::string, Array>;
Result<Arrays> read_npz(const std::string& path);
using NamedArrays = std::vector<std::pair<std::string, Array>>;
Status write_npz(const std::string& path, const NamedArrays& arrays);

// Returns true for a file that holds arrays by its name: .npy or .npz.
bool is_array_file(std::string_view path);
// Returns an error if a file of this name cannot hold so many arrays: an .npy holds one.
Status check_array_file(const std::string& path, size_t arrays);
// Writes such a file.
Status write_array_file(const std::string& path, const NamedArrays& arrays);

}  // namespace tputwin::tools
