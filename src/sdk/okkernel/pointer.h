// Pointers into a chip's memories for the kernel's own code.
#pragma once

#include <optional>
#include <string>

#include "sdk/okkernel/kernel_call.h"

namespace tputwin::okk {

// Returns the byte at an absolute address of a memory that starts at `base`; nullptr outside.
inline uint8_t* byte_at(GlobalMemory& memory, uint64_t base, uint64_t address) {
  return address >= base && address - base < memory.size() ? memory.data() + (address - base)
                                                           : nullptr;
}
// Returns the byte at an offset of a lane; nullptr outside.
inline uint8_t* byte_at(LocalMemory& local, uint64_t lane, uint64_t offset) {
  return lane < local.lanes() && offset < local.lane_bytes()
             ? local.lane(static_cast<uint32_t>(lane)) + offset
             : nullptr;
}

// Returns the kernel's pointer for `found`, whose commands must be finished. If `found` is nullptr
// the address is wrong: the call fails, and the kernel gets scratch memory that it may read and
// write until its launch ends. Returns nullptr outside launches.
uint8_t* pointer_for_kernel(KernelCall& call, uint64_t address, uint8_t* found);

// Returns the pointer of an API function for an address; `locate` finds its byte on the device.
template <class Call>
uint8_t* pointer_of_call(std::string_view name, uint64_t address, auto locate) {
  Call call(name);
  uint8_t* found = call.ok() ? locate(call.session().device()) : nullptr;
  return pointer_for_kernel(call, address, found);
}

// Releases scratch memory after a launch.
void release_scratch();

// Returns true if a host address is near a memory of the device or the scratch memory. Safe in
// signal handlers.
bool is_next_to_a_memory(Device& device, const void* address);
// Returns the text of such an address: "global memory + 0x100000010".
std::string describe_neighbour(Device& device, const void* address);

}  // namespace tputwin::okk
