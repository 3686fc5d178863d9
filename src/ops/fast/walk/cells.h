// Packed operands for rows: the 4N and 2N modes of the BM1684, whose 8-bit elements lie in fours
// and 16-bit ones in twos in 32-bit cells.
#pragma once

#include <initializer_list>

#include "ops/fast/walk/rows.h"

namespace tputwin::fast {

constexpr size_t kMaxCellOperands = 6;

// A tensor, or a cell that all cells are equal to.
struct CellOperand {
  const TensorView* view;  // nullptr: the constant
  bool written = false;
  uint32_t constant = 0;
  uint8_t pack = 1;  // elements in a cell

  uint8_t elements() const { return view != nullptr ? view->pack : pack; }
};

inline CellOperand cell_read(const TensorView& view) { return {&view}; }
inline CellOperand cell_write(const TensorView& view) { return {&view, true}; }
// A source whose constant is repeated for each of the `pack` elements of a cell.
inline CellOperand cell_source(const Source& source, uint8_t pack) {
  if (!source.is_constant) return cell_read(source.view);
  const uint32_t repeat = pack == 4 ? 0x0101'0101 : 0x0001'0001;
  const uint32_t mask = pack == 4 ? 0xff : 0xffff;
  return {.view = nullptr, .constant = (source.constant & mask) * repeat, .pack = pack};
}

// Runs a kernel over groups of as many elements of consecutive n as the fullest cells have. Each
// operand is the words of its cells: one, or two where its cells are half as full, those of the
// first and those of the last elements. Elements of a result's last cell that do not exist keep
// their bytes. Declines as run_rows.
Declined run_cells(std::initializer_list<CellOperand> operands, const Memory& memory,
                   RowKernel kernel, const void* operation);

}  // namespace tputwin::fast
