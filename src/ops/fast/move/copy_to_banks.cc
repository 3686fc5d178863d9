// copy_to_banks: a fast copy to each of the destinations.
#include "ops/move/copy_to_banks.h"

#include "ops/fast/fast.h"

namespace tputwin::fast {

// A destination that the fast kernels of copies decline is copied by the reference kernel.
bool execute(const CopyToBanks& op, const Memory& memory) {
  bool ran = false;
  for (const TensorView& dst : op.dst) {
    const Copy copy = copy_to(op, dst);
    if (fast::execute(copy, memory))
      ran = true;
    else
      tputwin::execute(copy, memory);
  }
  return ran;
}

}  // namespace tputwin::fast
