// Program: construction of commands through the calls that a user's kernel makes.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmnet/ir/network.h"
#include "bmnet/kernels/target.h"
#include "bmnet/lowering/tile.h"
#include "bmodel/bmodel.h"

namespace tputwin::net {

inline const uint32_t kLanes = target().lanes, kUnits = target().eu_bytes,
                      kLaneBytes = target().lane_bytes;

// Returns the bytes per lane of tensors that start in lane 0.
inline int64_t aligned_bytes(const Extents& e) {
  return e.n * ceil_div(e.c, kLanes) * align_up_to(e.h * e.w, kUnits);
}
inline int64_t unaligned_bytes(const Extents& e) { return e.n * ceil_div(e.c, kLanes) * e.h * e.w; }

// Views of local memory; an address is an offset in lane 0.
tensor_lmem aligned_tensor(uint32_t address, const Extents& e, fmt_t fmt = FMT_I8);
tensor_lmem unaligned_tensor(uint32_t address, const Extents& e, fmt_t fmt = FMT_I8);
tensor_lmem matrix_tensor(uint32_t address, int64_t rows, int64_t columns, fmt_t fmt = FMT_I8);
// Returns the layout of a matrix with this many columns in the lanes: (rows, blocks, 1, width).
Extents matrix_extents(int64_t rows, int64_t columns);

// Position of a tensor or weight: an offset relative to neuron or weight memory.
struct GlobalPlace {
  uint64_t offset = 0;
  bool is_weight = false;
  ctrl_t ctrl() const { return is_weight ? CTRL_WEIGHT : CTRL_NEURON; }
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;

  bmk1880_context_t* context() const { return context_; }

  // Must get the result of every call. The first refused command makes the program fail.
  void check(const bmk1880_op_t* command);
  void load(const tensor_lmem& t, GlobalPlace from, const stride_t* strides = nullptr);
  void store(const tensor_lmem& t, GlobalPlace to, const stride_t* strides = nullptr);

  // Calls between these two are not ordered between the engines.
  void begin_parallel() { bmk1880_parallel_enable(context_); }
  void end_parallel() { bmk1880_parallel_disable(context_); }

  // Assigns the commands from here on to the layer `name`.
  void begin_layer(std::string_view name);
  // Returns the layers of the commands so far.
  bmodel::LayerRuns layers() const;

  Status status() const;
  void fail(Error error);
  // Returns the command buffer so far.
  std::vector<uint8_t> commands() const;
  // Empties the buffer.
  void reset();

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> buffer_;
  bmk1880_context_t* context_;
  std::unique_ptr<Error> error_;
  struct Begun {
    std::string layer;
    size_t at;  // commands before it
  };
  std::vector<Begun> begun_;
};

}  // namespace tputwin::net
