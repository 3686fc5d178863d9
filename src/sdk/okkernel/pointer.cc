// Pointers for kernels, and scratch memory for invalid ones.
#include "sdk/okkernel/pointer.h"

#include <sys/mman.h>

#include <array>
#include <atomic>

#include "memory/guarded_pages.h"
#include "sdk/okkernel/kernel_exit.h"

namespace tputwin::okk {
namespace {

// The reach of the largest tensor, in both directions.
constexpr uint64_t kScratchBytes = uint64_t{4} << 30;

// One for the process, mapped at first use: kernels may keep pointers from launch to launch.
std::atomic<uint8_t*> mapped_scratch = nullptr;

uint8_t* scratch() {
  static uint8_t* const pages = map_guarded(kScratchBytes);
  mapped_scratch = pages;
  return pages;
}

struct Memory {
  std::string_view name;
  const uint8_t* pages = nullptr;
  uint64_t bytes = 0;
};

// Returns all memories that a kernel has pointers into.
std::array<Memory, 5> memories(Device& device) {
  auto of = [](std::string_view name, auto& memory) {
    return Memory{name, memory.data(), memory.size()};
  };
  const bool l2 = device.chip().l2.bytes != 0, dtcm = device.chip().dtcm.bytes != 0;
  const std::span<const uint8_t> local = device.memories().read_local().host_bytes();
  return {of("global memory", device.memories().read_global()),
          Memory{"local memory", local.data(), local.size()},
          l2 ? of("L2-SRAM", device.memories().on_chip(Space::l2)) : Memory{},
          dtcm ? of("DTCM", device.memories().on_chip(Space::dtcm)) : Memory{},
          Memory{"memory for wrong addresses", mapped_scratch, kScratchBytes}};
}

bool is_next_to(const void* address, const Memory& memory) {
  return memory.pages != nullptr && tputwin::is_next_to(address, memory.pages, memory.bytes);
}

}  // namespace

uint8_t* pointer_for_kernel(KernelCall& call, uint64_t address, uint8_t* found) {
  if (!call.in_kernel()) return nullptr;
  Session& session = call.session();
  call.require(!session.unpolled(), session.rules().pointer_unpolled, "addr", Hex{address});
  if (session.recording() != nullptr) session.recording()->pointer(call.name());
  session.device().observers().notify({.kind = DeviceEvent::Kind::pointer});
  if (found != nullptr) return found;
  call.require(false, session.rules().pointer, "addr", Hex{address});
  if (!in_leavable_kernel()) return nullptr;
  if (scratch() == nullptr) leave_kernel(KernelEnd::reported);
  return scratch() + kScratchBytes / 2;
}

void release_scratch() {
  if (uint8_t* pages = mapped_scratch) madvise(pages, kScratchBytes, MADV_DONTNEED);
}

bool is_next_to_a_memory(Device& device, const void* address) {
  for (const Memory& memory : memories(device))
    if (is_next_to(address, memory)) return true;
  return false;
}

std::string describe_neighbour(Device& device, const void* address) {
  for (const Memory& memory : memories(device)) {
    if (!is_next_to(address, memory)) continue;
    const int64_t offset = static_cast<const uint8_t*>(address) - memory.pages;
    return fmt::format("{} {} {:#x}", memory.name, offset < 0 ? '-' : '+',
                       offset < 0 ? -offset : offset);
  }
  return fmt::format("{}", address);
}

}  // namespace tputwin::okk
