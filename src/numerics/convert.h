// Conversions between the number types of the BM1684X. Expects the thread to be in
// ScopedFloatMode. bm1684x-machine 7.4.
#pragma once

#include <cstdint>

#include "memory/tensor_view.h"
#include "numerics/rounding.h"

namespace tputwin {

// Returns the element of type `to` nearest to the element `bits` of type `from`, rounded once. Both
// have the form of Memory::read() and Memory::write(). Integers saturate; NaN gives the smallest
// integer.
int32_t convert(int32_t bits, DType from, DType to, Rounding mode);

// Returns a floating-point element rounded to a whole number of its own type.
int32_t round_to_whole(int32_t bits, DType dtype, Rounding mode);

}  // namespace tputwin
