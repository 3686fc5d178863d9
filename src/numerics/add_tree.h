// The adder of the BM1684X's matrix unit: the products of one group, summed in fixed point.
// bm1684x-machine 7.3.1.
#pragma once

#include <cstdint>
#include <span>

namespace tputwin {

constexpr uint32_t kAddTreeGroup = 32;  // products that fp16 and bf16 sum at a time

// Every value is aligned to the largest exponent, one bit below its significand is kept and the
// rest of the magnitude cut off; these are added exactly and the sum is rounded once, to nearest
// even. Subnormals are 0. Infinities of both signs give the invalid NaN; those of one sign, which
// products reach by overflow too, are the sum whatever else is there; else a NaN gives the invalid
// one. Expects the thread to be in ScopedFloatMode.
float add_tree(std::span<const float> values);

}  // namespace tputwin
