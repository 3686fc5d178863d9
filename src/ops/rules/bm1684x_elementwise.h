// Rules of element-wise operations of the BM1684X whose sources may be constants or vectors along
// n.
#pragma once

#include <initializer_list>

#include "base/bits.h"
#include "ops/contract/source.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// Checks a vector along n: one element for each n of the result, adjacent, from NPU 0 on.
inline Status check_bm1684x_vector(std::string_view name, const TensorView& view,
                                   const TensorView& result, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand(name, view, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0(name, view, chip));
  const Shape shape{1, ceil_div(result.shape.n, view.shape.w), 1, view.shape.w};
  return check_bm1684x_shape(name, view, shape);
}

// Checks that the operands start in one NPU and have the result's shape; the first one is the
// result. Those of `sources` that are vectors along n follow other rules.
inline Status check_bm1684x_sources(const OperandList& operands,
                                    std::initializer_list<const Source*> sources,
                                    const Chip& chip) {
  const TensorView& result = *operands[0].view;
  OperandList tensors;
  for (const Operand& operand : operands) {
    bool is_vector = false;
    for (const Source* source : sources)
      is_vector |= source->along_n && operand.view == &source->view;
    if (!is_vector) {
      tensors.push_back(operand);
      continue;
    }
    TW_RETURN_IF_ERROR(check_bm1684x_vector(operand.name, *operand.view, result, chip));
    TW_RETURN_IF_ERROR(check_bm1684x_npu_0(operands[0].name, result, chip));
  }
  return check_bm1684x_elementwise(tensors, chip);
}

}  // namespace tputwin
