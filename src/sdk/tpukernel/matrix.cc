// Matrix products.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

// A matrix argument: an address, or one value for all elements.
struct Given {
  std::string_view name;
  local_addr_t address = 0;
  bool is_constant = false;
  scalar_t value{};
};
Given at(std::string_view name, local_addr_t address) { return {name, address}; }
Given every(scalar_t value) { return {.name = "C", .is_constant = true, .value = value}; }
Given every(float value) {
  scalar_t scalar{};
  scalar.f32 = value;
  return every(scalar);
}

// Operands that are stored transposed.
enum class Form { plain, left, right, all };

// left_rows and left_cols are the stored extents of left. `right` is the stored extent of right
// that is not the depth of the product.
struct Extents {
  Form form;
  int left_rows, left_cols, right;

  bool left_transposed() const { return form == Form::left || form == Form::all; }
  bool right_transposed() const { return form == Form::right || form == Form::all; }
  uint32_t rows() const { return static_cast<uint32_t>(left_transposed() ? left_cols : left_rows); }
  uint32_t depth() const {
    return static_cast<uint32_t>(left_transposed() ? left_rows : left_cols);
  }
  uint32_t cols() const { return static_cast<uint32_t>(right); }
};

bool valid(Call& call, const Extents& e) {
  const bool by_rows = e.right_transposed();
  return call.in_range(e.left_rows, 1, call.chip().limits.extent, errors::tpu_count, "left_rows") &&
         call.in_range(e.left_cols, 1, call.chip().limits.extent, errors::tpu_count, "left_cols") &&
         call.in_range(e.right, 1, call.chip().limits.extent, errors::tpu_count,
                       by_rows ? "right_rows" : "right_cols");
}

// Returns a constant matrix of rows x cols.
MatrixOperand constant_matrix(scalar_t value, uint32_t rows, uint32_t cols, DType type) {
  return {.matrix = {{.dtype = type}, rows, cols},
          .is_constant = true,
          .constant = bits_of(value, type)};
}

// ---- Rows in channels ----

MatrixOperand row_matrix(Call& call, const Given& given, uint32_t rows, uint32_t cols,
                         bool transposed, DType type) {
  if (given.is_constant) return constant_matrix(given.value, rows, cols, type);
  if (transposed) std::swap(rows, cols);
  return {.matrix = {call.aligned(given.name, given.address, {1, rows, 1, cols}, type), rows, cols},
          .row_per_channel = true,
          .transposed = transposed};
}

// Sets the matrices of an operation. Returns false if the extents are invalid.
template <class Op>
bool set_row_matrices(Call& call, Op& op, const Extents& e, local_addr_t output, const Given& left,
                      const Given& right, DType left_type, DType right_type, DType output_type) {
  if (!valid(call, e)) return false;
  const uint32_t rows = e.rows(), depth = e.depth(), cols = e.cols();
  op.out =
      row_matrix(call, at("output_addr", output), rows, cols, e.form == Form::all, output_type);
  op.left = row_matrix(call, left, rows, depth, e.left_transposed(), left_type);
  op.right = row_matrix(call, right, depth, cols, e.right_transposed(), right_type);
  return true;
}

void fp_mm(std::string_view name, const Extents& e, local_addr_t output, const Given& left,
           const Given& right, data_type_t output_dtype, data_type_t dtype, bool accumulate) {
  Call call(name);
  MatmulBm1684xHalf op{.accumulate = accumulate};
  const DType type = call.type("left_right_dtype", dtype, kFloat16);
  const DType output_type = call.type("output_dtype", output_dtype, kF32 | of(type));
  if (set_row_matrices(call, op, e, output, left, right, type, type, output_type)) call.issue(op);
}

// Zero points are one value, or one per column. The latter are stored as a copy of their row in
// every NPU, or in the channels of the result.
void zp_mm(std::string_view name, const Extents& e, local_addr_t output, const Given& left,
           const Given& right, const Given& zero_point, data_type_t left_dtype,
           data_type_t right_dtype, bool accumulate) {
  Call call(name);
  MatmulBm1684xInt op;
  const DType left_type = call.type("left_dtype", left_dtype, k8Bit);
  const DType right_type = call.type("right_zp_dtype", right_dtype, k8Bit);
  if (!set_row_matrices(call, op, e, output, left, right, left_type, right_type, DType::i32))
    return;
  if (accumulate) op.old = op.out;
  if (zero_point.is_constant) {
    op.zero_point = constant(zero_point.value, right_type);
  } else {
    const uint32_t rows = std::min(e.right_transposed() ? e.cols() : e.depth(), call.chip().lanes);
    const Shape shape =
        e.form == Form::all ? Shape{1, e.cols(), 1, 1} : Shape{1, rows, 1, e.cols()};
    op.zero_point = Source::tensor(
        call.compact("zp_addr", zero_point.address, shape, right_type, call.chip().eu_bytes));
  }
  call.issue(op);
}

