// conv2d as dot products. The input is repacked once per instruction, so that neighbouring output
// positions are neighbouring cells of four channels. Cells hold two channels, widened to 16 bits,
// where products of bytes have no steps. Sums then come out planar, as local memory stores them.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/conv2d_bm1880.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/epilogue/epilogue_bm1880-inl.h"
#include "ops/fast/gemm/epilogue/weighted_addend-inl.h"
#include "ops/fast/gemm/kernels/dot_bytes-inl.h"
#include "ops/fast/gemm/onednn/conv2d_onednn.h"
#include "ops/fast/gemm/packing/conv2d_bm1880_setup.h"
#include "ops/fast/gemm/packing/pack_conv2d_bm1880-inl.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/prepared/unpacking.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

// `kStaged` is the largest number of results that a task stages for each channel, one byte each.
// `kStagedPitch` adds the bytes that whole vectors read and write after them.
constexpr size_t kStaged = PositionRuns::kTilesAtOnce * kTileVectors * kElements32,
                 kStagedPitch = kStaged + 2 * kElements32;

// Holds the address of the first byte of each channel of a block. The view must have the extents of
// the output.
struct BlockRows {
  uint8_t* base[kTileRows];
  BlockRows(const Conv2dSetup& setup, const TensorView& view, size_t block, size_t channels) {
    const size_t first = block * setup.geometry.weights.rows;
    for (size_t row = 0; row < channels; ++row)
      base[row] = setup.memory->byte(view, 0, static_cast<uint32_t>(first + row), 0, 0);
  }
};

// Calls run(offset, first position, count) for each run of results among the staged positions
// [begin, begin + count). offset(view) returns the offset of the run's first element in a view.
template <class Run>
HWY_INLINE void for_each_result_run(const ResultRows& rows, size_t begin, size_t count,
                                    const Run& run) {
  for (size_t done = 0; done < count;) {
    const size_t line = (begin + done) / rows.pitch, x = (begin + done) % rows.pitch;
    const size_t length = std::min(rows.pitch - x, count - done);
    if (x < rows.length) {
      const size_t n = line / rows.per_image, h = line % rows.per_image;
      const auto offset = [&](const TensorView& v) { return n * v.stride.n + h * v.stride.h + x; };
      run(offset, done, std::min(rows.length - x, length));
    }
    done += length;
  }
}

// Copies staged positions [begin, begin + count) of a block of channels to the output's rows.
void write_rows(const Conv2dSetup& setup, const TensorView& out, size_t block, size_t begin,
                size_t count, const uint8_t* staged) {
  const size_t channels = setup.channels_of(block);
  const BlockRows to(setup, out, block, channels);
  for_each_result_run(setup.geometry.results, begin, count,
                      [&](auto&& offset, size_t done, size_t valid) {
                        const size_t at = offset(out);
                        for (size_t row = 0; row < channels; ++row)
                          std::memcpy(to.base[row] + at, staged + row * kStagedPitch + done, valid);
                      });
}

// Prefetches the addends of a block, which sum_rows() reads after the products are computed.
void prefetch_addends(const Conv2dSetup& setup, size_t block, size_t begin, size_t count) {
  constexpr size_t kLine = 64;
  const size_t channels = setup.channels_of(block);
  const BlockRows from(setup, setup.fused.sum->addend, block, channels);
  for_each_result_run(setup.geometry.results, begin, count,
                      [&](auto&& offset, size_t, size_t valid) {
                        const size_t at = offset(setup.fused.sum->addend);
                        for (size_t row = 0; row < channels; ++row)
                          for (size_t i = 0; i < valid + kLine; i += kLine)
                            prefetch_line(from.base[row] + at + std::min(i, valid - 1));
                      });
}

// Adds the addends to the staged positions that are results, in place.
void sum_rows(const Conv2dSetup& setup, size_t block, size_t begin, size_t count, uint8_t* staged) {
  const size_t channels = setup.channels_of(block);
  const BlockRows from(setup, setup.fused.sum->addend, block, channels);
  const Summing summing(*setup.fused.sum, !setup.op->relu, setup.fused.floor);
  for_each_result_run(setup.geometry.results, begin, count,
                      [&](auto&& offset, size_t done, size_t valid) {
                        const size_t at = offset(setup.fused.sum->addend);
                        alignas(64) uint8_t sums[kStagedPitch];
                        for (size_t row = 0; row < channels; ++row) {
                          uint8_t* results = staged + row * kStagedPitch + done;
                          summing.run(results, from.base[row] + at, valid, sums);
                          std::memcpy(results, sums, valid);
                        }
                      });
}

// Describes a task: one block of output channels at one chunk of positions.
struct Conv2dTask {
  size_t block, chunk;
  bool data_is_narrow;  // see Reduction::is_narrow
};

