// Prepared kernels: kernels that keep data from run to run of one instruction. They keep how they
// walk its operands, and constant operands in the layout that their loops read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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
struct TableLookup;

namespace fast {

// Two operations on an 8-bit result r that can be fused: mul_const of an 8-bit addend to 16 bits,
// and mac_const of r onto it. Both have the signedness of `out`:
//   t = saturate16(round_shift(addend * addend_factor, addend_rshift))
//   out = saturate8(round_shift(r * factor + (t << lshift), rshift))
struct WeightedAddend {
  TensorView addend, out;
  int32_t addend_factor = 0, factor = 0;
  uint32_t addend_rshift = 0, lshift = 0, rshift = 0;
};

// Instructions that compute a byte of each pair of bytes: the products of two inputs and constants,
// their sum, and a cast of it. The result of each is that of the last one that is not nullptr.
struct ByteSum {
  const Operation* first = nullptr;   // mul of the first input
  const Operation* addend = nullptr;  // mul of the second input
  const Operation* add = nullptr;
  const Operation* cast = nullptr;
};

// An operand that a kernel can access elsewhere than its instruction says, because a move before or
// after it is fused. addend: of a WeightedAddend, or a second input. second_result: in
// addition to the result.
enum class Moved : uint8_t { input, addend, result, second_result };

class PreparedKernel {
 public:
  virtual ~PreparedKernel() = default;
  // Shares the constants that another kernel packs. Returns false unless both pack the same views
  // in the same way.
  virtual bool share(const PreparedKernel&) { return false; }
  // Fuses max_const of the results, in place, which follows this instruction. Returns false if it
  // cannot.
  virtual bool raise_to(int32_t) { return false; }
  // Fuses the two instructions after this one, and writes `out` instead of its own results. Returns
  // false if it cannot. A later raise_to() then applies to `out`.
  virtual bool add(const WeightedAddend&) { return false; }
  // Returns true if the kernel can fuse moves of a view: it reads its input from the source of a
  // move before it, or writes its result to the destination of a move after it. The view must have
  // the same extents and dense rows, and may be at any address. Up to kMoveSlack bytes after it may
  // be read, too.
  virtual bool takes_moves(const TensorView&) const { return false; }
  // Returns the operand that is the input of an instruction fused into this one; nullopt if the
  // kernel does not read it.
  virtual std::optional<Moved> fused_input(const Operation&) const { return {}; }
  // Returns true if the second input of its own instruction, which is its third operand, can be
  // moved. It is Moved::addend.
  virtual bool has_second_input() const { return false; }
  // Returns true if move() can set a second result.
  virtual bool can_write_twice() const { return false; }
  // Accesses the operand at another place from now on, with the operand's own type.
  virtual void move(Moved /*operand*/, const TensorView& /*where*/) {}
  static constexpr uint64_t kMoveSlack = 256;
  // The input that run() packs first, and the size of the packed data. `input` is nullptr if there
  // is none.
  struct Copied {
    const TensorView* input = nullptr;
    size_t bytes = 0;
  };
  virtual Copied copied() const { return {}; }
  // Selects one of the calling thread's buffers for packed data. The default is the first one.
  static constexpr uint32_t kInputSlots = 5;
  virtual void copy_to(uint32_t /*slot*/) {}
  // Uses the data that another kernel packs. The other kernel must run earlier in every run of a
  // program, and nothing may write to the view between the two. Other kernels may run between them.
  // Returns false unless both pack the same view in the same way.
  virtual bool share_copy(const PreparedKernel&) { return false; }
  // Fuses instructions that only work on the result of this one, one after the other. Only the
  // result of the last one is written. Intermediate results are not, except for bytes of `live_out`
  // in the input of the last one, which are live-out. Returns false if it cannot.
  virtual bool fuse_epilogue(std::span<const Operation* const>,
                             std::span<const ByteRange> /*left*/) {
    return false;
  }
  // Sets a function that writes constants back to their operands, for runs in which memory does not
  // hold them. A kernel calls it before it reads constants from the operands. It may be called at
  // any time of a run.
  virtual void restore_by(std::function<void()>) {}
  // Packs the constants, if it has any, from the current contents of the operands.
  virtual void pack(const Memory&) {}
  // Runs the instruction with the packed constants.
  virtual void run(const Memory& memory) = 0;
};

// Returns the operands that pack() reads and run() does not. An empty list means that the operation
// has no constants.
OperandList constant_operands(const Operation& operation);

// Returns nullptr if no kernel that keeps data covers the operands. The operation must outlive the
// kernel. Kernels are valid for the choices in force (choices()) only.
std::unique_ptr<PreparedKernel> prepare(const Operation& operation, const Memory& memory);

// Returns false if kernels of the operation must not be prepared: vectors or its kernels are
// switched off.
bool may_prepare(const Operation& operation);

// Returns nullptr if the instructions are no such sum, or a kernel cannot compute it. They must
// outlive the kernel. The caller must ensure that nothing else reads or changes the bytes that they
// write, except the last result, and that nothing changes the inputs before the last one runs.
std::unique_ptr<PreparedKernel> prepare(const ByteSum& sum, const Memory& memory);

// Returns a kernel of floating-point arithmetic on two tensors, whose operands can be moved; or
// nullptr, if there is none for the operation. The operation must outlive the kernel.
std::unique_ptr<PreparedKernel> prepare_float_map(const Operation& operation, const Memory& memory);

// Returns true if each lane of the results depends on bytes of the same lane only, and the
// operation can be executed in a range of lanes.
bool works_inside_lanes(const Operation& operation, const Memory& memory);
// Returns the kernel that executes operations which work inside lanes, one after the other. They
// must outlive the kernel.
std::unique_ptr<PreparedKernel> prepare_lane_group(std::span<const Operation* const> operations,
                                                   const Memory& memory);

// An element-wise operation of a chain. The bytes of an internal result are read by operations of
// the chain only, and overwritten later.
struct ChainMember {
  const Operation* operation;
  bool is_internal;
};
// Returns true if the operation can be a member of a chain.
bool can_chain(const Operation& operation, const Memory& memory);
// Returns a kernel that executes operations on tensors of one shape, one after the other, tile by
// tile, without writing internal results. They must outlive the kernel. Returns nullptr if they are
// no such chain.
std::unique_ptr<PreparedKernel> prepare_chain(std::span<const ChainMember> members,
                                              const Memory& memory);

// Overloads for operations that have such a kernel.
std::unique_ptr<PreparedKernel> prepare(const TableLookup& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1880& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Depthwise2dBm1880& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684Int8& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Depthwise2dBm1684xInt8& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684xFloat& op, const Memory& memory);
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684xInt8& op, const Memory& memory);

// choices() returns a number that changes when other kernels would be chosen, or kernels would work
// differently. That is the case after a change of the instruction set or of budgets.
// choices_changed() changes the number.
uint64_t choices();
void choices_changed();

}  // namespace fast
}  // namespace tputwin
