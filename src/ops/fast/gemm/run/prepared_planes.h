// Convolutions over planes whose constants are kept from run to run of an instruction.
#pragma once

#include <memory>

#include "ops/contract/source.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

// Returns true if two convolutions pack the same constants in the same way.
template <class Op>
bool same_constants(const Op& a, const Op& b) {
  if constexpr (requires { a.zero_point; })
    if (!same_source(a.zero_point, b.zero_point)) return false;
  if constexpr (requires { a.constant_bias; })
    if (a.constant_bias != b.constant_bias) return false;
  if constexpr (requires { a.constant_weight; })
    if (a.constant_weight != b.constant_weight) return false;
  return same_source(a.weight, b.weight) && a.bias == b.bias && a.is_rotated == b.is_rotated &&
         a.in.dtype == b.in.dtype && a.in.shape.c == b.in.shape.c &&
         a.out.shape.c == b.out.shape.c && a.window.h.kernel == b.window.h.kernel &&
         a.window.w.kernel == b.window.w.kernel;
}

// `Planes` owns the parts of a kind of convolution, parts(). It may have fuse(), fused_out() and
// packs_like(), if it fuses other instructions.
template <class Op, class Planes>
class PreparedPlanes final : public PreparedKernel {
 public:
  // Makes the prepared kernel. The kernel must not decline the operands. Returns nullptr if their
  // planes cannot be laid out.
  static std::unique_ptr<PreparedKernel> make(const Op& op, const Memory& memory) {
    std::unique_ptr<PreparedPlanes> prepared(new PreparedPlanes(op, memory));
    return prepared->convolution_ == nullptr ? nullptr : std::move(prepared);
  }

  bool share(const PreparedKernel& prepared) override {
    const auto* other = dynamic_cast<const PreparedPlanes*>(&prepared);
    if (other == nullptr || !same_constants(op_, other->op_)) return false;
    if constexpr (requires { planes_.packs_like(planes_); })
      if (!planes_.packs_like(other->planes_)) return false;
    constants_ = other->constants_;
    return true;
  }
  bool fuse_epilogue(std::span<const Operation* const> epilogue,
                     std::span<const ByteRange> live_out) override {
    if constexpr (requires { planes_.fuse(epilogue, live_out); })
      return planes_.fuse(epilogue, live_out);
    return false;
  }
  bool takes_moves(const TensorView& view) const override {
    if constexpr (requires { op_.accumulate; })
      if (op_.accumulate) return false;
    return (view.shape == op_.in.shape || view.shape == op_.out.shape || has_whole_planes(view));
  }
  bool can_write_twice() const override { return !parts_.results.copies(); }
  void move(Moved operand, const TensorView& where) override {
    if (operand == Moved::input) put(op_.in, where);
    if (operand == Moved::result) put(out(), where);
    if (operand == Moved::second_result) {
      TensorView copy = out();
      put(copy, where);
      parts_.results.copy_to(copy);
    }
  }
  void restore_by(std::function<void()> restore) override {
    parts_.restorer.restore_by(std::move(restore));
  }
  void pack(const Memory&) override { convolution_->pack(*constants_); }
  void run(const Memory&) override {
    const ScopedFloatMode mode;
    convolution_->run(*constants_);
    if (is_traced()) [[unlikely]]
      trace_kernel(name(op_), "planes", kRan);
  }

 private:
  PreparedPlanes(const Op& op, const Memory& memory)
      : op_(with_long_rows(op)),
        memory_(memory),
        planes_(op_, memory_),
        parts_(planes_.parts()),
        convolution_(prepare_convolution(parts_, op_.window, op_.in, op_.out.shape)),
        constants_(std::make_shared<PlaneConstants>()) {}

  TensorView& out() {
    if constexpr (requires { planes_.fused_out(); })
      if (TensorView* fused = planes_.fused_out()) return *fused;
    return op_.out;
  }

  Op op_;  // the executed operation, with moves fused
  const Memory memory_;
  Planes planes_;
  const ConvolutionParts parts_;
  const std::unique_ptr<PlaneConvolution> convolution_;
  std::shared_ptr<PlaneConstants> constants_;
};

// The kernel of a convolution over planes, run at once or prepared. `kDeclines` returns why
// operands are not covered.
template <class Op, class Planes, Declined (*kDeclines)(const Op&, const LocalMemory&)>
struct PlaneKernel {
  static Declined run(const Op& given, const Memory& memory) {
    if (const Declined why = kDeclines(given, memory.local)) return why;
    const Op op = with_long_rows(given);
    Planes planes(op, memory);
    return convolve(planes.parts(), op.window, op.in, op.out.shape);
  }
  static std::unique_ptr<PreparedKernel> prepare(const Op& op, const Memory& memory) {
    if (kDeclines(op, memory.local) != kRan) return nullptr;
    return PreparedPlanes<Op, Planes>::make(op, memory);
  }
};

}  // namespace tputwin::fast
