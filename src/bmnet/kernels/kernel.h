// Kernel: one layer (or one group of a grouped convolution) as commands on a tile in local memory.
//
// A tile is a range of samples, of output rows and of output channels. The planner queries which
// input rows a tile needs and how much scratch, assigns an address to every operand, and then
// requests the commands. A kernel does not depend on its position in a net or on other contents of
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

// A tensor as a kernel sees it. `e` may regroup the axes after n, and may be a range of channels.
struct View {
  std::string tensor;
  Extents e;
  int64_t offset = 0;      // bytes from the start of a sample
  bool is_matrix = false;  // (n rows, c columns) in matrix layout
  int64_t bytes(const Extents& tile) const;
  bool operator==(const View&) const = default;
};

// Constants of a kernel. Order and layout are those of weight memory.
struct Weight {
  enum class Layout { aligned, unaligned, matrix };  // in local memory
  std::vector<uint8_t> bytes;
  Extents e;  // matrix: n rows, c columns
  Layout layout = Layout::unaligned;
  // True if a tile of output channels needs only the weights of its channels (columns).
  bool by_channel = true;

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
  std::vector<Span> input_rows;  // rows that `inputs` hold
  Local output;
  std::vector<Local> weights;
  uint32_t scratch = 0;
  Span rows;  // output rows
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  // Returns the rows of an input that the output rows `rows` need.
  virtual Span input_rows(size_t input, Span rows) const {
    (void)input;
    return rows;
  }
  // Returns true if rows `held` of an input in local memory serve the tile of output rows `rows`.
  virtual bool accepts_rows(size_t input, Span rows, Span held) const {
    return input_rows(input, rows) == held;
  }
  virtual bool can_split_rows() const { return true; }
  // Returns true if output channels can be split, in multiples of 32. Every tile then reads all
  // input channels.
  virtual bool can_split_channels() const { return false; }
  // Returns true if the kernel has commands of the tensor engine only, so that transfers may run in
  // parallel.
  virtual bool is_compute_only() const { return true; }
  // Returns the input whose bytes the output may overwrite; -1 if there is none.
  virtual int in_place_input() const { return -1; }
  // Returns the scratch bytes per lane for a tile of the output.
  virtual int64_t scratch_bytes(const Extents& output) const {
    (void)output;
    return 0;
  }
  // Returns true if the scratch must be above the output (high bytes of its 16-bit intermediates).
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

using KernelPtr = std::unique_ptr<Kernel>;

// Clamps a tile in place.
void emit_relu(Program& program, const Local& t);

}  // namespace tputwin::net
