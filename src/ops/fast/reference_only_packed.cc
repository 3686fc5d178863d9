#include "ops/fast/fast.h"

namespace tputwin::fast {

bool execute(const Bitwise32&, const Memory&) { return false; }
bool execute(const FixedPoint&, const Memory&) { return false; }
bool execute(const SplitByte&, const Memory&) { return false; }
bool execute(const Mul16By8&, const Memory&) { return false; }
bool execute(const MulS16ByU8&, const Memory&) { return false; }

}  // namespace tputwin::fast
