#include "ops/load_table.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const LoadTable&, const Memory&) { return false; }

}  // namespace tputwin::fast