// ---- Columns in channels ----

struct PerChannel {
  int left, right;
};

// The view includes all columns of the last channel.
MatrixView whole_channels(Call& call, const Given& given, uint32_t rows, uint32_t cols,
                          uint32_t per_channel, DType type) {
  MatrixView view = call.lane_matrix(given.name, given.address, rows, cols, per_channel, type);
  view.cols = view.tensor.shape.c * per_channel;
  return view;
}

bool valid(Call& call, const PerChannel& per, const Extents& e, bool left_is_constant) {
  return (left_is_constant ||
          call.in_range(per.left, 1, e.left_cols, errors::tpu_matrix_per_channel,
                        "left_cols_per_channel")) &&
         call.in_range(per.right, 1, e.right, errors::tpu_matrix_per_channel,
                       "right_cols_per_channel");
}

// Sets out, left, right and bias of an operation. Returns false if the extents are invalid.
template <class Op>
bool set_matrices(Call& call, Op& op, const Extents& e, const PerChannel& per, local_addr_t output,
                  const Given& left, const Given& right, DType left_type, DType right_type,
                  DType output_type) {
  if (!valid(call, e) || !valid(call, per, e, left.is_constant)) return false;
  const uint32_t rows = e.rows(), depth = e.depth(), width = static_cast<uint32_t>(per.right);
  op.out.matrix =
      whole_channels(call, at("output_addr", output), rows, e.cols(), width, output_type);
  op.right.matrix = whole_channels(call, right, depth, e.cols(), width, right_type);
  if (left.is_constant) {
    op.left = constant_matrix(left.value, rows, depth, left_type);
  } else {
    op.left.transposed = e.left_transposed();
    op.left.matrix = call.lane_matrix(left.name, left.address, static_cast<uint32_t>(e.left_rows),
                                      static_cast<uint32_t>(e.left_cols),
                                      static_cast<uint32_t>(per.left), left_type);
  }
  return true;
}

template <class Op>
void set_bias(Call& call, Op& op, local_addr_t address, DType type) {
  const MatrixView& out = op.out.matrix;
  op.bias = whole_channels(call, at("bias_addr", address), 1, out.cols, out.tensor.shape.w, type);
}

void fp32_mm(std::string_view name, const Extents& e, const PerChannel& per, local_addr_t output,
             const Given& left, const Given& right, local_addr_t bias, bool has_bias,
             bool accumulate) {
  Call call(name);
  MatmulBm1684xFp32 op{.accumulate = accumulate};
  const DType type = DType::f32;
  if (!set_matrices(call, op, e, per, output, left, right, type, type, type)) return;
  if (has_bias) set_bias(call, op, bias, type);
  call.issue(op);
}

struct IntTypes {
  data_type_t left, right;
};

// The shift is one value, or one per column.
void int_mm(std::string_view name, const Extents& e, const PerChannel& per, local_addr_t output,
            const Given& left, const Given& right, const Given& shift, IntTypes types,
            rounding_mode_t rounding) {
  Call call(name);
  MatmulBm1684xInt op{.rounding = call.rounding(rounding)};
  const DType left_type = call.type(left.is_constant ? "C_dtype" : "left_dtype", types.left, kInts);
  const DType right_type = call.type("right_dtype", types.right, kInts);
  const DType output_type = is_signed(left_type) || is_signed(right_type) ? DType::i32 : DType::u32;
  if (!set_matrices(call, op, e, per, output, left, right, left_type, right_type, output_type))
    return;
  // the chip's model does not shift sums of 8 and 16-bit numbers
  if (element_bytes(right_type) == 4 || !call.quirks().ignored)
    op.shift =
        shift.is_constant
            ? constant_matrix(shift.value, 1, op.out.matrix.cols, DType::i8)
            : MatrixOperand{.matrix = whole_channels(call, shift, 1, e.cols(),
                                                     op.out.matrix.tensor.shape.w, DType::i8)};
  call.issue(op);
}
Given shift_of(char shift) {
  scalar_t scalar{};
  scalar.s8 = shift;
  return every(scalar);
}

struct Int8Types {
  data_type_t output, left, right, bias;
};
struct Int8Steps {
  unsigned char lshift, rshift;
  bool has_bias, accumulate, relu;
};

