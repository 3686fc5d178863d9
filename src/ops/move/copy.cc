// copy: contract, cost and reference kernel.
#include "ops/move/copy.h"

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source_operands.h"
#include "ops/contract/timing.h"
#include "ops/move/matrix_footprint.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {

std::string_view name(const Copy& op) {
  if (op.engine == Engine::compute) return op.src.is_constant ? "fill" : "copy";
  return op.src.is_constant ? "dma_fill" : "dma_copy";
}
std::string_view name(const CopyMatrix&) { return "dma_copy_matrix"; }

void attributes(const Copy& op, AttributeSink& to) {
  to.constant("value", op.src);
  to.flag("reads_first", op.reads_first);
}

OperandList operands(const Copy& op) {
  OperandList list{{"dst_addr", &op.dst, Access::write}};
  add_source(list, "src_addr", op.src);
  return list;
}

void attributes(const CopyMatrix& op, AttributeSink& to) {
  to.extents("size", {op.dst.rows, op.dst.cols});
}

OperandList operands(const CopyMatrix& op) {
  return {{"dst_addr", &op.dst.tensor, Access::write}, {"src_addr", &op.src.tensor, Access::read}};
}

Footprint footprint(const CopyMatrix& op, const Chip& chip) {
  return matrix_footprint(op.dst, op.src, chip);
}

namespace {

// Checks one side of a transfer, whose elements must be runs of bytes.
Status check_dma_side(std::string_view name, const TensorView& view) {
  return require(view.pack == 1 && is_run(view), errors::okk_element, name, view);
}

Status advise_dma_alignment(std::string_view name, const TensorView& view) {
  return require(view.address % element_bytes(view.dtype) == 0, errors::okk_dma_alignment, name,
                 view);
}

Status check_same_elements(const TensorView& src, const TensorView& dst) {
  TW_RETURN_IF_ERROR(check_bm1684_shape("src_addr", src, dst.shape));
  return require(element_bytes(src.dtype) == element_bytes(dst.dtype), errors::okk_element,
                 "src_addr", src);
}

Status check_dma(const Copy& op) {
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(check_dma_side(operand.name, *operand.view));
  if (!op.src.is_constant) TW_RETURN_IF_ERROR(check_same_elements(op.src.view, op.dst));
  for (const Operand& operand : operands(op))
    TW_RETURN_IF_ERROR(advise_dma_alignment(operand.name, *operand.view));
  return {};
}

// Checks a matrix; a channel of the side in lanes has shape.w columns.
Status check_matrix(std::string_view name, const MatrixView& m, const MatrixView& dst) {
  const Shape& s = m.tensor.shape;
  TW_RETURN_IF_ERROR(check_dma_side(name, m.tensor));
  TW_RETURN_IF_ERROR(require(m.rows == dst.rows && m.cols == dst.cols && m.rows == s.n &&
                                 s.h == 1 && uint64_t{s.c} * s.w >= m.cols,
                             errors::okk_extents, name, m));
  return require(element_bytes(m.tensor.dtype) == element_bytes(dst.tensor.dtype),
                 errors::okk_element, name, m);
}

// Checks a copy of the BM1684X: extents and steps of its GDMA, or the rules of all its BDC
// functions.
Status check_bm1684x(const Copy& op, const Chip& chip) {
  const OperandList list = operands(op);
  if (op.engine == Engine::compute) {
    TW_RETURN_IF_ERROR(check_bm1684x_elementwise(list, chip));
  } else {
    for (const Operand& operand : list)
      TW_RETURN_IF_ERROR(check_bm1684x_dma_side(operand.name, *operand.view, chip));
  }
  if (op.src.is_constant) return {};
  TW_RETURN_IF_ERROR(check_bm1684x_shape("src_addr", op.src.view, op.dst.shape));
  return require(element_bytes(op.src.view.dtype) == element_bytes(op.dst.dtype),
                 errors::tpu_element, "src_addr", op.src.view);
}

// Checks a matrix of the BM1684X. A matrix in lanes has the width of its shape. One in system
// memory may be transposed: its rows are one element apart, its columns one row.
Status check_bm1684x_matrix(std::string_view name, const MatrixView& m, const MatrixView& dst,
                            const Chip& chip) {
  const TensorView& t = m.tensor;
  TW_RETURN_IF_ERROR(require(t.pack == 1 && is_run(t), errors::tpu_element, name, t));
  TW_RETURN_IF_ERROR(
      require(t.address % element_bytes(t.dtype) == 0, errors::tpu_address_element, name, t));
  TW_RETURN_IF_ERROR(
      require(m.rows - 1 < chip.limits.dma_extent && m.cols - 1 < chip.limits.dma_extent,
              errors::tpu_shape, name, m));
  TW_RETURN_IF_ERROR(require(m.rows == dst.rows && m.cols == dst.cols && m.rows == t.shape.n &&
                                 t.shape.h == 1 && uint64_t{t.shape.c} * t.shape.w >= m.cols,
                             errors::tpu_extents, name, m));
  return require(element_bytes(t.dtype) == element_bytes(dst.tensor.dtype), errors::tpu_element,
                 name, m);
}

}  // namespace

