// Packed operands as rows of 32-bit elements.
#include "ops/fast/walk/cells.h"

#include <algorithm>

#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

constexpr uint8_t kCellBytes = 4;

// Describes groups along n: all full ones, or the last one if it is not full.
struct Groups {
  uint32_t first, count;
  uint32_t valid;  // elements of each
};

// Returns a view of one cell of each group. The cell is the one whose first element is number
// `before` of the group.
RowOperand words_of(const CellOperand& operand, const Groups& groups, uint32_t group,
                    uint32_t before) {
  if (operand.view == nullptr) return row_source(Source::value(operand.constant, DType::b32));
  TensorView view = *operand.view;
  const uint32_t bytes = element_bytes(view.dtype),
                 cell = (groups.first * group + before) / view.pack;
  const uint32_t elements =
      std::min<uint32_t>(groups.valid > before ? groups.valid - before : 0, view.pack);
  view.address += uint64_t{cell} * view.stride.n;
  view.shape.n = groups.count;
  view.stride.n *= group / view.pack;
  view.dtype = DType::b32;
  view.plane_stride = 0;
  view.pack = 1;
  return {Source::tensor(view), operand.written, static_cast<uint8_t>(elements * bytes)};
}

void run_groups(std::span<const CellOperand> operands, const Groups& groups, uint32_t group,
                const Memory& memory, const RowWork& work) {
  if (groups.count == 0 || groups.valid == 0) return;
  std::array<RowOperand, kMaxRowOperands> rows;
  size_t count = 0;
  for (const CellOperand& operand : operands)
    for (uint32_t before = 0; before < group; before += operand.elements())
      rows[count++] = words_of(operand, groups, group, before);
  run_free_rows({rows.data(), count}, memory, work);
}

}  // namespace

Declined run_cells(std::initializer_list<CellOperand> list, const Memory& memory, RowKernel kernel,
                   const void* operation) {
  const std::span<const CellOperand> operands(list.begin(), list.size());
  const Shape& shape = operands[0].view->shape;
  if (is_empty(shape)) return "no elements";
  std::array<ViewUse, kMaxCellOperands> uses;
  size_t count = 0;
  uint32_t group = 1;
  for (const CellOperand& operand : operands) {
    group = std::max<uint32_t>(group, operand.elements());
    if (operand.view == nullptr) continue;
    const TensorView& view = *operand.view;
    if (view.space != Space::local || view.shape != shape || !is_run(view) ||
        run_bytes(view) != kCellBytes)
      return "an operand is no tensor of cells in lanes";
    uses[count++] = {&view, operand.written};
  }
  if (const Declined why = overlap_in_part({uses.data(), count}, memory.local)) return why;
  const RowWork work{RowForm::elements, kernel, operation};
  const uint32_t whole = shape.n / group, rest = shape.n % group;
  run_groups(operands, {0, whole, group}, group, memory, work);
  run_groups(operands, {whole, 1, rest}, group, memory, work);
  return kRan;
}

}  // namespace tputwin::fast