void int8_mm(std::string_view name, const Extents& e, const PerChannel& per, local_addr_t output,
             const Given& left, const Given& right, local_addr_t bias, Int8Types types,
             Int8Steps steps) {
  Call call(name);
  const DType left_type = call.type(left.is_constant ? "C_dtype" : "left_dtype", types.left, k8Bit);
  const DType right_type = call.type("right_dtype", types.right, k8Bit);
  const bool has_sign = is_signed(left_type) || is_signed(right_type);
  const DType output_type = call.type("output_dtype", types.output, k8Bit | k16Bit);
  call.in_range(steps.lshift, 0, 31, errors::tpu_rshift, "lshift");
  call.in_range(steps.rshift, 0, 31, errors::tpu_rshift, "rshift");
  MatmulBm1684xInt op{.rounding = Rounding::half_up, .lshift = steps.lshift, .relu = steps.relu};
  if (!set_matrices(call, op, e, per, output, left, right, left_type, right_type, output_type))
    return;
  const MatrixView& out = op.out.matrix;
  op.shift = MatrixOperand{.matrix = {{.dtype = DType::i8}, 1, out.cols},
                           .is_constant = true,
                           .constant = static_cast<uint32_t>(-int{steps.rshift})};
  // the old output has 16 bits for every output type
  if (steps.accumulate)
    op.old = MatrixOperand{.matrix = whole_channels(call, at("output_addr", output), out.rows,
                                                    e.cols(), out.tensor.shape.w,
                                                    has_sign ? DType::i16 : DType::u16)};
  if (steps.has_bias)
    set_bias(call, op, bias, call.type("bias_dtype", types.bias, has_sign ? kI16 : kU16));
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// Parameters of a function for its matrices (further ones come before the constant), and the
// arguments of the product.
#define TW_TAKES_both(...) \
  local_addr_t left_addr, local_addr_t right_addr __VA_OPT__(, ) __VA_ARGS__
#define TW_TAKES_L_const(...) local_addr_t right_addr __VA_OPT__(, ) __VA_ARGS__, scalar_t C
#define TW_TAKES_L_float(...) local_addr_t right_addr __VA_OPT__(, ) __VA_ARGS__, float C
#define TW_TAKES_R_const(...) local_addr_t left_addr __VA_OPT__(, ) __VA_ARGS__, scalar_t C
#define TW_LEFT_both at("left_addr", left_addr)
#define TW_LEFT_L_const every(C)
#define TW_LEFT_L_float every(C)
#define TW_LEFT_R_const at("left_addr", left_addr)
#define TW_RIGHT_both at("right_addr", right_addr)
#define TW_RIGHT_L_const at("right_addr", right_addr)
#define TW_RIGHT_L_float at("right_addr", right_addr)
#define TW_RIGHT_R_const every(C)
// Columns per channel; a constant left matrix has none.
#define TW_TAKES_PER_both int left_cols_per_channel, int right_cols_per_channel
#define TW_TAKES_PER_L_const int right_cols_per_channel
#define TW_TAKES_PER_L_float int right_cols_per_channel
#define TW_PER_both \
  { left_cols_per_channel, right_cols_per_channel }
#define TW_PER_L_const \
  { 1, right_cols_per_channel }
#define TW_PER_L_float \
  { 1, right_cols_per_channel }
// Parameter of functions that can add the old output.
#define TW_TAKES_ADD , bool result_add
#define TW_RESULT_ADD result_add
#define TW_TAKES_PLAIN
#define TW_RESULT_PLAIN false

#define TW_FP_MM(suffix, matrices, form, add)                                                   \
  void tpu_bdc_fp_mm##suffix(local_addr_t output_addr, TW_TAKES_##matrices(), int left_rows,    \
                             int left_cols, int right, data_type_t output_dtype,                \
                             data_type_t dtype TW_TAKES_##add) {                                \
    fp_mm(__func__, {Form::form, left_rows, left_cols, right}, output_addr, TW_LEFT_##matrices, \
          TW_RIGHT_##matrices, output_dtype, dtype, TW_RESULT_##add);                           \
  }
TW_FP_MM(, both, plain, ADD)
TW_FP_MM(_R_trans, both, right, PLAIN)
TW_FP_MM(_all_trans, both, all, ADD)
TW_FP_MM(_L_const, L_const, plain, ADD)
TW_FP_MM(_R_const, R_const, plain, ADD)
TW_FP_MM(_L_const_R_trans, L_const, right, PLAIN)
TW_FP_MM(_L_const_all_trans, L_const, all, ADD)
TW_FP_MM(_R_const_all_trans, R_const, all, ADD)

#define TW_ZP_MM(suffix, matrices, form, add)                                                     \
  void tpu_bdc_int8_zp_mm##suffix(                                                                \
      local_addr_t output_addr, TW_TAKES_##matrices(), scalar_t zp_val, int left_rows,            \
      int left_cols, int right, data_type_t left_dtype, data_type_t right_dtype TW_TAKES_##add) { \
    zp_mm(__func__, {Form::form, left_rows, left_cols, right}, output_addr, TW_LEFT_##matrices,   \
          TW_RIGHT_##matrices, every(zp_val), left_dtype, right_dtype, TW_RESULT_##add);          \
  }                                                                                               \
  void tpu_bdc_int8_pc_zp_mm##suffix(                                                             \
      local_addr_t output_addr, TW_TAKES_##matrices(local_addr_t zp_addr), int left_rows,         \
      int left_cols, int right, data_type_t left_dtype, data_type_t right_dtype TW_TAKES_##add) { \
    zp_mm(__func__, {Form::form, left_rows, left_cols, right}, output_addr, TW_LEFT_##matrices,   \
          TW_RIGHT_##matrices, at("zp_addr", zp_addr), left_dtype, right_dtype, TW_RESULT_##add); \
  }
TW_ZP_MM(, both, plain, ADD)
TW_ZP_MM(_R_trans, both, right, PLAIN)
TW_ZP_MM(_all_trans, both, all, ADD)
TW_ZP_MM(_L_const, L_const, plain, ADD)
TW_ZP_MM(_R_const, R_const, plain, ADD)
TW_ZP_MM(_L_const_R_trans, L_const, right, PLAIN)
TW_ZP_MM(_L_const_all_trans, L_const, all, ADD)
TW_ZP_MM(_R_const_all_trans, R_const, all, ADD)

#define TW_FP32_MM(suffix, matrices, form)                                                      \
  void tpu_bdc_fp32_mm##suffix(                                                                 \
      local_addr_t output_addr, TW_TAKES_##matrices(local_addr_t bias_addr), int left_rows,     \
      int left_cols, int right_cols, TW_TAKES_PER_##matrices, bool has_bias, bool result_add) { \
    fp32_mm(__func__, {Form::form, left_rows, left_cols, right_cols}, TW_PER_##matrices,        \
            output_addr, TW_LEFT_##matrices, TW_RIGHT_##matrices, bias_addr, has_bias,          \
            result_add);                                                                        \
  }
