// Kernel: one layer (or one group of a grouped convolution) as commands of the BM1880 on a tile in
// local memory.
#pragma once

#include "bmnet/kernels/program.h"
#include "bmnet/lowering/tiled_kernel.h"

namespace tputwin::net {

// The lanes of the BM1880.
const LocalMemory& local_memory();

tensor_lmem tensor_of(const Local& local, fmt_t fmt = FMT_I8);

class Kernel : public TiledKernel {
 public:
  virtual void emit(Program& program, const Operands& o) const = 0;
};

// Element-wise commands use the result's strides for every operand. An input that holds more rows
// than needed has another distance between blocks of channels, so it must have one block only. Rows
// are cut only for single samples.
class ElementwiseKernel : public Kernel {
 public:
  bool accepts_rows(size_t input, Span rows, Span held) const override {
    const Span needed = input_rows(input, rows);
    if (needed == held) return true;
    return inputs[input].e.c <= kLanes && held.begin <= needed.begin && needed.end <= held.end;
  }

 protected:
  // The rows of an input that belong to the tile.
  class Input {
   public:
    Input(const Operands& o, size_t index, fmt_t fmt = FMT_I8);
    tensor_lmem* operator&() { return &tensor_; }
    Input(const Input&) = delete;

   private:
    tensor_lmem tensor_;
  };
};

// Clamps a tile in place.
void emit_relu(Program& program, const Local& t);

}  // namespace tputwin::net
