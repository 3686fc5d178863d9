// The rules of gather and scatter.
#include "ops/index/indexing.h"

#include "base/errors/tpukernel.h"
#include "ops/rules/bm1684x_dma.h"

namespace tputwin {
namespace {

Status check_compute(const OperandList& operands, const Chip& chip) {
  for (const Operand& operand : operands) {
    TW_RETURN_IF_ERROR(check_bm1684x_operand(operand.name, *operand.view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_npu_0(operand.name, *operand.view, chip));
  }
  return {};
}

Status advise_banks(const OperandList& operands, const Chip& chip) {
  for (size_t i = 1; i < operands.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      TW_RETURN_IF_ERROR(
          advise_bm1684x_banks(operands[i].name, *operands[i].view, *operands[j].view, chip));
  return {};
}

Status check_dma(const OperandList& operands, const TensorView& out, const TensorView& index,
                 const Chip& chip) {
  for (const Operand& operand : operands) {
    const TensorView& view = *operand.view;
    TW_RETURN_IF_ERROR(check_bm1684x_dma_side(operand.name, view, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_rows(operand.name, view));
    if (view.space == Space::local)
      TW_RETURN_IF_ERROR(check_bm1684x_npu_0(operand.name, view, chip));
  }
  TW_RETURN_IF_ERROR(require(out.shape.n == 1, errors::tpu_gather_batch, "shape", out.shape));
  return require(index.shape.h == 1 || index.stride.h == element_bytes(index.dtype),
                 errors::tpu_w_stride_1, "index_stride", index);
}

// Checks the extents that the two sides have in common.
Status check_sides(IndexedBy by, const TensorView& out, const TensorView& param) {
  const Shape &o = out.shape, &p = param.shape;
  const bool same_h = by == IndexedBy::w || by == IndexedBy::shared_w;
  const bool same_w = by == IndexedBy::h;
  TW_RETURN_IF_ERROR(require(
      (p.n == o.n || p.n == 1) && p.c == o.c && (!same_h || p.h == o.h) && (!same_w || p.w == o.w),
      errors::tpu_extents, "param_addr", p));
  return require(element_bytes(param.dtype) == element_bytes(out.dtype), errors::tpu_element,
                 "param_addr", param);
}

}  // namespace

Status check_indexed(IndexedBy by, Engine engine, const OperandList& operands, const Shape& walked,
                     const Chip& chip) {
  const TensorView &out = *operands[0].view, &param = *operands[1].view, &index = *operands[2].view;
  TW_RETURN_IF_ERROR(engine == Engine::dma ? check_dma(operands, out, index, chip)
                                           : check_compute(operands, chip));
  TW_RETURN_IF_ERROR(check_sides(by, out, param));
  TW_RETURN_IF_ERROR(check_bm1684x_shape("index_addr", index, index_shape(by, walked)));
  const bool is_index = engine == Engine::dma
                            ? index.dtype == DType::u32 || index.dtype == DType::i32
                            : index.dtype == DType::u8 || index.dtype == DType::u16;
  TW_RETURN_IF_ERROR(require(is_index, errors::tpu_element, "index_addr", index));
  return engine == Engine::compute ? advise_banks(operands, chip) : Status();
}

}  // namespace tputwin
