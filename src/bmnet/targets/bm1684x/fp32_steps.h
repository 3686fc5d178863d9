// Fp32Steps: commands in fp32 on tiles, with buffers from a kernel's scratch. A kernel describes
// its steps once: without a program they only count the scratch that they take.
#pragma once

#include "bmnet/targets/bm1684x/library_function.h"
#include "bmnet/targets/bm1684x/stream_program.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {

class Fp32Steps {
 public:
  using Kind = FloatArithmetic::Kind;

  Fp32Steps() = default;  // counts
  Fp32Steps(StreamProgram& program, uint32_t scratch)
      : program_(&program), first_(scratch), next_(scratch) {}

  // Returns the bytes of all buffers.
  int64_t used() const { return int64_t{next_} - first_; }
  // Returns a new buffer of these extents.
  TensorView buffer(const Shape& shape, DType type = DType::f32);
  // Returns `v` in fp32, in a new buffer if it has another type.
  TensorView widened(const TensorView& v);
  // Writes `v` to `to`, converted to its type.
  void store(const TensorView& to, const TensorView& v);

  void arithmetic(Kind kind, const TensorView& to, const Source& a, const Source& b);
  void arithmetic(Kind kind, const TensorView& to, const TensorView& a, const TensorView& b) {
    arithmetic(kind, to, Source::tensor(a), Source::tensor(b));
  }
  void arithmetic(Kind kind, const TensorView& to, const TensorView& a, float b) {
    arithmetic(kind, to, Source::tensor(a), number(b, DType::f32));
  }
  // to = function(a), with work tensors and tables in new buffers. `to` and `a` must be aligned.
  void call(FloatFunction::Kind kind, const TensorView& to, const TensorView& a);
  // to = a ^ exponent, for positive a
  void power(const TensorView& to, const TensorView& a, float exponent);
  // to = constant / a
  void divide(const TensorView& to, float constant, const TensorView& a);
  // Combines all elements along h or w: halves of the rest, until one element is left.
  TensorView folded(Kind kind, const TensorView& v, bool along_h);
  void add(const Operation& op) {
    if (program_ != nullptr) program_->add(op);
  }

 private:
  void call(FloatFunction f, const Extents& e);

  StreamProgram* program_ = nullptr;
  uint32_t first_ = 0, next_ = 0;
};

}  // namespace tputwin::net::bm1684x
