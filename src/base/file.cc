// Reads and writes whole files, with the system's reason in the error.
#include "base/file.h"

#include "base/atomic_file.h"
#include "base/errors/base.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tputwin {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error failed(ErrorId id, const std::string& path) {
  return Error(id).in(path).detail(std::strerror(errno));
}

}  // namespace

Result<std::vector<uint8_t>> read_bytes(const std::string& path, size_t most) {
  File owned(path == "-" ? nullptr : std::fopen(path.c_str(), "rb"));
  std::FILE* file = path == "-" ? stdin : owned.get();
  if (file == nullptr) return failed(errors::sys_file_read, path);
  std::vector<uint8_t> bytes;
  constexpr size_t kChunk = size_t{1} << 20;
  size_t got = 0;
  do {
    size_t end = bytes.size();
    bytes.resize(end + kChunk);
    got = std::fread(bytes.data() + end, 1, kChunk, file);
    bytes.resize(end + got);
    if (bytes.size() > most)
      return Error(errors::sys_file_read)
          .in(path)
          .detail("it has more than " + std::to_string(most) + " bytes");
  } while (got == kChunk);
  if (std::ferror(file)) return failed(errors::sys_file_read, path);
  bytes.shrink_to_fit();  // callers may keep them
  return bytes;
}

Status write_bytes(const std::string& path, std::span<const uint8_t> bytes) {
  if (path == "-") {
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
    if (std::fflush(stdout) != 0 || !is_written) return failed(errors::sys_file_write, path);
    return {};
  }
  TW_ASSIGN_OR_RETURN(file, AtomicFile::create(path));
  TW_RETURN_IF_ERROR(file->write(bytes));
  return file->commit();
}

}  // namespace tputwin
