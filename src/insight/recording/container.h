// The file of a recording: a mark, a version, compressed blocks with checksums, an end mark.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"

namespace tputwin::insight::recording {

inline constexpr uint32_t kVersion = 1;

// A file that grows by blocks. It gets its name only when it ends.
class BlockFile {
 public:
  static Result<std::unique_ptr<BlockFile>> create(const std::string& path);

  Status add(std::span<const uint8_t> block);
  // Writes the end mark and commits the file. Without this call there is no file.
  Status end();

 private:
  explicit BlockFile(std::unique_ptr<AtomicFile> file) : file_(std::move(file)) {}

  std::unique_ptr<AtomicFile> file_;
};

// Returns the contents of all blocks, one after the other.
Result<std::vector<uint8_t>> unpack(std::span<const uint8_t> file);
// Returns a file with one block.
std::vector<uint8_t> pack(std::span<const uint8_t> block);

}  // namespace tputwin::insight::recording
