// Layers whose rows do not fit a lane: ranges of columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/lowering/tiled_kernel.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {

// The number of ranges of columns that layers are divided into.
using ColumnRanges = std::map<std::string, int64_t>;

// Adds the layers of which a row of a kernel does not fit a lane, and whose columns can be divided.
// Returns false if there is none that was not there before.
bool add_long_rows(const std::vector<KernelPtr>& kernels, const std::vector<TensorOp>& ops,
                   ColumnRanges& ranges);

// Returns the sums of rows and columns that a tg_resample or tg_interp makes.
::bmnet::TGResampleParameter sums_of(const TensorOp& op);

// Divides a layer into at least `count` ranges of its columns, if it can be divided.
bool can_divide_columns(const TensorOp& op);
PartTensor fit_columns(LayerParts& parts, int64_t count);

}  // namespace tputwin::net::bm1684x
