// A file that is written completely or not at all: under a temporary name, then renamed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace tputwin {

// Until commit(), the file at `path` does not change. A program that ends before, even by SIGKILL,
// leaves the old file; after SIGKILL a temporary file PATH.part-PID-N remains. A symbolic link is
// kept, and its target is replaced. Devices, pipes and terminals, and files in directories without
// write permission, are written in place. Errors: sys_file_write.
class AtomicFile {
 public:
  static Result<std::unique_ptr<AtomicFile>> create(const std::string& path);
  // Removes an uncommitted file.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Writes bytes after those written before. They have been passed to the operating system when the
  // function returns.
  Status write(std::span<const uint8_t> bytes);
  Status commit();

 private:
  AtomicFile() = default;
  Status fail(int reason) const;

  std::string path_;     // as the caller names it
  std::string place_;    // with symbolic links resolved
  std::string written_;  // temporary name; empty: written in place
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

}  // namespace tputwin
