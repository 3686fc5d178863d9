// Kinds of operations as the tests draw them: what is drawn, and for which chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "chip/chip.h"

namespace tputwin::testing {

// The alternatives of Operation that have a body, in its order, then some on another chip.
enum class OperationKind : uint8_t {
  conv2d,
  winograd2d,
  depthwise2d,
  pool2d,
  matrix_mac,
  matrix_mac2,
  elementwise,
  mdsum,
  lut,
  dma_tensor,
  dma_matrix,
  dma_lrn_shift,
  dma_winograd_kernel,
  conv2d_f32,
  depthwise2d_f32,
  pool2d_f32,
  matmul_f32,
  float_arithmetic,
  unary_f32,
  channel_affine,
  int8_to_f32,
  select,
  bitwise,
  fixed_point,
  split_byte,
  mul_16_by_8,
  mul_s16_by_u8,
  copy,
  copy_matrix,
  float_function,
  int_arithmetic,
  unary,
  convert,
  requantise,
  rearrange,
  gather,
  scatter,
  mask_select,
  sort,
  sequence,
  load_table,
  table_lookup,
  conv2d_float,
  conv2d_quant,
  depthwise2d_float,
  depthwise2d_quant,
  pool2d_float,
  pool2d_quant,
  matmul_float,
  matmul_grouped,
  matmul_int,
  // Alternatives of the BM1684 above, with the rules and types of the BM1684X.
  tpu_float_arithmetic,
  tpu_select,
  tpu_bitwise,
  tpu_copy,
  tpu_copy_matrix
};
constexpr size_t kOperationKinds = static_cast<size_t>(OperationKind::tpu_copy_matrix) + 1;
constexpr bool is_bm1684x(OperationKind kind) { return kind >= OperationKind::float_function; }
constexpr bool is_bm1684(OperationKind kind) {
  return kind >= OperationKind::conv2d_f32 && !is_bm1684x(kind);
}
// The index in Operation.
size_t alternative_of(OperationKind kind);
// The chip random operations of a kind are for: the BM1880, or a BM1684 or BM1684X with smaller
// memories, so that they are quickly compared.
const Chip& chip_of(OperationKind kind);
std::span<const OperationKind> all_operation_kinds();
std::string_view to_string(OperationKind kind);

}  // namespace tputwin::testing
