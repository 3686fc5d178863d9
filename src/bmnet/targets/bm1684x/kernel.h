// StreamKernel: one layer (or one group of a grouped convolution) as commands of the BM1684X on a
// tile in local memory. Also what kernels share.
#pragma once

#include "bmnet/integers/integers.h"
#include "bmnet/lowering/tiled_kernel.h"
#include "bmnet/targets/bm1684x/stream_program.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {

class StreamKernel : public TiledKernel {
 public:
  virtual void emit(StreamProgram& program, const Operands& o) const = 0;

  // Inputs that are constants, by the names of their views.
  struct Constant {
    std::string name;
    std::vector<uint8_t> bytes;
  };
  std::vector<Constant> constants;

 protected:
  TensorView out_view(const Operands& o) const { return view_of(o.output, output.type); }
  TensorView in_view(const Operands& o, size_t input = 0) const {
    return view_of(o.inputs[input], inputs[input].type);
  }
  // Returns the output rows of an input that may hold more rows.
  TensorView rows_view(const Operands& o, size_t input) const;
};

// A kernel whose commands take any strides: inputs may hold more rows than the output.
class ElementwiseStreamKernel : public StreamKernel {
 public:
  bool accepts_rows(size_t, Span rows, Span held) const override {
    return held.begin <= rows.begin && rows.end <= held.end;
  }
};

// Clamps a tile from below at 0, in place.
void emit_relu(StreamProgram& program, const TensorView& t);

}  // namespace tputwin::net::bm1684x
