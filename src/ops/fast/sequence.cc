#include "ops/sequence.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const Sequence&, const Memory&) { return false; }

}  // namespace tputwin::fast
