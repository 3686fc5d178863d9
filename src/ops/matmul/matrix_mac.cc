// matrix_mac: contract, cost and reference kernel.
#include "ops/matmul/matrix_mac.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

Status check_factor(std::string_view name, const MatrixView& m, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_operand(name, m.tensor, chip));
  TW_RETURN_IF_ERROR(check_bm1880_matrix(name, m, chip, errors::ops_layout));
  return require(m.tensor.address % chip.eu_bytes == 0, errors::ops_aligned_start, name, m);
}

// The result must fit the factors, and its high bytes, if any, must follow its low bytes. A result
// decoded from a descriptor ends with a whole block of columns.
Status check_result(const MatrixMac& op, const Chip& chip) {
  const MatrixView &res = op.res, &right = op.right;
  const uint32_t whole = right.tensor.shape.c * right.tensor.shape.w;
  TW_RETURN_IF_ERROR(check_factor("res", res, chip));
  TW_RETURN_IF_ERROR(require(res.rows == op.left.rows &&
                                 (res.cols == right.cols || res.cols == whole) &&
                                 res.tensor.shape.w == right.tensor.shape.w,
                             errors::ops_matrix_result, "res", res));
  if (!is_16bit(res.tensor.dtype) && !op.accumulate) return {};
  TW_RETURN_IF_ERROR(check_bm1880_high_plane("res", res.tensor));
  return require(res.tensor.plane_stride == uint64_t{res.rows} * res.tensor.stride.n,
                 errors::ops_matrix_planes, "res", res);
}

Status check_bias_row(const MatrixMac& op, const Chip& chip) {
  if (!op.bias) return {};
  const MatrixView& bias = *op.bias;
  TW_RETURN_IF_ERROR(check_factor("bias", bias, chip));
  TW_RETURN_IF_ERROR(check_bm1880_16bit("bias", bias.tensor));
  TW_RETURN_IF_ERROR(require(bias.rows == 1 && bias.tensor.shape == Shape{1, op.res.tensor.shape.c,
                                                                          1, op.res.tensor.shape.w},
                             errors::ops_bias_shape, "bias", bias));
  TW_RETURN_IF_ERROR(require(bias.tensor.plane_stride == bias.tensor.stride.n,
                             errors::ops_matrix_planes, "bias", bias));
  return check_bm1880_lane_zero("bias", bias.tensor, chip);
}

// An accumulating product adds a signed old result; its command has no field for another sign. It
// is rejected if all operands are unsigned, as in the reference model: its old result may be meant
// as unsigned.
bool has_signed_operand(const MatrixMac& op) {
  return is_signed(op.left.tensor.dtype) || is_signed(op.right.tensor.dtype) ||
         (op.bias && is_signed(op.bias->tensor.dtype));
}

// Returns the type of the result: unsigned with ReLU, signed without, for all types of inputs.
DType result_type(const MatrixMac& op) {
  return make_dtype(!op.relu, !is_16bit(op.res.tensor.dtype));
}

// Returns the view of the old result that an accumulating product reads.
MatrixView old_result(const MatrixMac& op) {
  return {as(op.res.tensor, DType::i16), op.res.rows, op.res.cols};
}

}  // namespace

std::string_view name(const MatrixMac&) { return "matrix_mac"; }

void attributes(const MatrixMac& op, AttributeSink& to) {
  to.extents("size", {op.left.rows, op.left.cols, op.right.cols});
  to.flag("relu", op.relu);
  if (op.accumulate) to.number("lshift", op.lshift);
  to.number("rshift", op.rshift);
}

OperandList operands(const MatrixMac& op) {
  OperandList list{{"res", &op.res.tensor, op.accumulate ? Access::read_write : Access::write},
                   {"left", &op.left.tensor, Access::read},
                   {"right", &op.right.tensor, Access::read}};
  if (op.bias) list.push_back({"bias", &op.bias->tensor, Access::read});
  return list;
}

Footprint footprint(const MatrixMac& op, const Chip& chip) {
  // The computed columns, which may reach the end of the last block.
  const auto columns = [&](const MatrixView& m) {
    return MatrixView{m.tensor, m.rows, op.res.cols};
  };
  Footprint f;
  add_ranges(op.left, chip, f.reads);
  add_ranges(columns(op.right), chip, f.reads);
  if (op.bias) add_ranges(columns(*op.bias), chip, f.reads);
  if (op.accumulate) add_ranges(old_result(op), chip, f.reads);
  add_ranges(op.res, chip, f.writes);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

Status check(const MatrixMac& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_factor("left", op.left, chip));
  TW_RETURN_IF_ERROR(check_factor("right", op.right, chip));
  TW_RETURN_IF_ERROR(check_bm1880_8bit("left", op.left.tensor));
  TW_RETURN_IF_ERROR(check_bm1880_8bit("right", op.right.tensor));
  TW_RETURN_IF_ERROR(check_bm1880_lane_zero("right", op.right.tensor, chip));
  TW_RETURN_IF_ERROR(check_result(op, chip));
  TW_RETURN_IF_ERROR(
      require(op.left.cols == op.right.rows, errors::ops_matrix_inner, "left", op.left));
  TW_RETURN_IF_ERROR(check_bias_row(op, chip));
  TW_RETURN_IF_ERROR(
      require(!(op.relu && op.accumulate), errors::ops_matrix_relu_add, "res", op.res));
  TW_RETURN_IF_ERROR(check_bm1880_lshift(op.lshift));
  TW_RETURN_IF_ERROR(check_bm1880_rshift(op.rshift));
  TW_RETURN_IF_ERROR(require(!op.accumulate || has_signed_operand(op),
                             errors::ops_matrix_unsigned_add, "left", op.left));
  return advise_bm1880_start_lane("right", op.right.tensor, op.res.tensor, chip);
}

// Every lane has blocks of result columns and takes one inner index per cycle.
Cost cost(const MatrixMac& op, const Chip& chip) {
  const uint64_t products = uint64_t{op.res.rows} * op.res.cols * op.left.cols;
  return compute_cost(lane_passes(op.res.tensor.shape, chip) * op.left.cols, products, operands(op),
                      chip);
}

void execute(const MatrixMac& op, const Memory& memory) {
  const MatrixView old = old_result(op);
  const DType type = result_type(op);
  for (uint32_t r = 0; r < op.res.rows; ++r)
    for (uint32_t c = 0; c < op.res.cols; ++c) {
      int64_t sum = 0;
      for (uint32_t k = 0; k < op.left.cols; ++k)
        sum += memory.read(op.left, r, k) * memory.read(op.right, k, c);
      if (op.bias) sum += memory.read(*op.bias, 0, c);
      int32_t acc = wrap32(sum);
      if (op.relu) acc = std::max(acc, 0);
      if (op.accumulate)
        acc = wrap32(int64_t{acc} + wrap_shift_left(memory.read(old, r, c), op.lshift));
      memory.write(op.res, r, c, saturate(round_shift(acc, op.rshift), type));
    }
}

}  // namespace tputwin
