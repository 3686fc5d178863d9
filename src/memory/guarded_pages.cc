// Pages between guards.
#include "memory/guarded_pages.h"

#include <sys/mman.h>

#include <mutex>
#include <set>

#include "base/bits.h"
#include "base/variables.h"

namespace tputwin {
namespace {

// Huge pages start at multiples of their size, if the host has them.
constexpr uint64_t kPage = 4096, kHugePage = uint64_t{2} << 20;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Returns 0 if the mapping fails.
uint64_t map(uint64_t at, uint64_t bytes, int protection, int flags) {
  void* address = mmap(reinterpret_cast<void*>(at), bytes, protection, kFlags | flags, -1, 0);
  return address == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(address);
}

void unmap(uint64_t begin, uint64_t end) {
  if (begin != end) munmap(reinterpret_cast<void*>(begin), end - begin);
}

// TPUTWIN_GUARDS=0 turns guards off. An emulator of another processor keeps a record of each of
// their pages, which takes seconds for every memory.
bool guards_are_wanted() { return value_of(EnvVariable::guards) != "0"; }

// Pages that were mapped without guards.
struct Bare {
  std::mutex mutex;
  std::set<uint64_t> pages;
};

Bare& bare() {
  static auto& instance = *new Bare;
  return instance;
}

uint64_t map_bare(uint64_t bytes) {
  const uint64_t pages = map(0, bytes, PROT_READ | PROT_WRITE, 0);
  if (pages == 0) return 0;
  std::lock_guard lock(bare().mutex);
  bare().pages.insert(pages);
  return pages;
}

// Reserves address space for `bytes` and their guards, and unmaps the surplus of the alignment.
uint64_t reserve(uint64_t bytes) {
  const uint64_t whole_bytes = kGuardBytes + kHugePage + bytes + kGuardBytes;
  const uint64_t whole = map(0, whole_bytes, PROT_NONE, 0);
  if (whole == 0) return 0;
  const uint64_t pages = align_up(whole + kGuardBytes, kHugePage);
  unmap(whole, pages - kGuardBytes);
  unmap(pages + bytes + kGuardBytes, whole + whole_bytes);
  return pages;
}

}  // namespace

uint8_t* map_guarded(uint64_t bytes) {
  if (bytes > UINT64_MAX / 2) return nullptr;
  const uint64_t whole_pages = align_up(bytes, kPage);
  uint64_t pages = guards_are_wanted() ? reserve(whole_pages) : 0;
  if (pages == 0)
    pages = map_bare(bytes);
  else if (map(pages, whole_pages, PROT_READ | PROT_WRITE, MAP_FIXED) == 0)
    // The reservation stays; it uses no memory.
    return nullptr;
  return reinterpret_cast<uint8_t*>(pages);
}

void unmap_guarded(uint8_t* memory, uint64_t bytes) {
  const auto pages = reinterpret_cast<uint64_t>(memory);
  const uint64_t end = pages + align_up(bytes, kPage);
  std::lock_guard lock(bare().mutex);
  if (bare().pages.erase(pages) != 0)
    unmap(pages, end);
  else
    unmap(pages - kGuardBytes, end + kGuardBytes);
}

void guard_rest(uint8_t* memory, uint64_t bytes, uint64_t kept) {
  const uint64_t begin = align_up(kept, kPage), end = align_up(bytes, kPage);
  if (begin < end) static_cast<void>(mprotect(memory + begin, end - begin, PROT_NONE));
}

}  // namespace tputwin
