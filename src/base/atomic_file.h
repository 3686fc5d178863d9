// A file that is there whole or not at all: written beside its place, then moved there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"

namespace tputwin {

// Until commit() nothing at `path` changes; a program that ends before, even by SIGKILL, leaves
// what was there (and of SIGKILL a file PATH.part-PID-N beside it). A link's target is replaced,
// not the link. What is no regular file (a device, a pipe, a terminal), or lies in a folder where
// no file can be made, is written in place. Errors: sys_file_write.
class AtomicFile {
 public:
  static Result<std::unique_ptr<AtomicFile>> create(const std::string& path);
  // Removes what was not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // The bytes are with the system when it returns.
  Status write(std::span<const uint8_t> bytes);
  Status commit();

 private:
  AtomicFile() = default;
  Status fail(int reason) const;

  std::string path_;     // as the caller names it
  std::string place_;    // without links
  std::string written_;  // empty: in place
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

}  // namespace tputwin
