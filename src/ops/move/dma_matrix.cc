// dma_matrix: contract, cost and reference kernel.
#include "ops/move/dma_matrix.h"

#include "base/errors/ops.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/move/matrix_footprint.h"
#include "ops/rules/bm1880.h"

namespace tputwin {
namespace {

Status check_side(std::string_view name, const MatrixView& m, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_dma_operand(name, m.tensor, chip));
  if (m.tensor.space == Space::local)
    return check_bm1880_matrix(name, m, chip, errors::ops_dma_matrix_layout);
  TW_RETURN_IF_ERROR(require(m.tensor.shape == Shape{m.rows, 1, 1, m.cols},
                             errors::ops_dma_matrix_layout, name, m));
  return require(m.tensor.stride.n <= chip.limits.dma_extent, errors::ops_dma_stride, name, m);
}

uint8_t* element(const MatrixView& m, const Memory& memory, uint64_t r, uint64_t c) {
  uint32_t block = m.tensor.shape.w;
  return memory.byte(m.tensor, r, c / block, 0, c % block);
}

}  // namespace

std::string_view name(const DmaMatrix& op) {
  bool to_local = op.dst.tensor.space == Space::local;
  if (op.src.tensor.space == Space::global)
    return to_local ? "gdma_load_matrix" : "gdma_copy_gmem_matrix";
  return to_local ? "gdma_copy_lmem_matrix" : "gdma_store_matrix";
}

void attributes(const DmaMatrix& op, AttributeSink& to) {
  to.extents("size", {op.dst.rows, op.dst.cols});
  to.flag("transpose", op.transpose);
}

OperandList operands(const DmaMatrix& op) {
  return {{"dst", &op.dst.tensor, Access::write}, {"src", &op.src.tensor, Access::read}};
}

Footprint footprint(const DmaMatrix& op, const Chip& chip) {
  return matrix_footprint(op.dst, op.src, chip);
}

Status check(const DmaMatrix& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_side("dst", op.dst, chip));
  TW_RETURN_IF_ERROR(check_side("src", op.src, chip));
  const uint64_t count = uint64_t{op.dst.rows} * op.dst.cols;
  TW_RETURN_IF_ERROR(
      require(count == uint64_t{op.src.rows} * op.src.cols, errors::ops_dma_count, "dst", op.dst));
  return require(!op.transpose || op.dst.rows == op.src.cols, errors::ops_dma_transpose, "dst",
                 op.dst);
}

Cost cost(const DmaMatrix& op, const Chip& chip) {
  return transfer_cost(op.dst.tensor, op.src.tensor, op.transpose ? 1 : op.src.cols, chip);
}

void execute(const DmaMatrix& op, const Memory& memory) {
  for (uint32_t r = 0; r < op.dst.rows; ++r)
    for (uint32_t c = 0; c < op.dst.cols; ++c) {
      uint64_t position = uint64_t{r} * op.dst.cols + c;  // in index order
      *element(op.dst, memory, r, c) =
          op.transpose ? *element(op.src, memory, c, r)
                       : *element(op.src, memory, position / op.src.cols, position % op.src.cols);
    }
}

}  // namespace tputwin
