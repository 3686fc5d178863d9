// Maps regular files into memory; reads all others.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace tputwin {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    const auto bytes = static_cast<size_t>(status.st_size);
    void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped != MAP_FAILED)
      return std::shared_ptr<const MappedFile>(
          new MappedFile(descriptor, {static_cast<const uint8_t*>(mapped), bytes}));
  }
  if (descriptor >= 0) close(descriptor);
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  return std::make_shared<const MappedFile>(std::move(bytes));
}

MappedFile::~MappedFile() {
  if (descriptor_ < 0) return;
  munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  close(descriptor_);
}

}  // namespace tputwin
