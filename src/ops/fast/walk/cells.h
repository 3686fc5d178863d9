// Packed operands for rows: the 4N and 2N modes of the BM1684, which store four 8-bit or two 16-bit
// elements in a 32-bit cell.
#pragma once

#include <initializer_list>

#include "ops/fast/walk/rows.h"

namespace tputwin::fast {

constexpr size_t kMaxCellOperands = 6;

// Describes a tensor, or a constant cell.
struct CellOperand {
  const TensorView* view;  // nullptr: the constant
  bool written = false;
  uint32_t constant = 0;
  uint8_t pack = 1;  // elements in a cell

  uint8_t elements() const { return view != nullptr ? view->pack : pack; }
};

inline CellOperand cell_read(const TensorView& view) { return {&view}; }
inline CellOperand cell_write(const TensorView& view) { return {&view, true}; }
// Returns a source as an operand. A constant is repeated for each of the `pack` elements of a cell.
inline CellOperand cell_source(const Source& source, uint8_t pack) {
  if (!source.is_constant) return cell_read(source.view);
  const uint32_t repeat = pack == 4 ? 0x0101'0101 : 0x0001'0001;
  const uint32_t mask = pack == 4 ? 0xff : 0xffff;
  return {.view = nullptr, .constant = (source.constant & mask) * repeat, .pack = pack};
}

// Runs a kernel over groups along n. A group has as many elements as the operand with the most
// elements per cell. The kernel gets each operand as one 32-bit element per cell. An operand with
// fewer elements per cell appears several times, once for each cell of the group in order. Bytes of
// a result's last cell that belong to no element are kept. Declines like run_rows().
Declined run_cells(std::initializer_list<CellOperand> operands, const Memory& memory,
                   RowKernel kernel, const void* operation);

}  // namespace tputwin::fast
