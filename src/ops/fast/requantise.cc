#include "ops/requantise.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const Requantise&, const Memory&) { return false; }

}  // namespace tputwin::fast
