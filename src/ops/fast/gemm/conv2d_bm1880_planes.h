// How a convolution becomes dot products: the planes its input is repacked into.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/gemm/dot.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"

namespace tputwin::fast {

// One axis of the padded, zero-inserted input, cut into planes in which the output advances one
// element per output position. Phases: a stride s makes at most s planes, and a kernel tap reads
// its plane at an offset. Unrolled: every tap has a plane of its own, without a halo.
struct PlannedAxis {
  Axis axis;
  uint32_t source_extent = 0;    // of the input
  uint32_t extent = 0;           // of a plane
  std::vector<uint32_t> start;   // padded coordinate of element 0, per plane
  std::vector<uint32_t> plane;   // per tap
  std::vector<uint32_t> offset;  // per tap, inside its plane

  void plan(const Axis& axis, uint32_t source_extent, uint32_t outputs, bool unrolled);
  // Input index of element `i` of plane `p`; -1 for padding and inserted zeros.
  int64_t source(size_t p, uint32_t i) const {
    Axis shifted = axis;
    shifted.dilation = start[p];
    return shifted.source(i, 1, source_extent);
  }
};

// The elements of a plane's row that come from the input; the others are zeros.
struct PlannedColumns {
  uint32_t first = 0, count = 0, step = 1;  // in the plane
  uint32_t source = 0, source_step = 1;     // in the input row
};

PlannedColumns plan_columns(const PlannedAxis& w, size_t plane);

struct Conv2dPlan {
  const Conv2dBm1880* op = nullptr;
  const Memory* memory = nullptr;

  PlannedAxis h, w;
  std::vector<PlannedColumns> columns;  // per plane of w
  // The packed input: dwords [group][plane of h][plane of w][n][h.extent][w.extent], each dword
  // the same element of `elements` consecutive channels.
  size_t elements = 0, groups = 0, plane_size = 0, group_stride = 0;
  std::vector<uint32_t> tap_offsets;
  // The packed weights: dwords [block of output channels][group][tap][row].
  size_t rows = 0, blocks = 0, block_stride = 0;
  // Runs of consecutive output positions, with some that fall between the rows of the output.
  size_t runs = 0, run_stride = 0, run_length = 0;
  size_t chunk = 0, chunks_per_run = 0;  // positions of one task; the last one has what is left
  // An output row, as a run of positions: several rows at once where output and plane agree.
  size_t row_pitch = 0, row_length = 0, rows_per_image = 0;

  // What becomes of results besides, of prepared convolutions: what is added, a second place.
  std::optional<WeightedAddend> sum;
  std::optional<TensorView> copy;

  bool rounding_folded = false;  // into the bias: no sum can come near the ends of 32 bits
  int32_t floor = INT32_MIN;     // see Epilogue; of the sum, if there is one
  uint32_t flip = 0;             // see Flip
  int32_t flip_correction = 0;

  uint32_t* data = nullptr;
  bool data_is_narrow = false;  // see Reduction; found out when the data are packed
  uint32_t* weights = nullptr;
  int32_t* bias = nullptr;  // per row of every block

  // `lanes` of 32 bits in a vector; `tile` positions in a register tile.
  void build(const Conv2dBm1880& op, const Memory& memory, size_t elements, size_t rows,
             size_t lanes, size_t tile);
  size_t taps() const { return tap_offsets.size(); }
  size_t data_size() const {
    return groups * group_stride + kDataSlack + ceil_div(groups * kPackedAtOnce, sizeof *data);
  }
  // Of each part of the packed input of each group: 1 if it is wide, with a byte above 127; else 0.
  uint8_t* wide_parts(size_t group) const {
    return reinterpret_cast<uint8_t*>(data + groups * group_stride + kDataSlack) +
           group * kPackedAtOnce;
  }
  bool has_wide_parts() const {
    return std::memchr(wide_parts(0), 1, groups * kPackedAtOnce) != nullptr;
  }
  uint64_t macs() const { return blocks * rows * taps() * groups * elements * runs * run_length; }

  void cut_runs(size_t lanes, size_t tile);

  // Not worth more than one thread.
  bool is_small() const { return macs() < 2 * task_work(kMacsPerTask); }
  // A room of the thread for the packed input, which the next one there takes over. True: the last
  // one was of the same owner, so that it holds what that one packed.
  bool take_data(uint32_t room, const void* owner);

  static constexpr uint64_t kMacsPerTask = 1 << 18;
  static constexpr size_t kTilesAtOnce = 8;   // of a chunk, at most
  static constexpr size_t kPackedAtOnce = 4;  // parts of a group's input, at most
  static constexpr size_t kDataSlack = 64;    // dwords: the last tile reads whole vectors
};

// Packed weights and biases.
class Conv2dConstants {
 public:
  // Room for those of a plan, which walks them from now on.
  void take(Conv2dPlan& plan);
  // What the last plan packed.
  const uint32_t* weights() const { return packed_; }

 private:
  Scratch weights_, bias_;
  const uint32_t* packed_ = nullptr;
};

// The weights that a plan packed, back to where its instruction has them.
void unpack_weights(const Conv2dPlan& plan, const uint32_t* packed, const Memory& memory);

// The packed inputs of two convolutions are the same, if memory is.
bool same_data(const Conv2dPlan& a, const Conv2dPlan& b);

// The packed weights and biases of two convolutions are the same, if memory is.
bool same_constants(const Conv2dBm1880& a, const Conv2dBm1880& b);

// Why the fast bodies do not cover operands; nullptr if they do.
Declined conv2d_declines(const Conv2dBm1880& op, const Memory& memory);

// The largest magnitude that a sum, its bias and the rounding can reach fits in 32 bits.
bool sums_fit(const Conv2dBm1880& op);

// The body that calls oneDNN, for operands that are not declined.
Declined execute_onednn(const Conv2dBm1880& op, const Memory& memory);

}  // namespace tputwin::fast
