// RowCapture: one for each thread at a time.
#include "ops/fast/walk/row_capture.h"

#include <algorithm>

namespace tputwin::fast {
namespace {

thread_local RowCapture* capture_of_thread = nullptr;

}  // namespace

RowCapture::RowCapture() { capture_of_thread = this; }
RowCapture::~RowCapture() { capture_of_thread = nullptr; }
RowCapture* RowCapture::current() { return capture_of_thread; }

void RowCapture::take(std::span<const RowOperand> operands, const RowWork& work) {
  std::ranges::copy(operands, rows_.operands.begin());
  rows_.count = operands.size();
  rows_.work = work;
  rows_.kept = work.keep != nullptr ? work.keep(work.operation) : nullptr;
  if (rows_.kept != nullptr) rows_.work.operation = rows_.kept.get();
}

}  // namespace tputwin::fast
