#include "memory/global_memory.h"

#include "base/errors/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace tputwin {

Result<std::unique_ptr<GlobalMemory>> GlobalMemory::reserve(uint64_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return Error(errors::mem_reserve)
        .in("GlobalMemory::reserve")
        .argument("bytes", fmt::format("{}", bytes))
        .detail(std::strerror(errno));
  return std::unique_ptr<GlobalMemory>(new GlobalMemory(static_cast<uint8_t*>(address), bytes));
}

GlobalMemory::~GlobalMemory() { munmap(data_, size_); }

Result<uint8_t*> GlobalMemory::at(uint64_t offset, uint64_t bytes) {
  if (!contains(offset, bytes))
    return Error(errors::mem_global_range)
        .argument("range", fmt::format("[{:#x}, +{:#x}) of {:#x} bytes", offset, bytes, size_));
  return data_ + offset;
}

}  // namespace tputwin
