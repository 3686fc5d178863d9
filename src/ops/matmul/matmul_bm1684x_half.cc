// matmul_bm1684x_half: contract, cost and reference kernel.
#include "ops/matmul/matmul_bm1684x_half.h"

#include "base/errors/tpukernel.h"
#include "numerics/add_tree.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/matmul/matmul_bm1684x.h"

namespace tputwin {
namespace {

float number(const MatrixOperand& m, const Memory& memory, uint32_t i, uint32_t j) {
  return float_value(static_cast<uint32_t>(m.read(memory, i, j)), m.dtype());
}

// Returns an element; every NaN becomes the invalid one.
float factor(const MatrixOperand& m, const Memory& memory, uint32_t i, uint32_t j) {
  const float value = number(m, memory, i, j);
  return f32::is_nan(value) ? f32::from_bits(f32::kInvalid) : value;
}

}  // namespace

std::string_view name(const MatmulBm1684xHalf&) { return "matmul_grouped"; }

void attributes(const MatmulBm1684xHalf& op, AttributeSink& to) {
  matrix_attributes(op.out, op.left, op.right, to);
  to.flag("accumulate", op.accumulate);
}

OperandList operands(const MatmulBm1684xHalf& op) {
  return matrix_operands(op.out, op.left, op.right, op.accumulate);
}

Status check(const MatmulBm1684xHalf& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_row_channels(op.out, op.left, op.right, chip));
  const DType type = op.left.dtype();
  const MatrixView& out = op.out.matrix;
  TW_RETURN_IF_ERROR(
      require(is_half(type), errors::tpu_element, "left_addr", op.left.matrix.tensor));
  TW_RETURN_IF_ERROR(require(op.right.dtype() == type, errors::tpu_dtype_pair, "right_addr",
                             op.right.matrix.tensor));
  TW_RETURN_IF_ERROR(require(out.tensor.dtype == type || out.tensor.dtype == DType::f32,
                             errors::tpu_dtype_pair, "output_addr", out.tensor));
  TW_RETURN_IF_ERROR(require(!op.accumulate || out.tensor.dtype == DType::f32,
                             errors::tpu_result_add, "output_addr", out.tensor));
  return advise_matrix_banks(op.out, op.left, op.right, chip);
}

Cost cost(const MatmulBm1684xHalf& op, const Chip& chip) {
  return matrix_cost(op.out, op.left.cols(), kAddTreeGroup, operands(op), chip);
}

float result_at(const MatmulBm1684xHalf& op, const Memory& memory, uint32_t i, uint32_t j) {
  const uint32_t depth = op.left.cols();
  float sum = op.accumulate ? number(op.out, memory, i, j) : 0.0f;
  for (uint32_t first = 0; first < depth; first += kAddTreeGroup) {
    float products[kAddTreeGroup];
    const uint32_t count = std::min(kAddTreeGroup, depth - first);
    for (uint32_t k = 0; k < count; ++k)
      products[k] =
          f32::mul(factor(op.left, memory, i, first + k), factor(op.right, memory, first + k, j));
    sum = f32::add(add_tree({products, count}), sum);  // a NaN of the group has priority
  }
  return sum;
}

void execute(const MatmulBm1684xHalf& op, const Memory& memory) {
  for (uint32_t i = 0; i < op.out.rows(); ++i)
    for (uint32_t j = 0; j < op.out.cols(); ++j)
      op.out.write(memory, i, j,
                   static_cast<int32_t>(float_bits(result_at(op, memory, i, j), op.out.dtype())));
}

}  // namespace tputwin
