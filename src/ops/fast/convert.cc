#include "ops/convert.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const Convert&, const Memory&) { return false; }

}  // namespace tputwin::fast
