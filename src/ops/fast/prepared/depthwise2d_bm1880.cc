// depthwise2d of the BM1880. Windows of 3x3 have a layout of their own, on processors with large
// vectors. Others compute sixteen results at a time from inputs that are read in place, where a
// permutation reaches them. Otherwise it uses vectors along rows that are laid out with their
// padding.
#define HWY_WANT_AVX3_DL  // permutes bytes
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/prepared/depthwise2d_bm1880.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "ops/conv/depthwise2d_bm1880.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"
#include "ops/fast/window/byte_sums-inl.h"
#include "ops/fast/window/bytes_of_three-inl.h"
#include "ops/fast/window/sliding-inl.h"

#ifndef TPUTWIN_FAST_DEPTHWISE2D_BM1880_ONCE
#define TPUTWIN_FAST_DEPTHWISE2D_BM1880_ONCE
namespace tputwin::fast {

// Weights in the order of steps, channel by channel, and start values of sums.
struct DepthwiseConstants {
  std::vector<uint32_t> weights;
  std::vector<int32_t> starts;
};

// An instruction, the positions of its inputs, and the floor of its results.
struct SlidingDepthwise {
  Depthwise2dBm1880 op;
  SignFlip flip = tile_kernels().sign_flip(is_signed(op.in.dtype), /*signed_left=*/true);
  SlidingBlocks blocks;
  BytesOfThree three = {};  // used if it covers the window
  int32_t floor = -128;

