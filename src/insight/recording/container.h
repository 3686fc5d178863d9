// The file of a recording: a mark, a version, compressed blocks with their checks, an end mark.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::insight::recording {

inline constexpr uint32_t kVersion = 1;

// A file that grows by blocks.
class BlockFile {
 public:
  static Result<std::unique_ptr<BlockFile>> create(const std::string& path);

  Status add(std::span<const uint8_t> block);
  // Without it the file counts as truncated.
  Status end();

 private:
  BlockFile(FILE* file, std::string path) : file_(file, std::fclose), path_(std::move(path)) {}
  Status put(std::span<const uint8_t> bytes);

  std::unique_ptr<FILE, int (*)(FILE*)> file_;
  std::string path_;
};

// The blocks of a file, one after the other.
Result<std::vector<uint8_t>> unpack(std::span<const uint8_t> file);
// The file of one block.
std::vector<uint8_t> pack(std::span<const uint8_t> block);

}  // namespace tputwin::insight::recording
