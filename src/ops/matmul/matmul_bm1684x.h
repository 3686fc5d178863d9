// Operands, footprint and rules that the products of the BM1684X share, for the two layouts of
// their matrices in local memory.
#pragma once

#include "ops/matmul/matrix_operand.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// Adds the size, the constants, and the flags of transposed matrices.
void matrix_attributes(const MatrixOperand& out, const MatrixOperand& left,
                       const MatrixOperand& right, AttributeSink& to);

// Returns output, left and right, except those that are constants.
OperandList matrix_operands(const MatrixOperand& out, const MatrixOperand& left,
                            const MatrixOperand& right, bool accumulate);
// Returns the footprint without padding columns that do not belong to a matrix. Reads are not
// merged yet.
Footprint matrix_footprint(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, bool accumulate, const Chip& chip);

// Appends the ranges of all elements to `ranges`.
void add_ranges(const MatrixOperand& m, const Chip& chip, std::vector<ByteRange>& ranges);

// Returns the cost of a product with rows in channels: a lane multiplies `group` terms of 4 columns
// per cycle.
Cost matrix_cost(const MatrixOperand& out, uint64_t depth, uint32_t group,
                 const OperandList& operands, const Chip& chip);

// Checks matrices with columns in channels: extents, whole channels of out and right, NPU 0.
Status check_column_channels(const MatrixOperand& out, const MatrixOperand& left,
                             const MatrixOperand& right, const Chip& chip);
// Checks by these rules a row that is combined with every row of out.
Status check_row(std::string_view name, const MatrixView& row, const MatrixOperand& out,
                 const Chip& chip);
// Checks matrices with rows in channels: extents, NPU 0.
Status check_row_channels(const MatrixOperand& out, const MatrixOperand& left,
                          const MatrixOperand& right, const Chip& chip);
// Warns if matrices with rows in channels share banks.
Status advise_matrix_banks(const MatrixOperand& out, const MatrixOperand& left,
                           const MatrixOperand& right, const Chip& chip);

}  // namespace tputwin
