#include "ops/unary.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const Unary&, const Memory&) { return false; }

}  // namespace tputwin::fast
