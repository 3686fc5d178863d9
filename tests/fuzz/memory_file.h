// Inputs of readers that take paths.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>

namespace tputwin::fuzz {

// A file that exists only in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const uint8_t> bytes) : file_(memfd_create("input", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written <= 0) break;
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace tputwin::fuzz
