#include "ops/int_arithmetic.h"
#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const IntArithmetic&, const Memory&) { return false; }

}  // namespace tputwin::fast
