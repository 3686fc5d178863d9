// DeviceMemories: the host's access to the memories of a device. A function whose name is a verb
// makes the bytes current and records what the caller may do with them.
#pragma once

#include <cstdint>

#include "machine/memory_state.h"
#include "machine/observer_list.h"
#include "memory/memory.h"

namespace tputwin {

class DeviceMemories {
 public:
  // The device that owns both must outlive this object.
  DeviceMemories(MemoryState& state, const ObserverList& observers)
      : state_(state), observers_(observers) {}
  DeviceMemories(const DeviceMemories&) = delete;

  // Local memory.

  // Returns it for reading until the next run.
  const LocalMemory& read_local() const;
  // Returns it for any access at any time. No later run defers loads, because the caller may read
  // their bytes.
  LocalMemory& take_local();
  // Returns it like take_local(). In addition, each issued operation finishes at once from now on.
  // The lanes become contiguous in host memory, because the caller may walk over them.
  LocalMemory& expose_local();
  // Returns true while loads of the last run are deferred. Any access to local memory executes
  // them.
  bool has_deferred_loads() const { return state_.deferred_loads.any(); }

  // Returns the L2-SRAM (Space::l2) or the DTCM (Space::dtcm). The chip must have it.
  GlobalMemory& on_chip(Space space) const {
    return space == Space::l2 ? *state_.system.l2 : *state_.system.dtcm;
  }

  // Global memory. Addresses are offsets in it.

  uint64_t global_bytes() const { return state_.system.global->size(); }
  // Returns it for reading until the next run.
  const GlobalMemory& read_global() const;
  // Returns it for any access at any time. From now on the device keeps nothing that it derived
  // from its bytes, because the caller may write them.
  GlobalMemory& take_global();
  // Returns the bytes at `address` for reading until the next run.
  const uint8_t* prepare_read(uint64_t address, uint64_t bytes) const;
  // Returns the bytes at `address` for writing now. The caller must call it before each write.
  uint8_t* prepare_write(uint64_t address, uint64_t bytes);
  // Prepares the bytes like prepare_write(), for a caller that is about to remap whole pages of the
  // range.
  GlobalMemory& prepare_mapping(uint64_t address, uint64_t bytes);
  // Returns the bytes at `address` for writing at any time until cover_global() (WriteClock).
  uint8_t* expose_global(uint64_t address, uint64_t bytes);
  void cover_global(uint64_t address, uint64_t bytes) { state_.clock.cover(address, bytes); }

  // Returns all memories for any access at any time, as take_local() and take_global() do.
  Memory take_all();

 private:
  uint8_t* data(uint64_t address) const { return state_.system.global->data() + address; }
  // Makes everything current that depends on the bytes of a range that is about to be written.
  void settle_for_write(const GlobalRange& range);

  MemoryState& state_;
  const ObserverList& observers_;
};

}  // namespace tputwin
