// Layer normalizations that a file writes as means, differences, squares and roots.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Replaces (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) and x / sqrt(mean(x^2) + eps), over
// the last axis, and constant factors and offsets after it, by one layer. Products with 1 divided
// by the root are quotients. The layer has the name and the result of the last of them.
void join_norms(Network& network);

}  // namespace tputwin::net::bm1684x
