// What the products of the BM1684X have in common: operands, footprint and rules of the two ways
// in which their matrices lie in local memory.
#pragma once

#include "ops/matmul/matrix_operand.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// Size, constants, and which matrices are transposed.
void matrix_attributes(const MatrixOperand& out, const MatrixOperand& left,
                       const MatrixOperand& right, AttributeSink& to);

// output, left and right as far as they lie in memory.
OperandList matrix_operands(const MatrixOperand& out, const MatrixOperand& left,
                            const MatrixOperand& right, bool accumulate);
// Padding columns that do not belong to a matrix are not touched. Reads are not merged yet.
Footprint matrix_footprint(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, bool accumulate, const Chip& chip);

// The ranges of all elements, appended to `ranges`.
void add_ranges(const MatrixOperand& m, const Chip& chip, std::vector<ByteRange>& ranges);

// Price of a product whose rows lie in channels: a lane multiplies `group` terms of 4 columns in a
// cycle.
Cost matrix_cost(const MatrixOperand& out, uint64_t depth, uint32_t group,
                 const OperandList& operands, const Chip& chip);

// Columns in channels: extents, whole channels of out and right, NPU 0.
Status check_column_channels(const MatrixOperand& out, const MatrixOperand& left,
                             const MatrixOperand& right, const Chip& chip);
// The same of a row that every row of out meets.
Status check_row(std::string_view name, const MatrixView& row, const MatrixOperand& out,
                 const Chip& chip);
// Rows in channels: extents, NPU 0.
Status check_row_channels(const MatrixOperand& out, const MatrixOperand& left,
                          const MatrixOperand& right, const Chip& chip);
// Warning: matrices with rows in channels lie in banks of their own.
Status advise_matrix_banks(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, const Chip& chip);

}  // namespace tputwin
