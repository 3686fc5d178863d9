// Attention whose scores do not fit local memory.
#pragma once

#include "bmnet/ir/network.h"
#include "bmnet/targets/bm1684x/numbers.h"

namespace tputwin::net::bm1684x {

// Divides the products and the softmax of heads with many rows of scores into ranges of rows. Each
// range is computed whole in local memory. Rows have the same values.
Status divide_long_attention(Network& network, const Types& types);

}  // namespace tputwin::net::bm1684x
