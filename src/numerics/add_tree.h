// The adder of the BM1684X's matrix unit, which sums the products of one group in fixed point.
// bm1684x-machine 7.3.1.
#pragma once

#include <cstdint>
#include <span>

namespace tputwin {

constexpr uint32_t kAddTreeGroup = 32;  // products of fp16 or bf16 in a group

// Returns the sum of `values`, each aligned to the largest exponent. One bit below each significand
// is kept and the rest of the magnitude is cut off. The aligned values are added exactly, and the
// sum is rounded once, to nearest even. Subnormals count as 0. Infinities of both signs give the
// invalid NaN. Infinities of one sign are the result, whatever the other values are; products that
// overflow are such infinities. Otherwise a NaN gives the invalid NaN. The thread must be in
// ScopedFloatMode.
float add_tree(std::span<const float> values);

}  // namespace tputwin
