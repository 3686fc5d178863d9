// Time stamps of pages, and exposed ranges, which have none.
#include "memory/write_clock.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tputwin {

// Maps zero pages. The heap is not used: it might reuse memory that it would have to clear as a
// whole.
std::unique_ptr<uint64_t[], WriteClock::Unmap> WriteClock::map(uint64_t pages) {
  void* stamps = mmap(nullptr, pages * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stamps == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<uint64_t*>(stamps), Unmap{pages}};
}

void WriteClock::Unmap::operator()(uint64_t* p) const { munmap(p, pages * sizeof(uint64_t)); }

void WriteClock::mark(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return;
  if (written_ == nullptr) written_ = map(pages_);
  ++now_;
  const uint64_t last = std::min((begin + bytes - 1) >> kPageBits, pages_ - 1);
  for (uint64_t page = begin >> kPageBits; page <= last; ++page) written_[page] = now_;
}

bool WriteClock::unchanged(uint64_t begin, uint64_t bytes, uint64_t time) const {
  if (all_exposed_) return false;
  std::lock_guard lock(mutex_);
  for (const auto& [first, end] : exposed_)
    if (begin < end && first < begin + bytes) return false;
  if (bytes == 0 || written_ == nullptr) return true;
  const uint64_t last = std::min((begin + bytes - 1) >> kPageBits, pages_ - 1);
  for (uint64_t page = begin >> kPageBits; page <= last; ++page)
    if (written_[page] > time) return false;
  return true;
}

void WriteClock::expose(uint64_t begin, uint64_t bytes) {
  const std::pair range(begin, begin + bytes);
  std::lock_guard lock(mutex_);
  if (std::find(exposed_.begin(), exposed_.end(), range) == exposed_.end())
    exposed_.push_back(range);
}

// Counts the range as written now, because it may have been written while it was exposed.
void WriteClock::cover(uint64_t begin, uint64_t bytes) {
  const uint64_t end = begin + bytes;
  const auto inside = [&](const auto& range) {
    return begin <= range.first && range.second <= end;
  };
  std::unique_lock lock(mutex_);
  const bool was_exposed = std::erase_if(exposed_, inside) != 0;
  lock.unlock();
  if (was_exposed) mark(begin, bytes);
}

}  // namespace tputwin
