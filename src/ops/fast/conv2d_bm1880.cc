// conv2d as dot products: the input is repacked once per instruction so that neighbouring output
// positions are neighbouring dwords of four channels (two, as words, where the processor has no
// byte products). Sums then come out planar, as lane memory wants them.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/conv2d_bm1880.cc"
#include "ops/fast/select/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <utility>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/conv2d_bm1880_pack-inl.h"
#include "ops/fast/gemm/conv2d_bm1880_planes.h"
#include "ops/fast/gemm/conv2d_choice.h"
#include "ops/fast/gemm/epilogue-inl.h"
#include "ops/fast/gemm/pack-inl.h"
#include "ops/fast/gemm/summing-inl.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/prepared/unpacking.h"
#include "ops/fast/select/body.h"
#include "ops/fast/select/budgets.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

// Bytes of a block's results for each channel: the most that a task has, and what whole vectors
// read and write behind them.
constexpr size_t kStaged = 8 * kTileVectors * kLanes32, kStagedPitch = kStaged + 2 * kLanes32;

// Where the channels of a block begin in a view of the extents of the output.
struct BlockRows {
  uint8_t* base[kTileRows];
  BlockRows(const Conv2dPlan& plan, const TensorView& view, size_t block, size_t channels) {
    for (size_t row = 0; row < channels; ++row)
      base[row] = plan.memory->byte(view, 0, static_cast<uint32_t>(block * plan.rows + row), 0, 0);
  }
};

// Calls run(offset of the first element, first position, count) for the staged positions [begin,
// begin + count) that are results, run by run; offset(view) is that of a view's element.
template <class Run>
HWY_INLINE void for_each_result_run(const Conv2dPlan& plan, size_t begin, size_t count,
                                    const Run& run) {
  for (size_t done = 0; done < count;) {
    const size_t line = (begin + done) / plan.row_pitch, x = (begin + done) % plan.row_pitch;
    const size_t length = std::min(plan.row_pitch - x, count - done);
    if (x < plan.row_length) {
      const size_t n = line / plan.rows_per_image, h = line % plan.rows_per_image;
      const auto offset = [&](const TensorView& v) { return n * v.stride.n + h * v.stride.h + x; };
      run(offset, done, std::min(plan.row_length - x, length));
    }
    done += length;
  }
}

// Copies staged positions [begin, begin + count) of a block of channels to the output's rows.
void write_rows(const Conv2dPlan& plan, const TensorView& out, size_t block, size_t begin,
                size_t count, const uint8_t* staged) {
  const size_t channels = std::min(plan.rows, plan.op->out.shape.c - block * plan.rows);
  const BlockRows to(plan, out, block, channels);
  for_each_result_run(plan, begin, count, [&](auto&& offset, size_t done, size_t valid) {
    const size_t at = offset(out);
    for (size_t row = 0; row < channels; ++row)
      std::memcpy(to.base[row] + at, staged + row * kStagedPitch + done, valid);
  });
}

// Makes sums of staged positions that are results, in place.
void sum_rows(const Conv2dPlan& plan, size_t block, size_t begin, size_t count, uint8_t* staged) {
  const size_t channels = std::min(plan.rows, plan.op->out.shape.c - block * plan.rows);
  const BlockRows from(plan, plan.sum->addend, block, channels);
  const Summing summing(*plan.sum, !plan.op->relu, plan.floor);
  for_each_result_run(plan, begin, count, [&](auto&& offset, size_t done, size_t valid) {
    const size_t at = offset(plan.sum->addend);
    alignas(64) uint8_t sums[kStagedPitch];
    for (size_t row = 0; row < channels; ++row) {
      uint8_t* results = staged + row * kStagedPitch + done;
      summing.run(results, from.base[row] + at, valid, sums);
      std::memcpy(results, sums, valid);
    }
  });
}

// Positions of the packed input, and the one in all planes that the first of them is.
struct Positions {
  const uint32_t* data;
  size_t begin, count, place;
};

// One block of output channels at some positions.
void convolve(const Conv2dPlan& plan, size_t block, const Positions& positions) {
  alignas(64) uint8_t staged[kTileRows * kStagedPitch];
  const auto& [data, begin, count, place] = positions;
  const Reduction reduction{
      data,        plan.group_stride, plan.tap_offsets.data(),
      plan.taps(), plan.groups,       plan.weights + block * plan.block_stride};
  const Epilogue epilogue{static_cast<int>(plan.op->rshift), plan.op->relu, plan.rounding_folded,
                          plan.sum ? INT32_MIN : plan.floor};
  const int32_t* bias = plan.bias + block * plan.rows;
  dot_byte_positions(is_signed(plan.op->weight.dtype), reduction, begin, begin + count,
                     [&, first = begin](size_t row, size_t position, Ints sum) HWY_ATTR {
                       Ints acc = hn::Add(sum, hn::Set(I32(), bias[row]));
                       epilogue.store8(acc, staged + row * kStagedPitch + (position - first));
                     });
  if (plan.sum) sum_rows(plan, block, place, count, staged);
  write_rows(plan, plan.op->out, block, place, count, staged);
  if (plan.copy) write_rows(plan, *plan.copy, block, place, count, staged);
}