Status check(const Copy& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x) return check_bm1684x(op, chip);
  if (op.engine == Engine::dma) return check_dma(op);
  TW_RETURN_IF_ERROR(
      check_bm1684_32bit(operands(op), op.dst.shape, chip, /*alignment=*/4, Channels::all));
  TW_RETURN_IF_ERROR(advise_bm1684_same_npu(operands(op), chip));
  return advise_bm1684_channels("shape", op.dst.shape, chip);
}

Status check(const CopyMatrix& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x) {
    TW_RETURN_IF_ERROR(check_bm1684x_matrix("dst_addr", op.dst, op.dst, chip));
    return check_bm1684x_matrix("src_addr", op.src, op.dst, chip);
  }
  TW_RETURN_IF_ERROR(check_matrix("dst_addr", op.dst, op.dst));
  TW_RETURN_IF_ERROR(check_matrix("src_addr", op.src, op.dst));
  TW_RETURN_IF_ERROR(advise_dma_alignment("dst_addr", op.dst.tensor));
  return advise_dma_alignment("src_addr", op.src.tensor);
}

namespace {

// Copies between two consecutive rows that overlap, from the last element on. If the result is at
// the higher address, no element is written before it is read.
void copy_from_last(const Copy& op, const Memory& memory) {
  for (uint32_t w = op.dst.shape.w; w-- > 0;)
    memory.write(op.dst, 0, 0, 0, w, op.src.read(memory, 0, 0, 0, w));
}

}  // namespace

Cost cost(const Copy& op, const Chip& chip) {
  const uint64_t bytes = element_bytes(op.dst.dtype);
  const TensorView& from = op.src.is_constant ? op.dst : op.src.view;
  if (op.engine == Engine::dma)
    return transfer_cost(op.dst, from, op.dst.shape.count() * bytes, chip);
  return compute_cost(lane_passes(op.dst.shape, chip, 4), op.dst.shape.count(), operands(op), chip);
}

Cost cost(const CopyMatrix& op, const Chip& chip) {
  return transfer_cost(op.dst.tensor, op.src.tensor,
                       uint64_t{op.src.cols} * element_bytes(op.src.tensor.dtype), chip);
}

void execute(const Copy& op, const Memory& memory) {
  if (op.reads_first && op.dst.address > op.src.view.address) return copy_from_last(op, memory);
  for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.dst, n, c, h, w, op.src.read(memory, n, c, h, w));
  });
}

void execute(const CopyMatrix& op, const Memory& memory) {
  for (uint32_t r = 0; r < op.dst.rows; ++r)
    for (uint32_t c = 0; c < op.dst.cols; ++c)
      memory.write(op.dst, r, c, memory.read(op.src, r, c));
}

}  // namespace tputwin
