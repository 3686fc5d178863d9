// The bytes of a file as memory, read on first access.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin {

class MappedFile {
 public:
  // Maps a file. Reads it if it cannot be mapped ("-", a pipe). The file must keep its size while
  // it is mapped.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // Holds bytes without a file.
  explicit MappedFile(std::vector<uint8_t> bytes) : owned_(std::move(bytes)), bytes_(owned_) {}
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return bytes_; }
  // Returns the descriptor of the mapped file, for further mappings; -1 if there is none.
  int descriptor() const { return descriptor_; }

 private:
  MappedFile(int descriptor, std::span<const uint8_t> mapped)
      : bytes_(mapped), descriptor_(descriptor) {}

  std::vector<uint8_t> owned_;
  std::span<const uint8_t> bytes_;
  int descriptor_ = -1;
};

}  // namespace tputwin
