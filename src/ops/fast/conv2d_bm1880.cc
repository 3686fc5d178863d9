// conv2d as dot products: the input is repacked once per instruction so that neighbouring output
// positions are neighbouring dwords of four channels (two, as words, where the processor has no
// byte products). Sums then come out planar, as lane memory wants them.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/conv2d_bm1880.cc"
#include "ops/fast/select/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/fast.h"
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

// kJoined bytes that lie `step` apart, `count` of which there are. Of those two apart the ones
// between, too, are read.
HWY_INLINE void gather_bytes(const uint8_t* from, size_t step, size_t count, uint8_t* to) {
  if (step == 2) {
    const hn::CappedTag<uint8_t, kJoined> d;
    hn::Vec<decltype(d)> wanted, between;
    hn::LoadInterleaved2(d, from, wanted, between);
    return hn::StoreU(wanted, d, to);
  }
  for (size_t k = 0; k < count; ++k) to[k] = from[k * step];
}

// Columns that a stride or zero insertion keeps apart on either side.
void pack_spread(const uint8_t* const* channel, const PlannedColumns& c, bool is_signed,
                 uint32_t flip, uint32_t* to) {
  uint8_t gathered[kElements][kJoined] = {};
  const uint8_t* rows[kElements];
  alignas(64) int32_t joined[kLanes32];
  for (size_t e = 0; e < kElements; ++e) rows[e] = gathered[e];
  for (size_t i = 0; i < c.count; i += kLanes32) {
    const size_t n = std::min<size_t>(kLanes32, c.count - i);
    for (size_t e = 0; e < kElements; ++e)
      gather_bytes(channel[e] + i * c.source_step, c.source_step, n, gathered[e]);
    const Ints columns = join_columns(rows, 0, is_signed, flip);
    if (c.step == 1 && n == kLanes32) {
      hn::StoreU(columns, I32(), reinterpret_cast<int32_t*>(to + i));
      continue;
    }
    hn::Store(columns, I32(), joined);
    for (size_t k = 0; k < n; ++k) to[(i + k) * c.step] = static_cast<uint32_t>(joined[k]);
  }
}

// Parts of the input that are packed by themselves.
constexpr size_t kPackedAtOnce = 4;

// Rows [first, end) of every plane.
struct PlaneRows {
  uint32_t first, end;
};

// Those of one plane for one group of channels and one image. What lies behind them is another
// task's.
void pack_plane(const Conv2dPlan& plan, const uint8_t* const* channel, size_t ph, size_t pw,
                const PlaneRows& rows, uint32_t* to) {
  const TensorView& in = plan.op->in;
  const PlannedColumns& c = plan.columns[pw];
  const bool is_signed_input = is_signed(in.dtype);
  const size_t width = plan.w.extent;
  to += rows.first * width;
  for (uint32_t row = rows.first; row < rows.end; ++row, to += width) {
    int64_t y = plan.h.source(ph, row);
    if (y < 0 || c.count == 0) {
      std::fill_n(to, width, plan.flip);
      continue;
    }
    const uint8_t* source[kElements];
    for (size_t e = 0; e < kElements; ++e)
      source[e] = channel[e] + static_cast<size_t>(y) * in.stride.h + c.source;
    if (c.step != 1 || c.source_step != 1) {
      std::fill_n(to, width, plan.flip);
      pack_spread(source, c, is_signed_input, plan.flip, to + c.first);
      continue;
    }
    std::fill_n(to, c.first, plan.flip);
    const bool has_room = (rows.end - row) * width >= c.first + align_up(c.count, kLanes32);
    const auto join = has_room ? join_run : join_run_exactly;
    join(source, c.count, is_signed_input, plan.flip, to + c.first);
    std::fill_n(to + c.first + c.count, width - c.first - c.count, plan.flip);
  }
}

// Planes equal to the input's own: one run per image and channel.
bool is_plain(const Conv2dPlan& plan) {
  const Shape& in = plan.op->in.shape;
  const PlannedColumns& c = plan.columns[0];
  auto plain = [](const PlannedAxis& a, uint32_t extent) {
    return a.start.size() == 1 && a.extent == extent && a.axis.stride == 1 && a.axis.insert == 0 &&
           a.axis.pad_before == 0;
  };
  return plain(plan.h, in.h) && plain(plan.w, in.w) && c.count == in.w &&
         (in.h == 1 || plan.op->in.stride.h == in.w);
}

