// Windows beyond the fields of commands, and products beyond local memory, as layers that fit.
#pragma once

#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "bmnet/targets/bm1684x/windows/long_rows.h"
#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

// Replaces layers whose pads, strides or inserted zeros are too large for a command by several
// layers, named LAYER/WHAT. These move elements, or are windows that fit. Results have the same
// values. With a table, tensors between them get thresholds there. Windows that stay too large are
// refused when they are lowered. Layers with too many weights or channels become sums or ranges.
// `type` is that of the net; the table may give layers their own, and products of nets of bytes are
// floats. Layers of `columns` become ranges of columns. Returns the layers that must compute in
// fp32: sums of parts, for example.
Result<std::vector<std::string>> fit_windows(Network& network, NetCalibrationParameter* table,
                                             DType type, const ColumnRanges& columns);

}  // namespace tputwin::net::bm1684x
