// RowCapture: describes the work of an element-wise operation instead of doing it, so that a chain
// of operations can be computed tile by tile.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ops/fast/walk/rows.h"

namespace tputwin::fast {

// The work of one operation.
struct CapturedRows {
  std::array<RowOperand, kMaxRowOperands> operands;
  size_t count = 0;  // 0: nothing was captured
  RowWork work;
  // Holds what `work.operation` points to, unless that is the operation of the program.
  std::shared_ptr<const void> kept;
};

// While it exists, run_rows() of this thread passes the work to it and returns.
class RowCapture {
 public:
  RowCapture();
  ~RowCapture();
  RowCapture(const RowCapture&) = delete;

  // Returns the capture of this thread, or nullptr.
  static RowCapture* current();
  void take(std::span<const RowOperand> operands, const RowWork& work);
  const CapturedRows& rows() const { return rows_; }

 private:
  CapturedRows rows_;
};

}  // namespace tputwin::fast
