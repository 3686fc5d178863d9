// Ranges of device memory that descriptors name.
#pragma once

#include <initializer_list>
#include <optional>

#include "sdk/bmlib/api.h"

namespace tputwin::bmlib {

struct Range {
  uint64_t offset, bytes;  // offset in device memory
  // Returns the host address, without notice to checks.
  const uint8_t* host(const Card& card) const { return card.memory() + offset; }
  // Returns the host address for reading; checks observe the read.
  const uint8_t* for_reading(Card& card) const {
    card.notify({.kind = DeviceEvent::Kind::host_read, .address = offset, .bytes = bytes});
    return host(card);
  }
  uint8_t* for_writing(Card& card) const { return card.mark_written(offset, bytes); }
};

// A descriptor of the API in either form: with a size of 32 or of 64 bits.
struct Descriptor {
  Descriptor(const bm_device_mem_t& mem)
      : flags(mem.flags), address(mem.u.device.device_addr), size(mem.size) {}
  Descriptor(const bm_device_mem_u64_t& mem)
      : flags(mem.flags), address(mem.u.device.device_addr), size(mem.size) {}

  bm_mem_flags_t flags;
  uint64_t address, size;
};

// Returns bytes [offset, offset + bytes) of a descriptor, or all from `offset` on. They must be in
// device memory; a warning if they are not in one block in use. For use inside Card::exclusively().
Result<Range> range(std::string_view call, Card& card, std::string_view argument,
                    const Descriptor& mem, uint64_t offset, uint64_t bytes);
inline Result<Range> range(std::string_view call, Card& card, std::string_view argument,
                           const Descriptor& mem) {
  return range(call, card, argument, mem, 0, mem.size);
}

Status check_device_type(const Descriptor& mem, std::string_view argument);

// Copy host memory to bytes [offset, offset + bytes) of a descriptor, and back.
Status copy_in(std::string_view call, bm_handle_t handle, const Descriptor& mem, const void* source,
               uint64_t offset, uint64_t bytes);
Status copy_out(std::string_view call, bm_handle_t handle, const Descriptor& mem, void* target,
                uint64_t offset, uint64_t bytes);

// Allocates memory and fills in its descriptor.
Status allocate(bm_handle_t handle, bm_device_mem_t* pmem, int64_t bytes, uint32_t heap = 0);
// Returns the product of extents and an element's size, or -1 if it is not a valid block size.
int64_t block_bytes(std::initializer_list<int> extents, int64_t element);
// As allocate(), for any size.
Status allocate_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem, std::optional<uint64_t> bytes,
                    uint32_t heap = 0);
// Returns the product of extents and an element's size; nothing if it exceeds 64 bits.
std::optional<uint64_t> block_bytes_u64(std::initializer_list<uint64_t> extents, uint64_t element);

}  // namespace tputwin::bmlib
