// The BM1684 as a target of the compiler. It shares passes and kernels with the BM1684X; the
// operations of these become commands of the BM1684 (commands.h), and functions become series and
// tables (functions.h).
#pragma once

#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684 {

const bm1684x::Target& bm1684_target();

}  // namespace tputwin::net::bm1684
