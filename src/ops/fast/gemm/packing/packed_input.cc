// The buffers of each thread for packed inputs.
#include "ops/fast/gemm/packing/packed_input.h"

#include <array>
#include <utility>

#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {

TakenInput take_packed_input(const CellPlanes& planes, uint32_t slot, const void* owner) {
  struct Slot {
    Scratch scratch;
    const void* owner = nullptr;
  };
  thread_local std::array<Slot, PreparedKernel::kInputSlots> slots;
  auto* const buffer = slots[slot].scratch.take<uint32_t>(PackedInput::words(planes));
  return {{buffer, planes}, std::exchange(slots[slot].owner, owner) == owner};
}

}  // namespace tputwin::fast
