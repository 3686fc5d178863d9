// The planes that an input is repacked into, which turn a convolution into dot products.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/gemm/kernels/dot.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"

namespace tputwin::fast {

// One axis of the padded, zero-inserted input, cut into planes. In a plane, the input advances by
// one element per output position.
// - Phases: a stride s makes at most s planes, and a kernel tap reads its plane at an offset.
// - Unrolled: every tap has a plane of its own, without a halo.
struct PlannedAxis {
  Axis axis;
  uint32_t source_extent = 0;    // extent of the input
  uint32_t extent = 0;           // extent of a plane
  std::vector<uint32_t> start;   // padded coordinate of element 0, per plane
  std::vector<uint32_t> plane;   // per tap
  std::vector<uint32_t> offset;  // per tap, inside its plane

  void plan(const Axis& axis, uint32_t source_extent, uint32_t outputs, bool unrolled);
  // Returns the input index of element `i` of plane `p`, or -1 for padding and inserted zeros.
  int64_t source(size_t p, uint32_t i) const {
    Axis shifted = axis;
    shifted.dilation = start[p];
    return shifted.source(i, 1, source_extent);
  }
};

// The elements of a plane's row that come from the input. The other elements are zeros.
struct PlannedColumns {
  uint32_t first = 0, count = 0, step = 1;  // positions in the plane
  uint32_t source = 0, source_step = 1;     // positions in the input row
};

PlannedColumns plan_columns(const PlannedAxis& w, size_t plane);

struct Conv2dPlan {
  const Conv2dBm1880* op = nullptr;
  const Memory* memory = nullptr;

  PlannedAxis h, w;
  std::vector<PlannedColumns> columns;  // per plane of w
  // The packed input: uint32 cells [group][plane of h][plane of w][n][h.extent][w.extent]. Each
  // cell holds the same element of `elements` consecutive channels.
  size_t elements = 0, groups = 0, plane_size = 0, group_stride = 0;
  std::vector<uint32_t> tap_offsets;
  // The packed weights: uint32 cells [block of output channels][group][tap][row].
  size_t rows = 0, blocks = 0, block_stride = 0;
  // Runs of consecutive output positions. Some of the positions are between rows of the output.
  size_t runs = 0, run_stride = 0, run_length = 0;
  // Positions of one task. The last task has the rest.
  size_t chunk = 0, chunks_per_run = 0;
  // An output row as a run of positions. It covers several output rows where output and plane
  // agree.
  size_t row_pitch = 0, row_length = 0, rows_per_image = 0;

  // Fused operations of prepared convolutions: an addend, and a second destination.
  std::optional<WeightedAddend> sum;
  std::optional<TensorView> copy;

  // True if the bias includes the rounding addend, because no sum can overflow int32.
  bool rounding_folded = false;
  // see Epilogue; applies to the sum with `sum` if set
  int32_t floor = INT32_MIN;
  uint32_t flip = 0;  // see Flip
  int32_t flip_correction = 0;

  uint32_t* data = nullptr;
  bool data_is_narrow = false;  // see Reduction; known after packing the data
  uint32_t* weights = nullptr;
  int32_t* bias = nullptr;  // per row of every block

  // `lanes` counts the 32-bit elements of a vector, `tile` the positions of a register tile.
  void build(const Conv2dBm1880& op, const Memory& memory, size_t elements, size_t rows,
             size_t lanes, size_t tile);
  size_t taps() const { return tap_offsets.size(); }
  size_t data_size() const {
    return groups * group_stride + kDataSlack + ceil_div(groups * kPackedAtOnce, sizeof *data);
  }
  // One byte for each part of the packed input of a group: 1 if it is wide (a byte is above 127),
  // else 0.
  uint8_t* wide_parts(size_t group) const {
    return reinterpret_cast<uint8_t*>(data + groups * group_stride + kDataSlack) +
           group * kPackedAtOnce;
  }
  bool has_wide_parts() const {
    return std::memchr(wide_parts(0), 1, groups * kPackedAtOnce) != nullptr;
  }
  uint64_t macs() const { return blocks * rows * taps() * groups * elements * runs * run_length; }

  void cut_runs(size_t lanes, size_t tile);

  // Returns true if the work is too small for more than one thread.
  bool is_small() const { return macs() < 2 * task_work(kMacsPerTask); }
  // Takes a buffer of the thread for the packed input; the next plan reuses it. Returns true if the
  // previous plan had the same owner, so that the buffer still holds what it packed.
  bool take_data(uint32_t room, const void* owner);

  static constexpr uint64_t kMacsPerTask = 1 << 18;
  static constexpr size_t kTilesAtOnce = 8;   // most tiles of a chunk
  static constexpr size_t kPackedAtOnce = 4;  // parts of a group's input, at most
  // uint32 cells; the last tile reads whole vectors
  static constexpr size_t kDataSlack = 64;
};

// The packed weights and biases of a convolution.
class Conv2dConstants {
 public:
  // Allocates buffers for the weights and biases of `plan` and points the plan to them.
  void take(Conv2dPlan& plan);
  // Returns the weights that the last plan packed.
  const uint32_t* weights() const { return packed_; }

 private:
  Scratch weights_, bias_;
  const uint32_t* packed_ = nullptr;
};

// Writes the weights that `plan` packed back to the weight operand of its instruction.
void unpack_weights(const Conv2dPlan& plan, const uint32_t* packed, const Memory& memory);

// Returns true if two convolutions pack the same inputs, as long as memory is unchanged.
bool same_data(const Conv2dPlan& a, const Conv2dPlan& b);

// Returns true if two convolutions pack the same weights and biases, as long as memory is
// unchanged.
bool same_constants(const Conv2dBm1880& a, const Conv2dBm1880& b);

// Returns why the fast kernels do not cover the operands, or nullptr if they do.
Declined conv2d_declines(const Conv2dBm1880& op, const Memory& memory);

// Returns true if the largest magnitude that a sum with bias and rounding can reach fits in 32
// bits.
bool sums_fit(const Conv2dBm1880& op);

// Runs the kernel that calls oneDNN. The operands must not be declined by conv2d_declines().
Declined execute_onednn(const Conv2dBm1880& op, const Memory& memory);

}  // namespace tputwin::fast