void convolve_task(const Conv2dSetup& setup, const Conv2dBuffers& buffers, const Conv2dTask& task) {
  alignas(64) uint8_t staged[kTileRows * kStagedPitch];
  const CellPlanes& planes = setup.geometry.planes;
  const WeightBlocks& blocks = setup.geometry.weights;
  const PositionRuns& runs = setup.geometry.positions;
  const Conv2dFusion& fused = setup.fused;
  const size_t block = task.block, run = task.chunk / runs.chunks_per_run;
  const size_t number = task.chunk % runs.chunks_per_run, first = number * runs.chunk;
  const bool is_last = number + 1 == runs.chunks_per_run;
  const size_t count = is_last ? runs.run_length - first : runs.chunk;
  const size_t begin = run * runs.run_stride + first;

  const Reduction reduction{.data = buffers.input.cells(),
                            .group_stride = planes.group_stride,
                            .offsets = planes.tap_offsets.data(),
                            .taps = planes.taps(),
                            .groups = planes.groups,
                            .weights = buffers.constants.weights + block * blocks.block_stride,
                            .is_narrow = task.data_is_narrow,
                            .tile_depth = blocks.depth};
  const Epilogue epilogue{static_cast<int>(setup.op->rshift), setup.op->relu, setup.rounding_folded,
                          fused.sum ? INT32_MIN : fused.floor};
  const int32_t* bias = buffers.constants.bias + block * blocks.rows;
  if (fused.sum) prefetch_addends(setup, block, begin, count);
  dot_byte_positions(is_signed(setup.op->weight.dtype), reduction, begin, begin + count,
                     [&](size_t row, size_t position, Ints sum) HWY_ATTR {
                       Ints acc = hn::Add(sum, hn::Set(I32(), bias[row]));
                       epilogue.store8(acc, staged + row * kStagedPitch + (position - begin));
                     });
  if (fused.sum) sum_rows(setup, block, begin, count, staged);
  write_rows(setup, setup.op->out, block, begin, count, staged);
  if (fused.copy) write_rows(setup, *fused.copy, block, begin, count, staged);
}

void build(Conv2dSetup& setup, const Conv2dBm1880& op, const Memory& memory) {
  const Flip flip(is_signed(op.in.dtype), is_signed(op.weight.dtype));
  const bool has_tiles = TPUTWIN_HAVE_TILES && tile_unit() != TileUnit::none;
  setup.build(op, memory,
              {kElements, kTileRows, kElements32, kTileVectors * kElements32, has_tiles},
              {flip.mask, flip.correction});
}

void multiply(const Conv2dSetup& setup, const Conv2dBuffers& buffers) {
  const Conv2dGeometry& geometry = setup.geometry;
  const bool is_narrow = TPUTWIN_HAVE_NARROW_STEPS && !buffers.input.has_wide_parts();
  // The larger operand is walked once: a piece of it stays in the cache while the other streams.
  const bool weights_outside = geometry.weights.size() > geometry.planes.size();
  const size_t chunks = geometry.positions.chunks(), blocks = geometry.weights.blocks;
  const size_t tasks = chunks * blocks;
  const size_t grain = geometry.is_small()
                           ? tasks
                           : grain_of(geometry.macs() / tasks + 1, Conv2dGeometry::kMacsPerTask);
  const auto convolve = [&](size_t begin, size_t end) {
    const TileScope tiles(kTileRows, geometry.weights.depth);
    for (size_t i = begin; i < end; ++i)
      convolve_task(setup, buffers,
                    weights_outside ? Conv2dTask{i / chunks, i % chunks, is_narrow}
                                    : Conv2dTask{i % blocks, i / blocks, is_narrow});
  };
  parallel_for(tasks, grain, std::cref(convolve));
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
  if (const Declined why = conv2d_declines(op, memory)) return why;
  return execute_onednn(op, memory);
}

// Returns this thread's constants for instructions that are not prepared.
Conv2dConstants& passing_constants() {
  thread_local Conv2dConstants constants;
  return constants;
}

Declined planes(const Conv2dBm1880& op, const Memory& memory) {
  if (const Declined why = conv2d_declines(op, memory)) return why;
  thread_local Conv2dSetup setup;
  TPUTWIN_DISPATCH(build)(setup, op, memory);
  const NewConstants constants = passing_constants().take(setup.geometry.weights);
  const Conv2dBuffers buffers{take_packed_input(setup.geometry.planes, 0, &setup).input, constants};
  TPUTWIN_DISPATCH(pack)(setup, &buffers.input, &constants);
  TPUTWIN_DISPATCH(multiply)(setup, buffers);
  return kRan;
}

