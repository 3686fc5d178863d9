// Writes files under a temporary name, and moves them to their final name with rename().
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/errors/base.h"

namespace tputwin {
namespace {

namespace fs = std::filesystem;

// Returns a name that differs from all others of this process and of other running processes.
std::string temporary_name(const std::string& place) {
  static std::atomic<unsigned> number = 0;
  return place + ".part-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}

std::string without_links(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

// Creates a file. `mode` has the permissions of the file that it replaces, or is 0 if there is
// none. Returns -1 and sets errno on failure.
int create_temporary(const std::string& name, mode_t mode) {
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0 && mode != 0) static_cast<void>(fchmod(file, mode));
  return file;
}

}  // namespace

Status AtomicFile::fail(int reason) const {
  return Error(errors::sys_file_write).in(path_).detail(std::strerror(reason));
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path) {
  std::unique_ptr<AtomicFile> made(new AtomicFile);
  made->path_ = path;
  made->place_ = without_links(path);
  struct stat before = {};
  const bool is_there = stat(made->place_.c_str(), &before) == 0;
  // A file that must not be written must not be replaced either.
  if (is_there && access(made->place_.c_str(), W_OK) != 0) return made->fail(errno).error();
  int file = -1;
  if (!is_there || S_ISREG(before.st_mode)) {
    made->written_ = temporary_name(made->place_);
    file = create_temporary(made->written_, is_there ? before.st_mode & 07777 : 0);
  }
  if (file < 0) {
    made->written_.clear();
    file = open(made->place_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (file < 0) return made->fail(errno).error();
  made->file_.reset(fdopen(file, "wb"));
  return made;
}

AtomicFile::~AtomicFile() {
  file_.reset();
  if (!written_.empty()) unlink(written_.c_str());
}

Status AtomicFile::write(std::span<const uint8_t> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
      std::fflush(file_.get()) == 0)
    return {};
  return fail(errno);
}

Status AtomicFile::commit() {
  if (std::fclose(file_.release()) != 0) return fail(errno);
  if (written_.empty()) return {};
  if (std::rename(written_.c_str(), place_.c_str()) != 0) return fail(errno);
  written_.clear();
  return {};
}

}  // namespace tputwin
