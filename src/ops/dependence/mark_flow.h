// MarkFlow: the marks that one operation reads, and those that it writes.
#pragma once

#include <memory>
#include <string_view>

#include "memory/memory.h"
#include "ops/dependence/marks.h"
#include "ops/operation.h"

namespace tputwin {

// Returns the marks of a tensor's elements. An element has the largest mark of its bytes.
ElementMarks load_marks(const TensorView& view, const Chip& chip, const MarkedMemory& marked);
// Appends the marked bytes of a tensor to `bytes`.
void store_marks(const TensorView& view, const Chip& chip, const ElementMarks& marks,
                 std::vector<MarkedBytes>& bytes);

// Memories that hold marks instead of values while an operation moves them. All bytes are 0 between
// operations, so only touched pages take memory.
class MarkScratch {
 public:
  MarkScratch(const Chip& chip, const Memory& like);
  const Memory& memory() const { return memory_; }

 private:
  LocalMemory local_;
  std::unique_ptr<GlobalMemory> global_, l2_, dtcm_;
  Memory memory_;
};

// An operand that chooses what an operation reads or writes, and that is marked.
struct MarkedChoice {
  std::string_view operand;
  Mark mark;
};

class MarkFlow {
 public:
  // `values` are the memories before the operation runs.
  MarkFlow(const Chip& chip, const Memory& values, MarkScratch& scratch,
           const std::vector<MarkedBytes>& reads)
      : chip_(chip), values_(values), scratch_(scratch), reads_(reads), marked_(chip, reads) {}

  const Chip& chip() const { return chip_; }
  const Memory& values() const { return values_; }
  ElementMarks load(const TensorView& view) const { return load_marks(view, chip_, marked_); }
  // Records marks of a result.
  void store(const TensorView& view, const ElementMarks& marks) {
    store_marks(view, chip_, marks, results_);
  }
  // Runs an operation on marks instead of values. It must move bytes and change none, except that
  // `numbers` is a result that it computes. `choice` is an operand that says which bytes it moves,
  // so it keeps its values. It must share no byte with another operand.
  void move(const Operation& op, const Footprint& touched, const TensorView* choice = nullptr,
            const TensorView* numbers = nullptr);
  // Records an undefined choice, unless the operand has no mark.
  void choose(std::string_view operand, const TensorView& view);

  std::vector<MarkedBytes> take_results() { return std::move(results_); }
  const std::vector<MarkedChoice>& choices() const { return choices_; }

 private:
  void fill(const std::vector<ByteRange>& kept);
  void clear(const std::vector<ByteRange>& ranges);
  void collect(const std::vector<ByteRange>& writes);

  const Chip& chip_;
  const Memory& values_;
  MarkScratch& scratch_;
  const std::vector<MarkedBytes>& reads_;
  MarkedMemory marked_;
  std::vector<MarkedBytes> results_;
  std::vector<MarkedChoice> choices_;
};

}  // namespace tputwin
