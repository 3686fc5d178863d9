// Names, chips and alternatives of the kinds of operations.
#include "selftest/operation_kinds.h"

#include <array>

#include "ops/operation.h"

namespace tputwin::testing {

std::span<const OperationKind> all_operation_kinds() {
  static const auto kinds = [] {
    std::array<OperationKind, kOperationKinds> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<OperationKind>(i);
    return all;
  }();
  return kinds;
}

std::string_view to_string(OperationKind kind) {
  constexpr std::string_view kNames[] = {"conv2d",
                                         "winograd2d",
                                         "depthwise2d",
                                         "pool2d",
                                         "matrix_mac",
                                         "matrix_mac2",
                                         "elementwise",
                                         "mdsum",
                                         "lut",
                                         "dma_tensor",
                                         "dma_matrix",
                                         "dma_lrn_shift",
                                         "dma_winograd_kernel",
                                         "conv2d_f32",
                                         "depthwise2d_f32",
                                         "pool2d_f32",
                                         "matmul_f32",
                                         "float_arithmetic",
                                         "unary_f32",
                                         "channel_affine",
                                         "int8_to_f32",
                                         "select",
                                         "bitwise",
                                         "fixed_point",
                                         "split_byte",
                                         "mul_16_by_8",
                                         "mul_s16_by_u8",
                                         "copy",
                                         "copy_matrix",
                                         "float_function",
                                         "int_arithmetic",
                                         "unary",
                                         "convert",
                                         "requantise",
                                         "rearrange",
                                         "gather",
                                         "scatter",
                                         "mask_select",
                                         "sort",
                                         "sequence",
                                         "load_table",
                                         "table_lookup",
                                         "conv2d_float",
                                         "conv2d_quant",
                                         "depthwise2d_float",
                                         "depthwise2d_quant",
                                         "pool2d_float",
                                         "pool2d_quant",
                                         "matmul_float",
                                         "matmul_grouped",
                                         "matmul_int",
                                         "tpu_float_arithmetic",
                                         "tpu_select",
                                         "tpu_bitwise",
                                         "tpu_copy",
                                         "tpu_copy_matrix"};
  static_assert(std::size(kNames) == kOperationKinds);
  return kNames[static_cast<size_t>(kind)];
}

// With smaller memories.
static Chip shrunk(Chip chip) {
  chip.lane_bytes = 64 * 1024;
  chip.bank_bytes = chip.lane_bytes / chip.banks;
  chip.l2.bytes = 64 * 1024;
  chip.dtcm.bytes = chip.dtcm.bytes == 0 ? 0 : 16 * 1024;
  return chip;
}

const Chip& chip_of(OperationKind kind) {
  static const Chip small_bm1684 = shrunk(bm1684()), small_bm1684x = shrunk(bm1684x());
  return is_bm1684x(kind) ? small_bm1684x : is_bm1684(kind) ? small_bm1684 : bm1880();
}

size_t alternative_of(OperationKind kind) {
  constexpr OperationKind kShared[] = {OperationKind::float_arithmetic, OperationKind::select,
                                       OperationKind::bitwise, OperationKind::copy,
                                       OperationKind::copy_matrix};
  constexpr auto kFirst = static_cast<size_t>(OperationKind::tpu_float_arithmetic);
  static_assert(std::variant_size_v<AnyOperation> - 1 == kFirst);  // all but CpuCall
  static_assert(kFirst + std::size(kShared) == kOperationKinds);
  const auto index = static_cast<size_t>(kind);
  return index < kFirst ? index : static_cast<size_t>(kShared[index - kFirst]);
}

}  // namespace tputwin::testing
