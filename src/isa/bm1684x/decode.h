// The decoders of the BM1684X's commands. Each builds an operation from the fields of its operands.
// The tables tiu_operations.def and gdma_operations.def assign decoders to commands.
#pragma once

#include "isa/bm1684x/command.h"
#include "isa/streams/reader.h"

namespace tputwin::isa::bm1684x_streams {

enum class Product : uint8_t { plain, right_transposed, all_transposed };

// Distinguishes the operations of one decoder. `real` and `integer` are nullopt for types that the
// operation does not support.
struct TiuVariant {
  std::optional<FloatArithmetic::Kind> real = {};
  std::optional<IntArithmetic::Kind> integer = {};
  bool saturates = false;
  Bitwise::Kind bits = {};
  Select::Compare compare = {};
  bool has_extreme = false;
  Unary::Kind unary = {};
  Requantize::Kind scaling = {};
  Rearrange::Kind rearranged = {};
  MaskSelect::Kind chosen = {};
  IndexedBy by = {};
  Product product = {};
  bool relu = false;
  bool is_logical = false;
  bool along_w = false;
  bool rows_aligned = false;
  bool first_batch = false;
  // No recording confirms this operation; it is assumed to equal another one.
  bool unconfirmed = false;
};
using TiuDecoder = Operation (*)(const TiuCommand&, CommandReader&, const TiuVariant&);

struct GdmaVariant {
  bool transposed = false;
  bool first_channel = false;
};
using GdmaDecoder = Operation (*)(const GdmaCommand&, CommandReader&, const GdmaVariant&);

inline Shape result_shape(const TiuCommand& c, CommandReader& r) {
  return r.shape(TW_OF(c, res0_n), TW_OF(c, res0_c), TW_OF(c, res0_h), TW_OF(c, res0_w));
}
// Returns true if an operand is signed; then the result is signed.
inline bool any_sign(const TiuCommand& c) { return c.opd0_sign != 0 || c.opd1_sign != 0; }

#define TW_DECODER(name) Operation name(const TiuCommand&, CommandReader&, const TiuVariant&);
// Defined in decode_windows.cc.
TW_DECODER(conv2d)
TW_DECODER(conv2d_symmetric)
TW_DECODER(depthwise2d)
TW_DECODER(average_pool2d)
TW_DECODER(max_pool2d)
// Defined in decode_matrices.cc.
TW_DECODER(mm)
TW_DECODER(int8_mm)
TW_DECODER(mm2)
// Defined in decode_elements.cc.
TW_DECODER(arithmetic)
TW_DECODER(extreme)
TW_DECODER(mac)
TW_DECODER(shift)
TW_DECODER(rotate)
TW_DECODER(doubling_high)
TW_DECODER(bitwise)
TW_DECODER(bitwise_not)
TW_DECODER(compare)
TW_DECODER(divide)
TW_DECODER(cast)
TW_DECODER(copy)
TW_DECODER(sequence)
TW_DECODER(unary)
// Defined in decode_channels.cc.
TW_DECODER(requantize)
TW_DECODER(taylor)
TW_DECODER(exponent)
TW_DECODER(inverse_root)
TW_DECODER(scale_bias)
TW_DECODER(bias_square)
TW_DECODER(select)
// Defined in decode_moves.cc.
TW_DECODER(transpose)
TW_DECODER(to_lanes)
TW_DECODER(from_static)
TW_DECODER(gather)
TW_DECODER(scatter)
TW_DECODER(mask_select)
TW_DECODER(row_select)
#undef TW_DECODER

#define TW_DECODER(name) Operation name(const GdmaCommand&, CommandReader&, const GdmaVariant&);
// Defined in decode_dma.cc.
TW_DECODER(dma_copy)
TW_DECODER(dma_transpose_nc)
TW_DECODER(dma_swap_cw)
TW_DECODER(dma_repeat_channel)
TW_DECODER(dma_copy_to_banks)
TW_DECODER(dma_matrix)
TW_DECODER(dma_mask_select)
TW_DECODER(dma_move)
TW_DECODER(dma_move_to_lanes)
TW_DECODER(dma_nonzero)
TW_DECODER(dma_gather)
TW_DECODER(dma_scatter)
#undef TW_DECODER

}  // namespace tputwin::isa::bm1684x_streams
