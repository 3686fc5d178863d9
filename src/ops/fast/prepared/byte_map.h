// ByteMap: the part that is common to prepared kernels whose results are bytes, each computed from
// the bytes of one or two inputs at the same index. Inputs and results may be moved to global
// memory.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "ops/fast/prepared/prepared.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

class ByteMap : public PreparedKernel {
 public:
  bool takes_moves(const TensorView&) const override { return true; }
  bool can_write_twice() const override { return !views_[kSecond]; }
  void move(Moved operand, const TensorView& where) override;
  void run(const Memory& memory) final;

 protected:
  enum : size_t { kResult, kFirst, kAddend, kSecond, kOperands };
  // The addresses of `count` bytes of each operand. Those of absent operands have no meaning.
  using Row = std::array<uint8_t*, kOperands>;

  // `addend` may be nullptr. The views must be rows of bytes in lanes (has_byte_rows).
  ByteMap(const TensorView& result, const TensorView& first, const TensorView* addend);

  // Computes rows [begin, end) of a nest. `at` holds the address of the first byte of each operand,
  // and `slot` is the number of the slot, from the channel 0 on.
  virtual void compute(const Nest<kOperands>& rows, size_t begin, size_t end, const Row& at,
                       size_t slot, const Memory& memory) const = 0;
  // Returns true if compute() does the same in all slots.
  virtual bool is_same_in_all_lanes(const Memory&) const { return true; }
  bool has(size_t operand) const { return views_[operand].has_value(); }

 private:
  // Returns the views. Those of absent operands are that of the result, so that they part no loops.
  std::array<const TensorView*, kOperands> views() const;
  // Returns the first byte of channel c of image n of each operand.
  Row first_bytes(const Memory& memory, uint32_t n, uint32_t c) const;
  void run_pieces(const Memory& memory, size_t bytes) const;
  void run_channels(const Memory& memory) const;
  void run_slots(const Memory& memory) const;

  std::array<std::optional<TensorView>, kOperands> views_;
};

}  // namespace tputwin::fast
