// Roles: the meaning of an operation's data for the arguments of calls that may make it, by the
// names that arguments have in the kernel headers. Roles do not depend on a chip's API: attempt.h
// converts them to C arguments and text.h to C text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "memory/tensor_view.h"
#include "numerics/rounding.h"
#include "ops/contract/source.h"

namespace tputwin::lift {

// Memory of an address: local memory, system memory as calls name it (including L2-SRAM), or the
// static memory of tables.
enum class Place : uint8_t { local, system, tables };

struct Address {
  uint64_t at = 0;
  Place place = Place::local;
  bool is_used = false;  // false: the operation has no such operand
};
// An argument that takes an address of either memory; another argument selects the memory.
struct EitherAddress : Address {};
struct Extents {
  std::array<uint32_t, 4> of{1, 1, 1, 1};
};
// Strides in elements; NULL for the default layout.
struct Steps {
  std::optional<std::array<uint32_t, 4>> of;
};
struct Pair {
  uint32_t h = 1, w = 1;
};
struct Padding {
  uint32_t top = 0, bottom = 0, left = 0, right = 0;
};
struct Number {
  int64_t value = 0;
};
struct Flag {
  bool value = false;
};
// A number of an element's type, as its bits. Calls take it as a scalar_t, a float or a plain
// integer.
struct Constant {
  uint32_t bits = 0;
  DType dtype = DType::i32;
};
// A tensor, a number, or one element for every lane.
struct Variable {
  enum class Kind : uint8_t { tensor, scalar, vector } kind = Kind::scalar;
  Address address;
  Constant constant;
  bool is_choice = false;  // true: a chosen value; false: a compared one
};
// Types of the fixed point functions of the BM1684.
struct PackedTypes {
  DType a = DType::i8, b = DType::i8, out = DType::i8;
};

struct Roles {
  Address dst_addr, src_addr, src0_addr, src1_addr, shift_addr, bias_addr, scale_addr, table_addr,
      coeff_addr, quant_addr, count_addr, output_addr, input_addr, weight_addr, kzp_addr, pad_addr,
      pad_insert_addr, left_addr, right_addr, zp_addr, param_addr, dst0_addr, dst1_addr;
  EitherAddress index_addr, mask_addr;
  Address local_index_addr, local_mask_addr;  // index_addr, mask_addr of the tensor engine's calls

  Extents shape, dst_shape, src_shape, input_shape;
  Steps kernel_stride, dst_stride, src_stride, src0_stride, src1_stride, shift_stride, input_stride,
      output_stride, param_stride, index_stride;
  Pair kernel, stride, dilation, insert, ins;
  Padding padding;

  DType dtype{}, dst_dtype{}, src_dtype{}, src0_dtype{}, src1_dtype{}, C_dtype{}, shift_dtype{},
      output_dtype{}, input_dtype{}, weight_dtype{}, bias_dtype{}, kzp_dtype{}, left_dtype{},
      right_dtype{}, left_right_dtype{}, right_C_dtype{}, left_C_dtype{}, right_zp_dtype{},
      C_zp_dtype{}, index_dtype{}, data_dtype{}, mask_dtype{}, src0_src1_dtype{}, dst0_dtype{},
      dst1_dtype{};
  Rounding rounding_mode{}, mode{}, dst_rounding_mode{}, src_rounding_mode{};

  PackedTypes op_type;

  Constant C, true_val, select_val, scale, bias, pad_val, insert_val, kzp_val, zp_val, offset;
  Variable src0, src1, src2, src3, select0, select1;

  Number kernel_h, kernel_w, shift, lshift, rshift, multiplier, num_iter, num, len, npu_num,
      src0_len, src1_len, src0_len_per_channel, src1_len_per_channel, left_rows, left_cols,
      right_rows, right_cols, left_cols_per_channel, right_cols_per_channel, output_c, param_h,
      param_w, rows, cols, cols_per_channel, row_stride, src_rows, src_cols, dst_cols_per_channel,
      src_cols_per_channel, src_row_stride, dst_row_stride, len_per_channel, count, base_idx;
  Flag saturation, has_bias, using_bias, is_origin_dst_signed, result_add, result_relu,
      is_param_repeated, fill_const, index_is_local, mask_in_lmem, kernel_is_const;
};

// An argument of a call, for its text. Real is a float, Scalar a scalar_t.
struct Real {
  uint32_t bits;
};
struct Scalar : Constant {};
using Argument = std::variant<Address, Extents, Steps, Pair, Padding, Number, Flag, Real, Scalar,
                              Variable, DType, Rounding, PackedTypes>;

}  // namespace tputwin::lift
