// matrix_operand: positions of its elements.
#include "ops/matmul/matrix_operand.h"

#include <utility>

namespace tputwin {
namespace {

struct Position {
  uint32_t n, c, w;
};

// Returns the position in the tensor of element (i,j) of the product's matrix.
Position position(const MatrixOperand& m, uint32_t i, uint32_t j) {
  if (m.transposed) std::swap(i, j);
  const uint32_t width = m.matrix.tensor.shape.w;
  return m.row_per_channel ? Position{0, i, j} : Position{i, j / width, j % width};
}

}  // namespace

uint8_t* MatrixOperand::byte(const Memory& memory, uint32_t i, uint32_t j) const {
  const Position at = position(*this, i, j);
  return memory.byte(matrix.tensor, at.n, at.c, 0, at.w);
}

int32_t MatrixOperand::read(const Memory& memory, uint32_t i, uint32_t j) const {
  if (is_constant) return static_cast<int32_t>(constant);
  const Position at = position(*this, i, j);
  return memory.read(matrix.tensor, at.n, at.c, 0, at.w);
}

void MatrixOperand::write(const Memory& memory, uint32_t i, uint32_t j, int32_t value) const {
  const Position at = position(*this, i, j);
  memory.write(matrix.tensor, at.n, at.c, 0, at.w, value);
}

}  // namespace tputwin
