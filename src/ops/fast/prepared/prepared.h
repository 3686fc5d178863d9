// Bodies that keep something from run to run of one instruction: how they walk its operands, and
// constant operands in the layout that their loops read.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include <cstdint>

#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin {
struct Conv2dBm1684;
struct Conv2dBm1684Int8;
struct Conv2dBm1684xFloat;
struct Conv2dBm1684xInt8;
struct Conv2dBm1880;
struct Depthwise2dBm1684xInt8;
struct Depthwise2dBm1880;
struct Operation;

namespace fast {

// What comes after a result r of 8 bits, element by element: mul_const of an addend of 8 bits to
// 16, and mac_const of r to that. With 16 and 8 bits of the type of `out`:
//   t = saturate16(round_shift(addend * addend_factor, addend_rshift))
//   out = saturate8(round_shift(r * factor + (t << lshift), rshift))
struct WeightedAddend {
  TensorView addend, out;
  int32_t addend_factor = 0, factor = 0;
  uint32_t addend_rshift = 0, lshift = 0, rshift = 0;
};

class PreparedBody {
 public:
  virtual ~PreparedBody() = default;
  // Uses what another body packs from now on, if both pack the same views in the same way.
  virtual bool share(const PreparedBody&) { return false; }
  // Takes over the instruction after this one: max_const of the results, in place. False: it
  // cannot.
  virtual bool raise_to(int32_t) { return false; }
  // Takes over two instructions after this one, and leaves `out` instead of its own results. False:
  // it cannot. What raise_to() says later holds of `out`.
  virtual bool add(const WeightedAddend&) { return false; }
  // A body that takes moves of a view reads its input, or writes its result, where a move before or
  // after it had to take it from or to: the view is of the same extents anywhere, in dense rows.
  // kMoveSlack bytes behind it may be read, too.
  virtual bool takes_moves(const TensorView&) const { return false; }
  virtual void read_from(const TensorView&) {}
  virtual void read_addend_from(const TensorView&) {}
  virtual void write_to(const TensorView&) {}
  // The same besides where it writes to, once.
  virtual bool can_write_twice() const { return false; }
  virtual void write_also_to(const TensorView&) {}
  static constexpr uint64_t kMoveSlack = 256;
  // What run() packs before it does anything else, and how many bytes that makes; nullptr: nothing.
  struct Copied {
    const TensorView* input = nullptr;
    size_t bytes = 0;
  };
  virtual Copied copied() const { return {}; }
  // Packs it in one of the rooms that the calling thread has for copies: in the first one, unless
  // told otherwise.
  static constexpr uint32_t kRooms = 5;
  virtual void copy_to(uint32_t /*room*/) {}
  // Uses what another body packs, which runs before it in every run of a program, if both pack the
  // same view in the same way: nobody writes there between the two. Other bodies may run, too.
  virtual bool share_copy(const PreparedBody&) { return false; }
  // Takes over instructions that only work on the result of this one, one after the other: the last
  // one leaves its own result, what lies between does not come into being, but for bytes of `left`
  // of what the last one works on. False: it cannot.
  virtual bool take_over(std::span<const Operation* const>, std::span<const ByteRange> /*left*/) {
    return false;
  }
  // Brings constants back to where the operands say, if they are not there in a run: bodies that
  // look at them there call it before. May be called at any time of a run.
  virtual void restore_by(std::function<void()>) {}
  // Packs the constants, if it has any, from what the operands hold now.
  virtual void pack(const Memory&) {}
  // Runs the instruction with the constants that were packed.
  virtual void run(const Memory& memory) = 0;
};

// The operands that pack() reads and run() does not. None: nothing of the operation is constant.
OperandList constant_operands(const Operation& operation);

// nullptr: no body keeps anything, or none that does covers these operands. The operation outlives
// the body. Bodies hold for the choices in force (choices()) only.
std::unique_ptr<PreparedBody> prepare(const Operation& operation, const Memory& memory);

// The same of the operations that have such a body.
std::unique_ptr<PreparedBody> prepare(const Conv2dBm1880& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Depthwise2dBm1880& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684Int8& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Depthwise2dBm1684xInt8& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684xFloat& op, const Memory& memory);
std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684xInt8& op, const Memory& memory);

// A number that changes when bodies would be chosen or would work differently: with the instruction
// set, with budgets.
uint64_t choices();
void choices_changed();

}  // namespace fast
}  // namespace tputwin