void build(Conv2dPlan& plan, const Conv2dBm1880& op, const Memory& memory) {
  plan.build(op, memory, kElements, kTileRows, kLanes32, kTileVectors * kLanes32);
  const Flip flip(is_signed(op.in.dtype), is_signed(op.weight.dtype));
  plan.flip = flip.mask;
  plan.flip_correction = flip.correction;
}

// The copies of the weights, if wanted, and of the input that is packed as a whole.
void pack(Conv2dPlan& plan, bool input, bool weights) {
  if (plan.bands != 0 || plan.packs_each) input = false;
  const size_t groups = input ? plan.groups : 0, blocks = weights ? plan.blocks : 0;
  const auto work = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      i < groups ? pack_rows(plan, i, all_rows(plan), plan.data + i * plan.group_stride)
                 : pack_block(plan, i - groups);
  };
  parallel_for(groups + blocks, plan.is_small() ? groups + blocks : 1, std::cref(work));
}

// All blocks at `chunks` pieces of positions, piece(number): tasks [begin, end). The larger operand
// is walked once: its piece stays in the cache while the other streams by.
template <class Piece>
void convolve_tasks(const Conv2dPlan& plan, size_t chunks, size_t begin, size_t end,
                    const Piece& piece) {
  const bool weights_outside = plan.blocks * plan.block_stride > plan.groups * plan.group_stride;
  for (size_t i = begin; i < end; ++i)
    weights_outside ? convolve(plan, i / chunks, piece(i % chunks))
                    : convolve(plan, i % plan.blocks, piece(i / plan.blocks));
}

void multiply_whole(const Conv2dPlan& plan) {
  const auto piece = [&plan](const uint32_t* data, size_t number) {
    const size_t run = number / plan.chunks_per_run;
    const size_t first = number % plan.chunks_per_run * plan.chunk;
    const size_t begin = run * plan.run_stride + first;
    return Positions{data, begin, std::min(plan.chunk, plan.run_length - first), begin};
  };
  const size_t chunks = plan.runs * plan.chunks_per_run, tasks = chunks * plan.blocks;
  const size_t grain =
      plan.is_small() ? tasks : grain_of(plan.macs() / tasks + 1, Conv2dPlan::kMacsPerTask);
  static std::atomic<uint64_t> convolutions{0};
  const uint64_t number = ++convolutions;
  const auto work = [&](size_t begin, size_t end) {
    uint32_t* data = plan.data;
    if (plan.packs_each) {
      thread_local uint64_t packed = 0;
      data = plan.take_data();
      if (std::exchange(packed, number) != number) pack_groups(plan, all_rows(plan), data);
    }
    convolve_tasks(plan, chunks, begin, end, [&](size_t i) { return piece(data, i); });
  };
  parallel_for(tasks, grain, std::cref(work));
}

// Packs a band and multiplies it.
void multiply_band(const Conv2dPlan& plan, uint32_t n, size_t band) {
  const Shape& out = plan.op->out.shape;
  uint32_t* const data = plan.data + (n * plan.bands + band) * plan.part_size();
  const size_t y = band * plan.band_rows, rows = std::min(plan.band_rows, out.h - y);
  const PlaneRows packed{n, 1, static_cast<uint32_t>(y),
                         static_cast<uint32_t>(plan.plane_rows(rows))};
  pack_groups(plan, packed, data);
  const size_t length = (rows - 1) * plan.w.extent + out.w;
  const size_t place = n * plan.run_stride + y * plan.w.extent;
  const size_t chunks = ceil_div(length, plan.chunk);
  convolve_tasks(plan, chunks, 0, chunks * plan.blocks, [&](size_t number) {
    const size_t first = number * plan.chunk;
    return Positions{data, first, std::min(plan.chunk, length - first), place + first};
  });
}