  // Packs the weights and biases that local memory holds.
  void pack(const Memory& memory, DepthwiseConstants& constants) const;
};

// The documents define no signedness of weight and bias. Both are signed.
inline int8_t weight_of(const Depthwise2dBm1880& op, const uint8_t* first, uint32_t kh,
                        uint32_t kw) {
  return static_cast<int8_t>(
      first[size_t{kh} * op.weight.stride.h + size_t{kw} * op.weight.stride.w]);
}
inline int32_t bias_of(const Depthwise2dBm1880& op, const Memory& memory, uint32_t c) {
  if (!op.bias) return 0;
  const uint8_t* low = memory.byte(*op.bias, 0, c, 0, 0);
  return static_cast<int16_t>(low[0] | low[op.bias->plane_stride] << 8);
}

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

void DepthwiseRow(const WeightedSum& sum, std::span<const TapRow> taps, bool is_signed,
                  uint8_t* out, size_t width) {
  is_signed ? WeightedRow<true>(sum, taps, out, width) : WeightedRow<false>(sum, taps, out, width);
}

SlidingBlocks::Permutes Permuted() { return kPermutes; }
bool HasThree() { return TPUTWIN_HAVE_BYTES_OF_THREE; }

void ThreeLanes([[maybe_unused]] const SlidingDepthwise& job,
                [[maybe_unused]] const DepthwiseConstants& constants,
                [[maybe_unused]] const Memory& memory, [[maybe_unused]] size_t begin,
                [[maybe_unused]] size_t end) {
#if TPUTWIN_HAVE_BYTES_OF_THREE
  const Depthwise2dBm1880& op = job.op;
  const auto padding = static_cast<uint8_t>(job.flip.mask);
  const ThreeLayout layout(job.three, job.flip.mask, job.three.padded_layouts(padding));
  const __m512i shift = _mm512_set1_epi32(static_cast<int>(op.rshift)),
                floor = _mm512_set1_epi8(static_cast<char>(job.floor));
  const auto planes = planes_of_slots(op.out.shape, memory.local.lanes(), begin, end);
  const auto in = [&](size_t i) -> const uint8_t* {
    return i < planes.size() ? memory.byte(op.in, planes[i].n, planes[i].c, 0, 0) : nullptr;
  };
  for (size_t i = 0; i < planes.size(); ++i) {
    const auto [n, c] = planes[i];
    const uint8_t* const from = layout.load(i, in);
    uint8_t* const out = memory.byte(op.out, n, c, 0, 0);
    SumsOfThree<SignedWeightsDot>(
        job.three, from, constants.weights.data() + c * BytesOfThree::kSide, constants.starts[c],
        [&](std::span<const BytesOfThree::Run> runs, const Ints* sums) HWY_ATTR {
          const __m512i bytes = _mm512_max_epi8(BytesInOrder(sums, shift), floor);
          for (const BytesOfThree::Run& run : runs)
            _mm512_mask_storeu_epi8(out + run.out, run.mask, bytes);
        });
  }
#endif
}

// Computes the channels of the slots [begin, end).
void SlideLanes([[maybe_unused]] const SlidingDepthwise& job,
                [[maybe_unused]] const DepthwiseConstants& constants,
                [[maybe_unused]] const Memory& memory, [[maybe_unused]] size_t begin,
                [[maybe_unused]] size_t end) {
#if TPUTWIN_HAVE_SLIDING
  const Depthwise2dBm1880& op = job.op;
  const size_t steps = job.blocks.steps_per_block();
  const auto shift = static_cast<int>(op.rshift);
  const Ints floor = ints(job.floor);
  for (const auto& [n, c] : planes_of_slots(op.out.shape, memory.local.lanes(), begin, end)) {
    uint8_t* const out = memory.byte(op.out, n, c, 0, 0);
    const SlidingInputs inputs{.first = memory.byte(op.in, n, c, 0, 0), .flip = job.flip.mask};
    SlidingChannel<SignedWeightsDot>(
        job.blocks, inputs, constants.weights.data() + c * steps, constants.starts[c],
        [&](const SlidingBlocks::Block& block, const Ints* sums) HWY_ATTR {
          alignas(16) int8_t results[SlidingBlocks::kResults];
          const bool is_whole = block.results == SlidingBlocks::kResults;
          auto* const to = is_whole ? reinterpret_cast<int8_t*>(out + block.out) : results;
          for (size_t part = 0; part < kSlidingParts; ++part) {
            const Ints shifted = hn::Max(hn::ShiftRightSame(sums[part], shift), floor);
            hn::StoreU(SaturatedBytes<int8_t>(I32(), shifted), hn::Rebind<int8_t, I32>(),
                       to + part * kElements32);
          }
          if (!is_whole) std::memcpy(out + block.out, results, block.results);
        });
  }
#endif
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

void SlidingDepthwise::pack(const Memory& memory, DepthwiseConstants& constants) const {
  const size_t steps = blocks.steps_per_block(), channels = op.out.shape.c;
  const int32_t half = op.rshift == 0 ? 0 : int32_t{1} << (op.rshift - 1);
  constants.weights.resize(channels * steps);
  constants.starts.resize(channels);
  for (uint32_t c = 0; c < channels; ++c) {
    const uint8_t* first = memory.byte(op.weight, 0, c, 0, 0);
    int32_t sum = 0;
    const auto weight = [&](uint32_t kh, uint32_t kw) {
      const int8_t value = weight_of(op, first, kh, kw);
      sum += value;
      return value;
    };
    blocks.steps_of_weights(weight, constants.weights.data() + c * steps);
    constants.starts[c] = bias_of(op, memory, c) + half + flip.correction * sum;
  }
}

namespace {

HWY_EXPORT(DepthwiseRow);
HWY_EXPORT(HasThree);
HWY_EXPORT(Permuted);
HWY_EXPORT(SlideLanes);
HWY_EXPORT(ThreeLanes);

// Returns why no kernel here covers the operands, or nullptr if one does.
Declined declines(const Depthwise2dBm1880& op, const Memory& memory) {
  if (op.rshift > 31) return "a shift of more than 31";
  if (const Declined why = byte_rows_decline(op.window, op.in, op.out)) return why;
  const Shape& kernel = op.weight.shape;
  if (op.weight.space != Space::local || kernel.h != op.window.h.kernel ||
      kernel.w != op.window.w.kernel)
    return "weights are not of the window, or not in lanes";
  for (const TensorView* source : {&op.in, &op.weight, tensor_of(op.bias)})
    if (source != nullptr && !disjoint(op.out, *source, memory.local))
      return "results overlap a source";
  return kRan;
}

// Sets up a job of sixteen results at a time. Returns why it cannot, or nullptr.
Declined set_up(SlidingDepthwise& job) {
  const Depthwise2dBm1880& op = job.op;
  // sums, biases and the rounding addend stay inside 32 bits
  constexpr size_t kMostTaps = 4096;
  if (size_t{op.window.h.kernel} * op.window.w.kernel > kMostTaps) return "a large window";
  if (!job.blocks.build(op.window, op.in, op.out, TPUTWIN_DISPATCH(Permuted)()))
    return "no permutation reaches the inputs of results";
  job.three = {};
  if (TPUTWIN_DISPATCH(HasThree)())
    job.three.build(op.window, op.in, op.out.shape, op.out.stride.h);
  return kRan;
}

void slide(const SlidingDepthwise& job, const DepthwiseConstants& constants, const Memory& memory) {
  constexpr uint64_t kMacsPerTask = 64 << 10;
  const Slots slots = local_slots(job.op.out.shape, memory.local);
  const uint64_t macs = job.op.out.shape.count() * job.op.window.h.kernel * job.op.window.w.kernel;
  const auto lanes = [&](size_t begin, size_t end) {
    if (job.three)
      TPUTWIN_DISPATCH(ThreeLanes)(job, constants, memory, begin, end);
    else
      TPUTWIN_DISPATCH(SlideLanes)(job, constants, memory, begin, end);
  };
  parallel_for(slots.count, grain_of(macs / slots.count, kMacsPerTask), std::cref(lanes));
}

Declined sliding_blocks(const Depthwise2dBm1880& op, const Memory& memory) {
  if (const Declined why = declines(op, memory)) return why;
  SlidingDepthwise job{.op = op, .blocks = {}};
  if (const Declined why = set_up(job)) return why;
  DepthwiseConstants constants;
  job.pack(memory, constants);
  slide(job, constants, memory);
  return kRan;
}

Declined byte_rows(const Depthwise2dBm1880& op, const Memory& memory) {
  if (const Declined why = declines(op, memory)) return why;
  constexpr uint64_t kMacsPerTask = 256 << 10;
  for_each_byte_channel(op.window, op.in, op.out.shape, 0, kMacsPerTask, memory,
                        [&](uint32_t n, uint32_t c, const WindowRows& rows) {
                          thread_local WeightedSum sum;
                          const uint8_t* first = memory.byte(op.weight, 0, c, 0, 0);
                          sum.weights.clear();
                          for (uint32_t kh = 0; kh < op.window.h.kernel; ++kh)
                            for (uint32_t kw = 0; kw < op.window.w.kernel; ++kw)
                              sum.weights.push_back(weight_of(op, first, kh, kw));
                          sum.start = bias_of(op, memory, c);
                          sum.rshift = static_cast<int>(op.rshift);
                          sum.low = -128, sum.high = 127;
                          uint8_t* out = memory.byte(op.out, n, c, 0, 0);
                          for (uint32_t y = 0; y < op.out.shape.h; ++y, out += op.out.stride.h)
                            TPUTWIN_DISPATCH(DepthwiseRow)
                          (sum, rows.taps(y), is_signed(op.in.dtype), out, op.out.shape.w);
                        });
  return kRan;
}

// Keeps the positions of the inputs and the packed weights.
class PreparedDepthwise2d final : public PreparedKernel {
 public:
  explicit PreparedDepthwise2d(const Depthwise2dBm1880& op)
      : job_{.op = op, .blocks = {}}, constants_(std::make_shared<DepthwiseConstants>()) {}
  bool is_covered() { return set_up(job_) == kRan; }

  bool share(const PreparedKernel& prepared) override {
    const auto* other = dynamic_cast<const PreparedDepthwise2d*>(&prepared);
    if (other == nullptr) return false;
    const Depthwise2dBm1880 &a = job_.op, &b = other->job_.op;
    if (a.weight != b.weight || a.bias != b.bias || a.rshift != b.rshift ||
        is_signed(a.in.dtype) != is_signed(b.in.dtype))
      return false;
    constants_ = other->constants_;
    return true;
  }
  bool raise_to(int32_t floor) override {
    const bool is_value = is_signed(job_.op.out.dtype) && floor >= -128 && floor <= 127;
    if (is_value) job_.floor = std::max(job_.floor, floor);
    return is_value;
  }
  bool takes_moves(const TensorView&) const override { return true; }
  // Other strides of rows stay covered, because inputs of a row stay contiguous.
  void move(Moved operand, const TensorView& where) override {
    if (operand != Moved::input && operand != Moved::result) return;
    TensorView& view = operand == Moved::input ? job_.op.in : job_.op.out;
    const DType type = view.dtype;
    view = where;
    view.dtype = type;
    static_cast<void>(set_up(job_));
  }
  void pack(const Memory& memory) override { job_.pack(memory, *constants_); }
  void run(const Memory& memory) override {
    slide(job_, *constants_, memory);
    if (is_traced()) [[unlikely]]
      trace_kernel(name(job_.op), "sliding blocks", kRan);
  }

 private:
  SlidingDepthwise job_;
  std::shared_ptr<DepthwiseConstants> constants_;
};

}  // namespace

TW_FAST_KERNELS(Depthwise2dBm1880, {"sliding blocks", sliding_blocks}, {"byte rows", byte_rows})

std::unique_ptr<PreparedKernel> prepare(const Depthwise2dBm1880& op, const Memory& memory) {
  if (declines(op, memory) != kRan) return nullptr;
  auto prepared = std::make_unique<PreparedDepthwise2d>(op);
  return prepared->is_covered() ? std::move(prepared) : nullptr;
}

}  // namespace tputwin::fast
#endif
