// Makes bytes current before the host accesses them, and records writes.
#include "machine/device_memories.h"

namespace tputwin {

const LocalMemory& DeviceMemories::read_local() const {
  state_.deferred_loads.execute();
  return state_.local;
}

LocalMemory& DeviceMemories::take_local() {
  state_.is_local_taken = true;
  state_.deferred_loads.execute();
  state_.finish_sums();
  return state_.local;
}

LocalMemory& DeviceMemories::expose_local() {
  state_.is_local_exposed = true;
  take_local().close_gaps();
  return state_.local;
}

const GlobalMemory& DeviceMemories::read_global() const {
  state_.pages->restore_all();
  return *state_.system.global;
}

GlobalMemory& DeviceMemories::take_global() {
  state_.clock.expose_all();
  state_.deferred_loads.execute();
  state_.pages->restore_all();
  return *state_.system.global;
}

const uint8_t* DeviceMemories::prepare_read(uint64_t address, uint64_t bytes) const {
  state_.pages->restore({address, bytes});
  if (bytes != 0)
    observers_.notify({.kind = DeviceEvent::Kind::host_read, .address = address, .bytes = bytes});
  return data(address);
}

void DeviceMemories::settle_for_write(const GlobalRange& range) {
  state_.deferred_loads.execute_if_from(range);
  state_.pages->restore(range);
}

uint8_t* DeviceMemories::prepare_write(uint64_t address, uint64_t bytes) {
  state_.clock.mark(address, bytes);
  settle_for_write({address, bytes});
  if (bytes != 0)
    observers_.notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
  return data(address);
}

GlobalMemory& DeviceMemories::prepare_mapping(uint64_t address, uint64_t bytes) {
  state_.clock.mark(address, bytes);
  settle_for_write({address, bytes});
  observers_.notify({.kind = DeviceEvent::Kind::host_write, .address = address, .bytes = bytes});
  return *state_.system.global;
}

uint8_t* DeviceMemories::expose_global(uint64_t address, uint64_t bytes) {
  state_.clock.expose(address, bytes);
  settle_for_write({address, bytes});
  observers_.notify({.kind = DeviceEvent::Kind::pointer, .address = address, .bytes = bytes});
  return data(address);
}

Memory DeviceMemories::take_all() {
  static_cast<void>(take_local());
  static_cast<void>(take_global());
  return state_.view();
}

}  // namespace tputwin