void pack_input(const Conv2dPlan& plan, size_t group, const PlaneRows& rows) {
  const TensorView& in = plan.op->in;
  uint32_t* to = plan.data + group * plan.group_stride;
  const bool plain = is_plain(plan);
  const size_t width = plan.w.extent, image = plan.h.extent * width;
  for (size_t ph = 0; ph < plan.h.start.size(); ++ph)
    for (size_t pw = 0; pw < plan.w.start.size(); ++pw)
      for (uint32_t n = 0; n < plan.op->out.shape.n; ++n, to += image) {
        const uint8_t* channel[kElements];
        for (size_t e = 0; e < kElements; ++e) {
          // Channels past the last have zero weights: any data will do.
          size_t c = std::min<size_t>(group * kElements + e, in.shape.c - 1);
          channel[e] =
              plan.memory->byte(in, n, static_cast<uint32_t>(c), plain ? rows.first : 0, 0);
        }
        if (plain)
          join_run_exactly(channel, (rows.end - rows.first) * width, is_signed(in.dtype), plan.flip,
                           to + rows.first * width);
        else
          pack_plane(plan, channel, ph, pw, rows, to);
      }
}

// The weights of a block of output channels for one tap.
void pack_tap(const Conv2dPlan& plan, size_t block, size_t t, uint32_t* to) {
  const TensorView& weight = plan.op->weight;
  const size_t pitch = plan.taps() * kTileRows, in_channels = plan.op->in.shape.c;
  const uint8_t* from[kTileRows];
  [[maybe_unused]] bool whole = true;
  for (size_t row = 0; row < kTileRows; ++row) {
    const auto oc = static_cast<uint32_t>(block * kTileRows + row);
    const bool exists = oc < plan.op->out.shape.c;
    whole &= exists;
    from[row] = exists ? plan.memory->byte(weight, 0, oc, static_cast<uint32_t>(t / weight.shape.w),
                                           static_cast<uint32_t>(t % weight.shape.w))
                       : nullptr;
  }
  size_t g = 0;
#if TPUTWIN_HAVE_BYTE_DOT
  if (whole)
    for (; (g + kInterleaved) * kElements <= in_channels; g += kInterleaved)
      interleave_rows(from, g * kElements, to + g * pitch, pitch);
#endif
  for (; g < plan.groups; ++g)
    for (size_t row = 0; row < kTileRows; ++row)
      to[g * pitch + row] = from[row] == nullptr
                                ? 0
                                : join_bytes(from[row] + g * kElements, in_channels - g * kElements,
                                             is_signed(weight.dtype));
}

// The weights of a block of output channels, and their biases with all corrections.
void pack_block(const Conv2dPlan& plan, size_t block) {
  const Conv2dBm1880& op = *plan.op;
  uint32_t* weights = plan.weights + block * plan.block_stride;
  for (size_t t = 0; t < plan.taps(); ++t) pack_tap(plan, block, t, weights + t * kTileRows);
  const size_t packed = plan.groups * plan.taps() * kTileRows;
  std::fill(weights + packed, weights + plan.block_stride, 0);
  int32_t sums[kTileRows];
  if (plan.flip != 0) sum_weights(weights, plan.block_stride, is_signed(op.weight.dtype), sums);
  for (size_t row = 0; row < plan.rows; ++row) {
    auto oc = static_cast<uint32_t>(block * plan.rows + row);
    int64_t bias = 0;
    if (op.bias && oc < op.out.shape.c) bias = plan.memory->read(*op.bias, 0, oc, 0, 0);
    if (plan.flip != 0) bias += int64_t{sums[row]} * plan.flip_correction;
    if (plan.rounding_folded) bias += rounding(op.rshift);
    plan.bias[block * plan.rows + row] = wrap32(bias);
  }
}

// Bytes of a block's results for each channel: the most that a task has, and what whole vectors
// read and write behind them.
constexpr size_t kStaged = Conv2dPlan::kTilesAtOnce * kTileVectors * kLanes32, kStagedPitch = kStaged + 2 * kLanes32;

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

// One block of output channels at one chunk of positions.
void convolve_task(const Conv2dPlan& plan, size_t block, size_t chunk) {
  alignas(64) uint8_t staged[kTileRows * kStagedPitch];
  const size_t run = chunk / plan.chunks_per_run;
  const size_t number = chunk % plan.chunks_per_run, first = number * plan.chunk;
  const bool is_last = number + 1 == plan.chunks_per_run;
  const size_t count = is_last ? plan.run_length - first : plan.chunk;
  const size_t begin = run * plan.run_stride + first;

  const Reduction reduction{
      plan.data,   plan.group_stride, plan.tap_offsets.data(),
      plan.taps(), plan.groups,       plan.weights + block * plan.block_stride};
  const Epilogue epilogue{static_cast<int>(plan.op->rshift), plan.op->relu, plan.rounding_folded,
                          plan.sum ? INT32_MIN : plan.floor};
  const int32_t* bias = plan.bias + block * plan.rows;
  dot_byte_positions(is_signed(plan.op->weight.dtype), reduction, begin, begin + count,
                     [&](size_t row, size_t position, Ints sum) HWY_ATTR {
                       Ints acc = hn::Add(sum, hn::Set(I32(), bias[row]));
                       epilogue.store8(acc, staged + row * kStagedPitch + (position - begin));
                     });
  if (plan.sum) sum_rows(plan, block, begin, count, staged);
  write_rows(plan, plan.op->out, block, begin, count, staged);
  if (plan.copy) write_rows(plan, *plan.copy, block, begin, count, staged);
}

