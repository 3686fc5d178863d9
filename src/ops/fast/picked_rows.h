// Depthwise convolutions of bytes that only move rows.
#pragma once

#include "memory/memory.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/fast/dispatch/fast_kernel.h"

namespace tputwin::fast {

// Runs depthwise convolutions whose filters have one column, and at most one weight that is not 0,
// which is 1. Each row of results is then a row of the input, or of padding. Compilers of bmodels
// make such filters to lay out the rows under a window as channels.
Declined picked_rows(const Depthwise2dBm1684xInt8& op, const Memory& memory);

}  // namespace tputwin::fast
