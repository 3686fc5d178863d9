// IR layers -> kernels.
#pragma once

#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

// The kernels of a layer, in order. Empty for layers that are not computed on tiles: movers, CPU
// operators, customized layers. An error names the layer and the limit it breaks.
Result<std::vector<KernelPtr>> lower_op(const Network& network, size_t op,
                                        const LayerIntegers& integers);

// One per family, of the column `tiles` of ir/ops.def; each is a file.
#define TW_OP_TPU(name, traits, shapes, tiles, ...)                             \
  Result<std::vector<KernelPtr>> lower_##tiles(const Network&, const TensorOp&, \
                                               const LayerIntegers&);
#include "bmnet/ir/ops.def"

// ---- Shared by the families ----

// Input or output of an op as (n,c,h,w).
View view_of(const std::string& tensor, const TensorShape& shape);
// The same as one plane of values, regrouped so that every extent fits the fields of element-wise
// commands.
View flat_view(const std::string& tensor, const TensorShape& shape);
// int8 weights and int16 biases of a quantized blob. Bias: low bytes, then high bytes.
std::vector<uint8_t> weight_bytes(std::span<const float> values);
std::vector<uint8_t> bias_bytes(std::span<const float> values);
Weight bias_weight(std::span<const float> values);
// 256 bytes for each of the 32 lanes.
Weight table_weight(const std::array<int8_t, 256>& table);
// Every value an integer within [-limit - 1, limit].
Status check_integers(const TensorOp& op, const Blob& blob, int limit);
// value <= limit, for a field of a command.
Status check_field(const TensorOp& op, std::string_view field, int64_t value, int64_t limit);
// Checks that commands have the fields for the window. A window with one position along an axis
// gets a stride that the field holds.
Status fit_window(const TensorOp& op, Window2d& window, const Extents& in, const Extents& out);

}  // namespace tputwin::net
