// The file of a recording: a mark, a version, compressed blocks with their checks, an end mark.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"

namespace tputwin::insight::recording {

inline constexpr uint32_t kVersion = 1;

// A file that grows by blocks, beside its place until it ends.
class BlockFile {
 public:
  static Result<std::unique_ptr<BlockFile>> create(const std::string& path);

  Status add(std::span<const uint8_t> block);
  // Without it there is no file.
  Status end();

 private:
  explicit BlockFile(std::unique_ptr<AtomicFile> file) : file_(std::move(file)) {}

  std::unique_ptr<AtomicFile> file_;
};

// The blocks of a file, one after the other.
Result<std::vector<uint8_t>> unpack(std::span<const uint8_t> file);
// The file of one block.
std::vector<uint8_t> pack(std::span<const uint8_t> block);

}  // namespace tputwin::insight::recording
