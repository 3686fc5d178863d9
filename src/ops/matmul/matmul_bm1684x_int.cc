// matmul_bm1684x_int: contract, cost and reference kernel.
#include "ops/matmul/matmul_bm1684x_int.h"

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/matmul/matmul_bm1684x.h"

namespace tputwin {
namespace {

int64_t integer(const MatrixOperand& m, const Memory& memory, uint32_t i, uint32_t j) {
  return integer_value(m.read(memory, i, j), m.dtype());
}

// Returns sum * 2^shift in 64 bits, rounded and saturated. Amounts to the left repeat modulo 64;
// amounts to the right are limited to 63.
int32_t shifted(uint64_t sum, int32_t shift, Rounding mode, DType dtype) {
  if (shift > 0) sum <<= shift % 64;
  const bool negative = dtype != DType::u32 && static_cast<int64_t>(sum) < 0;
  uint64_t magnitude = negative ? 0 - sum : sum;
  if (shift < 0) {
    const auto right = static_cast<uint32_t>(std::min(-shift, 63));
    const unsigned cut = cut_of(magnitude, right);
    magnitude >>= right;
    magnitude += rounds_away(mode, negative, magnitude % 2 != 0, cut);
  }
  if (dtype == DType::u32) return wrap32(std::min<uint64_t>(magnitude, UINT32_MAX));
  return saturate(static_cast<int64_t>(negative ? 0 - magnitude : magnitude), dtype);
}

}  // namespace

int64_t zero_point(const MatmulBm1684xInt& op, const Memory& memory, uint32_t k, uint32_t j) {
  const Source& zero = *op.zero_point;
  if (op.out.transposed) return read_integer(memory, zero, 0, j, 0, 0);
  const uint32_t row = op.right.transposed ? j : k;
  return read_integer(memory, zero, 0, row % memory.local.lanes(), 0, j);
}

std::string_view name(const MatmulBm1684xInt&) { return "matmul_int"; }

void attributes(const MatmulBm1684xInt& op, AttributeSink& to) {
  matrix_attributes(op.out, op.left, op.right, to);
  if (op.zero_point) to.constant("zero_point", *op.zero_point);
  if (op.constant_bias != 0) to.number("bias", op.constant_bias);
  if (op.shift && op.shift->is_constant)
    to.number("shift", static_cast<int32_t>(op.shift->constant));
  if (op.shift) to.word("rounding", to_string(op.rounding));
  if (op.old) to.number("lshift", op.lshift);
  to.flag("relu", op.relu);
}

OperandList operands(const MatmulBm1684xInt& op) {
  OperandList list = matrix_operands(op.out, op.left, op.right, /*accumulate=*/false);
  if (op.old) list.push_back({"output_addr", &op.old->matrix.tensor, Access::read});
  if (op.bias) list.push_back({"bias_addr", &op.bias->tensor, Access::read});
  if (op.zero_point && !op.zero_point->is_constant)
    list.push_back({"zp_addr", &op.zero_point->view, Access::read});
  if (op.shift && !op.shift->is_constant)
    list.push_back({"shift_addr", &op.shift->matrix.tensor, Access::read});
  return list;
}

Footprint footprint(const MatmulBm1684xInt& op, const Chip& chip) {
  Footprint f = matrix_footprint(op.out, op.left, op.right, /*accumulate=*/false, chip);
  if (op.old) add_ranges(*op.old, chip, f.reads);
  if (op.bias) add_ranges(*op.bias, chip, f.reads);
  if (op.shift) add_ranges(*op.shift, chip, f.reads);
  if (op.zero_point && !op.zero_point->is_constant) add_ranges(op.zero_point->view, chip, f.reads);
  sort_and_merge(f.reads);
  return f;
}

namespace {

Status check_types(const MatmulBm1684xInt& op) {
  const TensorView &out = op.out.matrix.tensor, &left = op.left.matrix.tensor,
                   &right = op.right.matrix.tensor;
  for (const TensorView* view : {&out, &left, &right})
    TW_RETURN_IF_ERROR(require(!is_float(view->dtype) && view->dtype != DType::b32,
                               errors::tpu_element, "output_addr", *view));
  TW_RETURN_IF_ERROR(require(element_bytes(left.dtype) == element_bytes(right.dtype),
                             errors::tpu_dtype_pair, "right_addr", right));
  TW_RETURN_IF_ERROR(
      require(!op.relu || !is_signed(out.dtype), errors::tpu_relu_type, "output_addr", out));
  const bool has_sign = is_signed(left.dtype) || is_signed(right.dtype) || op.zero_point;
  return require(op.relu || is_signed(out.dtype) == has_sign, errors::tpu_dtype_pair, "output_addr",
                 out);
}

// Checks the zero points: a row of them in every NPU, or one in the NPU of each column.
Status check_zero_point(const MatmulBm1684xInt& op, const Chip& chip) {
  if (!op.zero_point || op.zero_point->is_constant) return {};
  const TensorView& view = op.zero_point->view;
  TW_RETURN_IF_ERROR(check_bm1684x_operand("zp_addr", view, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0("zp_addr", view, chip));
  TW_RETURN_IF_ERROR(require(view.dtype == op.right.dtype(), errors::tpu_element, "zp_addr", view));
  const uint32_t rows = op.right.transposed ? op.right.cols() : op.right.rows();
  const Shape shape = op.out.transposed ? Shape{1, op.out.cols(), 1, 1}
                                        : Shape{1, std::min(rows, chip.lanes), 1, op.out.cols()};
  return check_bm1684x_shape("zp_addr", view, shape);
}

}  // namespace

Status check(const MatmulBm1684xInt& op, const Chip& chip) {
  if (op.out.row_per_channel) {
    TW_RETURN_IF_ERROR(check_row_channels(op.out, op.left, op.right, chip));
  } else {
    TW_RETURN_IF_ERROR(check_column_channels(op.out, op.left, op.right, chip));
    if (op.bias) TW_RETURN_IF_ERROR(check_row("bias_addr", *op.bias, op.out, chip));
    if (op.shift && !op.shift->is_constant)
      TW_RETURN_IF_ERROR(check_row("shift_addr", op.shift->matrix, op.out, chip));
  }
  TW_RETURN_IF_ERROR(check_types(op));
  TW_RETURN_IF_ERROR(check_zero_point(op, chip));
  if (op.old) TW_RETURN_IF_ERROR(check_bm1684x_operand("output_addr", op.old->matrix.tensor, chip));
  return op.out.row_per_channel ? advise_matrix_banks(op.out, op.left, op.right, chip) : Status();
}

Cost cost(const MatmulBm1684xInt& op, const Chip& chip) {
  constexpr uint32_t kBytesAtOnce = 64;
  const uint64_t depth = op.left.cols();
  if (op.out.row_per_channel) return matrix_cost(op.out, depth, kBytesAtOnce, operands(op), chip);
  const TensorView& out = op.out.matrix.tensor;
  return compute_cost(lane_passes(out.shape, chip, element_bytes(op.right.dtype())) * depth,
                      out.shape.count() * depth, operands(op), chip);
}

int32_t finish(const MatmulBm1684xInt& op, const Memory& memory, uint32_t i, uint32_t j,
               int64_t sum) {
  auto v = static_cast<uint64_t>(sum);
  v += static_cast<uint64_t>(op.bias ? memory.read(*op.bias, 0, j) : op.constant_bias);
  if (op.old) v += static_cast<uint64_t>(integer(*op.old, memory, i, j)) << op.lshift;
  if (op.relu && static_cast<int64_t>(v) < 0) v = 0;
  const DType dtype = op.out.dtype();
  return op.shift ? shifted(v, op.shift->read(memory, 0, j), op.rounding, dtype)
                  : wrap(static_cast<int64_t>(v), dtype);
}

void execute(const MatmulBm1684xInt& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows(); ++i)
    for (uint32_t j = 0; j < op.out.cols(); ++j) {
      uint64_t sum = 0;
      for (uint32_t k = 0; k < op.left.cols(); ++k) {
        const int64_t zero = op.zero_point ? zero_point(op, memory, k, j) : 0;
        sum += static_cast<uint64_t>(integer(op.left, memory, i, k)) *
               static_cast<uint64_t>(integer(op.right, memory, k, j) - zero);
      }
      op.out.write(memory, i, j, finish(op, memory, i, j, static_cast<int64_t>(sum)));
    }
}

}  // namespace tputwin
