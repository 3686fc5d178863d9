// Inner products of many columns before functions: ranges of columns.
#pragma once

#include "bmnet/targets/bm1684x/numbers.h"

namespace tputwin::net::bm1684x {

// Divides inner products that are computed by ranges of columns, with the functions of one value
// that follow them alone. The results of a range then stay in local memory until the functions have
// them. Nets of bytes keep theirs, whose products are convolutions.
Status divide_wide_products(Network& network, const Types& types);

}  // namespace tputwin::net::bm1684x
