// Layers that compute masks and what masks are added to.
//
// A mask holds 0 where a value counts, and -10000, -1e9 or the lowest float elsewhere. As bytes, a
// sum with it has no steps left for the values that count. A factor such as -1e9 turns the rounding
// of a boolean (127/128 for 1) into numbers as large as the mask. Therefore the host computes these
// layers in floats, from the inputs of the mask to where its range ends, such as a Softmax.
#pragma once

#include <set>
#include <string>

#include "bmnet/calibrate/statistics.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Returns the names of the layers of the TPU that the host must compute in floats.
std::set<std::string> mask_layers(const Network& network, const TensorRanges& ranges);

}  // namespace tputwin::net
