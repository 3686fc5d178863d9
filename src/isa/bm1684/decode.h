// The decoders of the BM1684's commands. Each builds an operation from the fields of its operands.
// The table tiu_operations.def assigns decoders to commands.
#pragma once

#include "isa/bm1684/reader.h"
#include "ops/operation.h"

namespace tputwin::isa::bm1684_streams {

// Distinguishes the operations of one decoder. nullopt for types that the operation does not
// support.
struct TiuVariant {
  std::optional<FloatArithmetic::Kind> real = {};
  std::optional<FixedPoint::Kind> fixed = {};
  std::optional<Bitwise::Kind> bits = {};
  Select::Compare compare = {};
  UnaryF32::Kind unary = {};
};
using TiuDecoder = Operation (*)(const TiuCommand&, Reader&, const TiuVariant&);

struct TiuRow {
  uint8_t type, code;
  std::string_view name;
  TiuDecoder decode;
  TiuVariant variant;
};
std::span<const TiuRow> tiu_rows();
// Returns the row of a class and code; nullptr: there is none.
const TiuRow* find_row(uint64_t type, uint64_t code);

#define TW_DECODER(name) Operation name(const TiuCommand&, Reader&, const TiuVariant&);
// Defined in decode_windows.cc.
TW_DECODER(conv2d)
TW_DECODER(depthwise2d)
TW_DECODER(max_pool2d)
// Defined in decode_matrices.cc.
TW_DECODER(matmul)
// Defined in decode_elements.cc.
TW_DECODER(elements)
TW_DECODER(shift)
TW_DECODER(select_value)
TW_DECODER(copy)
TW_DECODER(aligned_arithmetic)
TW_DECODER(aligned_max)
TW_DECODER(select)
TW_DECODER(select_with_extreme)
// Defined in decode_functions.cc.
TW_DECODER(lookup)
TW_DECODER(polynomial)
TW_DECODER(unary)
TW_DECODER(exponent)
TW_DECODER(affine)
#undef TW_DECODER

// Defined in decode_dma.cc.
Operation dma(const GdmaCommand&, CommandReader&);
// The reason why commands for some of the lanes are refused.
inline constexpr std::string_view kLaneMask = "masks of lanes are measured on the BM1684X only";

}  // namespace tputwin::isa::bm1684_streams
