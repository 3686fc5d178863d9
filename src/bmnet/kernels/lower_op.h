// Lowering of IR layers to kernels.
#pragma once

#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

// Returns the kernels of a layer, in order. Layers that are not computed on tiles have none:
// movers, CPU operators, customized layers. An error names the layer and the limit that it exceeds.
Result<std::vector<KernelPtr>> lower_op(const Network& network, size_t op,
                                        const LayerIntegers& integers);

// Declares one function per family, column `tiles` of ir/ops.def. Each family is a file.
#define TW_OP_TPU(name, traits, shapes, tiles, ...)                             \
  Result<std::vector<KernelPtr>> lower_##tiles(const Network&, const TensorOp&, \
                                               const LayerIntegers&);
#include "bmnet/ir/ops.def"

// ---- Shared by the families ----

// Returns an input or output of an op as (n,c,h,w).
View view_of(const std::string& tensor, const TensorShape& shape);
// Returns an input or output of an op that computes each channel by values of its own. The rows and
// columns of a channel are regrouped so that a row fits the fields of commands.
View channel_view(const std::string& tensor, const TensorShape& shape);
// Returns the part of a view with these channels.
View channels_of(View view, Span channels);
// Returns the tensor as planes of values, regrouped so that every extent fits the fields of
// element-wise commands.
View flat_view(const std::string& tensor, const TensorShape& shape);
// Returns int8 weights or int16 biases of a quantized blob as bytes. Biases are low bytes, then
// high bytes.
std::vector<uint8_t> weight_bytes(std::span<const float> values);
std::vector<uint8_t> bias_bytes(std::span<const float> values);
Weight bias_weight(std::span<const float> values);
// Returns a table of 256 bytes for each of the 32 lanes.
Weight table_weight(const std::array<int8_t, 256>& table);
// Checks that every value is an integer in [-limit - 1, limit].
Status check_integers(const TensorOp& op, const Blob& blob, int limit);
// Checks that value <= limit, for a field of a command.
Status check_field(const TensorOp& op, std::string_view field, int64_t value, int64_t limit);
// Checks that the window fits the fields of commands. If the window has one position along an axis,
// its stride there is reduced to fit the field.
Status fit_window(const TensorOp& op, Window2d& window, const Extents& in, const Extents& out);

}  // namespace tputwin::net