// Keeps the plan of the convolution and its packed weights from run to run.
class PreparedConv2d final : public PreparedKernel, public Unpacking {
 public:
  PreparedConv2d(const Conv2dBm1880& op, const Memory& memory)
      : op_(op), constants_(std::make_shared<Conv2dConstants>()) {
    TPUTWIN_DISPATCH(build)(setup_, op_, memory);
  }

  bool share(const PreparedKernel& kernel) override {
    const auto* other = dynamic_cast<const PreparedConv2d*>(&kernel);
    if (other == nullptr || !same_constants(op_, other->op_) ||
        setup_.geometry.weights.depth != other->setup_.geometry.weights.depth)
      return false;
    constants_ = other->constants_;
    return true;
  }
  // max(saturate(x), floor) equals saturate(max(x, floor)) if the floor is a value of the result's
  // type.
  bool raise_to(int32_t floor) override {
    const std::optional<WeightedAddend>& sum = setup_.fused.sum;
    const bool is_unsigned = sum ? !is_signed(sum->out.dtype) : op_.relu;
    const bool is_value = is_unsigned ? floor >= 0 && floor <= 255 : floor >= -128 && floor <= 127;
    if (is_value) setup_.fused.floor = std::max(setup_.fused.floor, floor);
    return is_value;
  }
  bool add(const WeightedAddend& sum) override {
    // Products of 8-bit numbers, and 16-bit numbers times at most 2^8, fit in 32 bits.
    const auto is_byte = [](int32_t factor) { return factor >= -255 && factor <= 255; };
    if (setup_.fused.sum || setup_.fused.floor != INT32_MIN || sum.lshift > 8 || sum.rshift > 31 ||
        sum.addend_rshift > 31 || !is_byte(sum.factor) || !is_byte(sum.addend_factor))
      return false;
    setup_.fused.sum = sum;
    op_.out = sum.out;
    TPUTWIN_DISPATCH(build)(setup_, op_, *setup_.memory);
    return true;
  }
  bool takes_moves(const TensorView&) const override { return true; }
  bool can_write_twice() const override { return !setup_.fused.copy; }
  void move(Moved operand, const TensorView& where) override {
    TensorView& view = view_of(operand);
    const DType type = view.dtype;
    view = where;
    view.dtype = type;
    TPUTWIN_DISPATCH(build)(setup_, op_, *setup_.memory);
  }
  Copied copied() const override {
    return {&op_.in, PackedInput::words(setup_.geometry.planes) * sizeof(uint32_t)};
  }
  void copy_to(uint32_t slot) override { slot_ = slot; }
  bool share_copy(const PreparedKernel& kernel) override {
    const auto* other = dynamic_cast<const PreparedConv2d*>(&kernel);
    if (other == nullptr || !same_data(setup_, other->setup_)) return false;
    input_owner_ = other->input_owner_;
    slot_ = other->slot_;
    return true;
  }
  void pack(const Memory& memory) override {
    passing_constants() = {};  // the first run of the program is over
    setup_.memory = &memory;
    const NewConstants constants = constants_->renew_kept(setup_.geometry.weights);
    TPUTWIN_DISPATCH(pack)(setup_, nullptr, &constants);
    constants_->kept_are_packed();
  }
  void unpack(const Memory& memory) const override {
    unpack_weights(setup_, constants_->weights(), memory);
  }
  void run(const Memory& memory) override {
    setup_.memory = &memory;
    const TakenInput taken = take_packed_input(setup_.geometry.planes, slot_, input_owner_);
    const Conv2dBuffers buffers{taken.input, constants_->kept(setup_.geometry.weights)};
    const bool is_packed = taken.is_kept && input_owner_ != this;
    if (!is_packed) TPUTWIN_DISPATCH(pack)(setup_, &buffers.input, nullptr);
    TPUTWIN_DISPATCH(multiply)(setup_, buffers);
    if (is_traced()) [[unlikely]]
      trace_kernel(name(op_), "planes", kRan);
  }

 private:
  TensorView& view_of(Moved operand) {
    switch (operand) {
      case Moved::input:
        return op_.in;
      case Moved::addend:
        return setup_.fused.sum->addend;
      case Moved::second_result:
        return setup_.fused.copy.emplace(op_.out);
      case Moved::result:
        break;
    }
    return op_.out;
  }

  Conv2dBm1880 op_;  // the executed operation, with moves fused
  Conv2dSetup setup_;
  std::shared_ptr<Conv2dConstants> constants_;
  const void* input_owner_ = this;  // owner of the packed input (take_packed_input)
  uint32_t slot_ = 0;               // slot of the packed input
};

}  // namespace

TW_FAST_KERNELS(Conv2dBm1880, {"oneDNN", library}, {"planes", planes})

std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1880& op, const Memory& memory) {
  if (onednn_enabled() || conv2d_declines(op, memory) != nullptr) return nullptr;
  return std::make_unique<PreparedConv2d>(op, memory);
}

}  // namespace tputwin::fast
#endif