TW_FP32_MM(, both, plain)
TW_FP32_MM(_L_trans, both, left)
TW_FP32_MM(_L_const, L_float, plain)

#define TW_INT_MM(suffix, matrices, form)                                                      \
  void tpu_bdc_int_mm##suffix(local_addr_t output_addr, TW_TAKES_##matrices(), int left_rows,  \
                              int left_cols, int right_cols, TW_TAKES_PER_##matrices,          \
                              data_type_t left_dtype, data_type_t right_dtype, char shift,     \
                              rounding_mode_t rounding_mode) {                                 \
    int_mm(__func__, {Form::form, left_rows, left_cols, right_cols}, TW_PER_##matrices,        \
           output_addr, TW_LEFT_##matrices, TW_RIGHT_##matrices, shift_of(shift),              \
           {left_dtype, right_dtype}, rounding_mode);                                          \
  }                                                                                            \
  void tpu_bdc_int_pcs_mm##suffix(                                                             \
      local_addr_t output_addr, TW_TAKES_##matrices(local_addr_t shift_addr), int left_rows,   \
      int left_cols, int right_cols, TW_TAKES_PER_##matrices, data_type_t left_dtype,          \
      data_type_t right_dtype, rounding_mode_t rounding_mode) {                                \
    int_mm(__func__, {Form::form, left_rows, left_cols, right_cols}, TW_PER_##matrices,        \
           output_addr, TW_LEFT_##matrices, TW_RIGHT_##matrices, at("shift_addr", shift_addr), \
           {left_dtype, right_dtype}, rounding_mode);                                          \
  }
TW_INT_MM(, both, plain)
TW_INT_MM(_L_trans, both, left)
TW_INT_MM(_L_const, L_const, plain)

#define TW_INT8_MM(suffix, matrices, form)                                                  \
  void tpu_bdc_int8_mm##suffix(                                                             \
      local_addr_t output_addr, TW_TAKES_##matrices(local_addr_t bias_addr), int left_rows, \
      int left_cols, int right_cols, TW_TAKES_PER_##matrices, data_type_t output_dtype,     \
      data_type_t left_dtype, data_type_t right_dtype, data_type_t bias_dtype,              \
      unsigned char lshift, unsigned char rshift, bool has_bias, bool result_add,           \
      bool result_relu) {                                                                   \
    int8_mm(__func__, {Form::form, left_rows, left_cols, right_cols}, TW_PER_##matrices,    \
            output_addr, TW_LEFT_##matrices, TW_RIGHT_##matrices, bias_addr,                \
            {output_dtype, left_dtype, right_dtype, bias_dtype},                            \
            {lshift, rshift, has_bias, result_add, result_relu});                           \
  }
TW_INT8_MM(, both, plain)
TW_INT8_MM(_L_trans, both, left)
TW_INT8_MM(_L_const, L_const, plain)
