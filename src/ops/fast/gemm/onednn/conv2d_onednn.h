// The convolution of the BM1880 by oneDNN.
#pragma once

#include "ops/fast/dispatch/fast_kernel.h"

namespace tputwin {
struct Conv2dBm1880;

namespace fast {

// Runs the kernel that calls oneDNN. The operands must not be declined by conv2d_declines().
Declined execute_onednn(const Conv2dBm1880& op, const Memory& memory);

}  // namespace fast
}  // namespace tputwin