void build(Conv2dPlan& plan, const Conv2dBm1880& op, const Memory& memory) {
  plan.build(op, memory, kElements, kTileRows, kLanes32, kTileVectors * kLanes32);
  const Flip flip(is_signed(op.in.dtype), is_signed(op.weight.dtype));
  plan.flip = flip.mask;
  plan.flip_correction = flip.correction;
}

// The larger operand is walked once: its piece stays in the cache while the other streams by.
bool weights_outside(const Conv2dPlan& plan) {
  return plan.blocks * plan.block_stride > plan.groups * plan.group_stride;
}

// The copies of the input and, if wanted, of the weights. Few channels are packed in parts, so that
// they are work for several threads.
void pack(Conv2dPlan& plan, bool input, bool weights) {
  const size_t groups = input ? plan.groups : 0, blocks = weights ? plan.blocks : 0;
  const bool in_parts = !plan.is_small() && groups < kPackedAtOnce;
  const size_t parts = in_parts ? std::min<size_t>(kPackedAtOnce, plan.h.extent) : 1;
  const size_t pieces = groups * parts;
  const auto rows = [&plan, parts](size_t part) {
    const auto first = [&](size_t i) { return static_cast<uint32_t>(plan.h.extent * i / parts); };
    return PlaneRows{first(part), first(part + 1)};
  };
  const auto pack_pieces = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      i < pieces ? pack_input(plan, i % groups, rows(i / groups)) : pack_block(plan, i - pieces);
  };
  parallel_for(pieces + blocks, plan.is_small() ? pieces + blocks : 1, std::cref(pack_pieces));
}

void multiply(Conv2dPlan& plan) {
  const bool by_weights = weights_outside(plan);
  const size_t chunks = plan.runs * plan.chunks_per_run, tasks = chunks * plan.blocks;
  const size_t grain =
      plan.is_small() ? tasks : grain_of(plan.macs() / tasks + 1, Conv2dPlan::kMacsPerTask);
  const auto convolve = [&plan, chunks, by_weights](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      by_weights ? convolve_task(plan, i / chunks, i % chunks)
                 : convolve_task(plan, i % plan.blocks, i / plan.blocks);
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
  plan.take_data(&plan);
  TPUTWIN_DISPATCH(pack)(plan, true, true);
  TPUTWIN_DISPATCH(multiply)(plan);
  return kRan;
}

// Keeps the planes and the packed weights.
class PreparedConv2d final : public PreparedBody, public Unpacking {
 public:
  PreparedConv2d(const Conv2dBm1880& op, const Memory& memory)
      : op_(op), constants_(std::make_shared<Conv2dConstants>()) {
    TPUTWIN_DISPATCH(build)(plan_, op_, memory);
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
    TPUTWIN_DISPATCH(build)(plan_, op_, *plan_.memory);
    return true;
  }
  bool takes_moves(const TensorView&) const override { return true; }
  void read_from(const TensorView& where) override { move(op_.in, where); }
  void read_addend_from(const TensorView& where) override { move(plan_.sum->addend, where); }
  void write_to(const TensorView& where) override { move(op_.out, where); }
  const TensorView* copied_input() const override { return &op_.in; }
  bool share_copy(const PreparedBody& body) override {
    const auto* other = dynamic_cast<const PreparedConv2d*>(&body);
    if (other == nullptr || !same_data(plan_, other->plan_)) return false;
    copy_ = other->copy_;
    return true;
  }
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
    const bool is_packed = plan_.take_data(copy_) && copy_ != this;
    if (!is_packed) TPUTWIN_DISPATCH(pack)(plan_, true, false);
    TPUTWIN_DISPATCH(multiply)(plan_);
    if (is_traced()) [[unlikely]]
      trace_body(name(op_), "planes", kRan);
  }

 private:
  void move(TensorView& operand, const TensorView& where) {
    const DType type = operand.dtype;
    operand = where;
    operand.dtype = type;
    TPUTWIN_DISPATCH(build)(plan_, op_, *plan_.memory);
  }

  Conv2dBm1880 op_;  // as it is carried out: in place of moves
  Conv2dPlan plan_;
  std::shared_ptr<Conv2dConstants> constants_;
  const void* copy_ = this;  // whose packed input it is
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
