// Kernel: one layer (or one group of a grouped convolution) as commands on a tile in local memory.
//
// A tile is a range of samples, of output rows and of output channels. The planner asks a kernel
// which rows of its inputs a tile needs and how much scratch, gives every operand an address, and
// then asks for the commands. A kernel never knows where in a net it stands or what else lies in
// local memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/kernels/program.h"

namespace tputwin::net {

struct Span {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

inline Span join(Span a, Span b) {
  if (a.count() <= 0) return b;
  if (b.count() <= 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// A tensor as a kernel sees it: `e` may regroup its axes behind n, and may be a range of channels.
struct View {
  std::string tensor;
  Extents e;
  int64_t offset = 0;      // bytes from the start of a sample of the tensor
  bool is_matrix = false;  // (n rows, c columns) in matrix layout
  int64_t bytes(const Extents& tile) const;
  bool operator==(const View&) const = default;
};

// Constants of a kernel, in the order and layout in which they lie in weight memory.
struct Weight {
  enum class Layout { aligned, unaligned, matrix };  // in local memory
  std::vector<uint8_t> bytes;
  Extents e;  // matrix: n rows, c columns
  Layout layout = Layout::unaligned;
  bool by_channel = true;  // a tile of output channels needs its channels (columns) only

  Extents tile(Span channels) const;
  int64_t lane_bytes(Span channels) const;
};

struct Tile {
  Span samples, rows, channels;
};

// An operand in local memory.
struct Local {
  uint32_t address = 0;
  Extents e;
  bool is_matrix = false;
  tensor_lmem tensor(fmt_t fmt = FMT_I8) const;
};

struct Operands {
  std::vector<Local> inputs;
  std::vector<Span> input_rows;  // what `inputs` hold
  Local output;
  std::vector<Local> weights;
  uint32_t scratch = 0;
  Span rows;  // of the output
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  // Rows of an input that output rows need.
  virtual Span input_rows(size_t input, Span rows) const {
    (void)input;
    return rows;
  }
  // True if rows `held` of an input in local memory serve the tile of output rows `rows`.
  virtual bool accepts_rows(size_t input, Span rows, Span held) const {
    return input_rows(input, rows) == held;
  }
  virtual bool can_split_rows() const { return true; }
  // Of output channels, in multiples of 32; every tile then reads all input channels.
  virtual bool can_split_channels() const { return false; }
  // Commands of the tensor engine only, so that transfers may run beside them.
  virtual bool is_compute_only() const { return true; }
  // The input whose place the output may take; -1: none.
  virtual int in_place_input() const { return -1; }
  // Bytes per lane for a tile of the output.
  virtual int64_t scratch_bytes(const Extents& output) const {
    (void)output;
    return 0;
  }
  // The scratch must lie above the output (high bytes of its 16-bit intermediates).
  virtual bool is_scratch_above() const { return false; }
  virtual void emit(Program& program, const Operands& o) const = 0;

  std::string layer;  // for messages and `--explain`
  size_t op = 0;      // index in Network::ops
  std::vector<View> inputs;
  View output;
  std::vector<Weight> weights;
  bool do_relu = false;  // clamp the result
};

// Element-wise commands use the result's strides for every operand. An input that holds more rows
// than they need has another distance of channel blocks: it may have one block only (rows are cut
// of single samples).
class ElementwiseKernel : public Kernel {
 public:
  bool accepts_rows(size_t input, Span rows, Span held) const override {
    const Span needed = input_rows(input, rows);
    if (needed == held) return true;
    return inputs[input].e.c <= kLanes && held.begin <= needed.begin && needed.end <= held.end;
  }

 protected:
  // The rows of an input that the tile is about.
  class Input {
   public:
    Input(const Operands& o, size_t index, fmt_t fmt = FMT_I8);
    tensor_lmem* operator&() { return &tensor_; }
    Input(const Input&) = delete;

   private:
    tensor_lmem tensor_;
  };
};

using KernelPtr = std::unique_ptr<Kernel>;

// Clamps a tile in place.
void emit_relu(Program& program, const Local& t);

}  // namespace tputwin::net
