#include "ops/mask_select.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const MaskSelect&, const Memory&) { return false; }

}  // namespace tputwin::fast