void multiply(const Conv2dPlan& plan) {
  if (plan.bands == 0) return multiply_whole(plan);
  const auto work = [&plan](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      multiply_band(plan, static_cast<uint32_t>(i / plan.bands), i % plan.bands);
  };
  parallel_for(plan.parts(), 1, std::cref(work));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

namespace {

HWY_EXPORT(build);
HWY_EXPORT(pack);
HWY_EXPORT(multiply);

Declined library(const Conv2dBm1880& op, const Memory& memory) {
  if (!onednn_enabled()) return "the library is not selected";
  if (!prefers_library(library_use(), work_of(op))) return "ours is faster";
  if (const Declined why = conv2d_declines(op, memory)) return why;
  return execute_onednn(op, memory);
}

// Of instructions that nobody prepared, on this thread.
Conv2dConstants& passing_constants() {
  thread_local Conv2dConstants constants;
  return constants;
}

Declined planes(const Conv2dBm1880& op, const Memory& memory) {
  if (const Declined why = conv2d_declines(op, memory)) return why;
  thread_local Conv2dPlan plan;
  TPUTWIN_DISPATCH(build)(plan, op, memory);
  passing_constants().take(plan);
  plan.data = plan.take_data();
  TPUTWIN_DISPATCH(pack)(plan, true, true);
  TPUTWIN_DISPATCH(multiply)(plan);
  return kRan;
}

// Keeps the planes and the packed weights.
class PreparedConv2d final : public PreparedBody, public Unpacking {
 public:
  PreparedConv2d(const Conv2dBm1880& op, const Memory& memory)
      : memory_(memory), op_(op), constants_(std::make_shared<Conv2dConstants>()) {
    TPUTWIN_DISPATCH(build)(plan_, op_, memory_);
  }

  bool share(const PreparedBody& body) override {
    const auto* other = dynamic_cast<const PreparedConv2d*>(&body);
    if (other == nullptr || !same_constants(op_, other->op_)) return false;
    constants_ = other->constants_;
    return true;
  }
  // A saturated maximum is the maximum saturated: the floor is a value of the result's type.
  bool raise_to(int32_t floor) override {
    const bool is_unsigned = plan_.sum ? !is_signed(plan_.sum->out.dtype) : op_.relu;
    const bool is_value = is_unsigned ? floor >= 0 && floor <= 255 : floor >= -128 && floor <= 127;
    if (is_value) plan_.floor = std::max(plan_.floor, floor);
    return is_value;
  }
  bool add(const WeightedAddend& sum) override {
    // products of 8 bits, and 16 bits by at most 2^8, stay inside 32 bits
    const auto is_byte = [](int32_t factor) { return factor >= -255 && factor <= 255; };
    if (plan_.sum || plan_.floor != INT32_MIN || sum.lshift > 8 || sum.rshift > 31 ||
        sum.addend_rshift > 31 || !is_byte(sum.factor) || !is_byte(sum.addend_factor))
      return false;
    plan_.sum = sum;
    op_.out = sum.out;
    TPUTWIN_DISPATCH(build)(plan_, op_, memory_);
    return true;
  }
  bool takes_moves(const TensorView&) const override { return true; }
  void read_from(const TensorView& where) override { move(op_.in, where); }
  void read_addend_from(const TensorView& where) override { move(plan_.sum->addend, where); }
  void write_to(const TensorView& where) override { move(op_.out, where); }
  bool can_write_twice() const override { return !plan_.copy; }
  void write_also_to(const TensorView& where) override {
    plan_.copy = op_.out;
    move(*plan_.copy, where);
  }
  void pack(const Memory& memory) override {
    passing_constants() = {};  // a program's first run has passed
    plan_.memory = &memory;
    constants_->take(plan_);
    TPUTWIN_DISPATCH(pack)(plan_, false, true);
  }
  void unpack(const Memory& memory) const override {
    unpack_weights(plan_, constants_->weights(), memory);
  }
  void run(const Memory& memory) override {
    plan_.memory = &memory;
    constants_->take(plan_);
    plan_.data = plan_.take_data();
    TPUTWIN_DISPATCH(pack)(plan_, true, false);
    TPUTWIN_DISPATCH(multiply)(plan_);
    if (is_traced()) [[unlikely]]
      trace_body(name(op_), "planes", kRan);
  }

 private:
  void move(TensorView& operand, const TensorView& where) {
    const DType type = operand.dtype;
    operand = where;
    operand.dtype = type;
    TPUTWIN_DISPATCH(build)(plan_, op_, memory_);
  }

  const Memory memory_;
  Conv2dBm1880 op_;  // as it is carried out: in place of moves
  Conv2dPlan plan_;
  std::shared_ptr<Conv2dConstants> constants_;
};

}  // namespace

TW_BODIES(Conv2dBm1880, {"oneDNN", library}, {"planes", planes})

std::unique_ptr<PreparedBody> prepare(const Conv2dBm1880& op, const Memory& memory) {
  const bool others = onednn_enabled() && prefers_library(library_use(), work_of(op));
  if (others || conv2d_declines(op, memory) != nullptr) return nullptr;
  return std::make_unique<PreparedConv2d>(op, memory);
}

}  // namespace tputwin::fast
#endif
