// Reservation of address space, which the system fills with zeros at the first access.
#include "memory/global_memory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/errors/memory.h"
#include "memory/guarded_pages.h"

namespace tputwin {

Result<std::unique_ptr<GlobalMemory>> GlobalMemory::reserve(uint64_t bytes) {
  uint8_t* pages = map_guarded(bytes);
  if (pages == nullptr)
    return Error(errors::mem_reserve)
        .in("GlobalMemory::reserve")
        .argument("bytes", fmt::format("{}", bytes))
        .detail(std::strerror(errno));
  return std::unique_ptr<GlobalMemory>(new GlobalMemory(pages, bytes));
}

GlobalMemory::~GlobalMemory() { unmap_guarded(data_, size_); }

Result<uint8_t*> GlobalMemory::at(uint64_t offset, uint64_t bytes) {
  if (!contains(offset, bytes))
    return Error(errors::mem_global_range)
        .argument("range", fmt::format("[{:#x}, +{:#x}) of {:#x} bytes", offset, bytes, size_));
  return data_ + offset;
}

}  // namespace tputwin
