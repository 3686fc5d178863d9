// Element-wise work on 32-bit cells: an element of 32 bits, or those that share a cell in the 4N
// and 2N modes. Kernels see dense blocks of cells, whatever the layouts of the operands are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "memory/memory.h"
#include "ops/contract/contract.h"
#include "ops/contract/source.h"

namespace tputwin::fast {

constexpr size_t kMaxCellOperands = 6;

// A tensor, or a cell that all cells are equal to.
struct CellOperand {
  const TensorView* view;  // nullptr: the constant
  Access access = Access::read;
  uint32_t constant = 0;
};

inline CellOperand cell_read(const TensorView& view) { return {&view}; }
inline CellOperand cell_write(const TensorView& view) { return {&view, Access::write}; }
// A source whose constant is repeated for each of the `pack` elements of a cell.
inline CellOperand cell_source(const Source& source, uint8_t pack) {
  if (!source.is_constant) return cell_read(source.view);
  const uint32_t repeat = pack == 4 ? 0x0101'0101 : pack == 2 ? 0x0001'0001 : 1;
  const uint32_t mask = pack == 4 ? 0xff : pack == 2 ? 0xffff : UINT32_MAX;
  return {.view = nullptr, .constant = (source.constant & mask) * repeat};
}

// What a kernel works on: elements of as many n as the fullest cells have. 4N operands have one
// part; 2N operands beside them have two: the cells of the first and of the last two elements.
using CellParts = std::array<std::array<uint8_t*, 2>, kMaxCellOperands>;
struct CellBlock {
  CellParts part;
  std::array<bool, kMaxCellOperands> written;  // results
  size_t cells;                                // of every part
};
using CellKernel = void (*)(const void* operation, const CellBlock& block);

// Runs a kernel over all cells, with threads. Elements of a result's last cell that do not exist
// keep their bytes. False, and nothing done, if an operand is no tensor of cells in lanes, or if
// results overlap operands in part.
bool run_cells(std::initializer_list<CellOperand> operands, const Memory& memory, CellKernel kernel,
               const void* operation);

}  // namespace tputwin::fast
