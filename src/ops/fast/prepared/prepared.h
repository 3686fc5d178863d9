// Bodies that keep something from run to run of one instruction: how they walk its operands, and
// constant operands in the layout that their loops read.
#pragma once

#include <memory>

#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin {
struct Conv2dBm1880;
struct Depthwise2dBm1880;
struct Operation;

namespace fast {

class PreparedBody {
 public:
  virtual ~PreparedBody() = default;
  // Uses what another body packs from now on, if both pack the same views in the same way.
  virtual bool share(const PreparedBody&) { return false; }
  // Takes over the instruction after this one: max_const of the results, in place. False: it
  // cannot.
  virtual bool raise_to(int32_t) { return false; }
  // A body that takes_moves() reads its input, or writes its result, where a move before or after
  // it had to take it from or to: `where` is a view of the same extents anywhere, in rows of bytes.
  // kMoveSlack bytes behind it may be read, too.
  virtual bool takes_moves() const { return false; }
  virtual void read_from(const TensorView&) {}
  virtual void write_to(const TensorView&) {}
  static constexpr uint64_t kMoveSlack = 256;
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

// A number that changes when bodies would be chosen or would work differently: with the instruction
// set, with budgets.
uint64_t choices();
void choices_changed();

}  // namespace fast
}  // namespace tputwin
