// 8-bit depthwise2d of the BM1684X with constant weights. Windows of 3x3 have a layout of their
// own, on processors with large vectors. Others compute sixteen sums at a time from inputs that are
// read in place. The epilogue of a plane of sums follows, including fused instructions.
#define HWY_WANT_AVX3_DL  // permutes bytes
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/prepared/depthwise2d_bm1684x_int8.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/gemm/epilogue/sum_epilogue.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/window/bytes_of_three-inl.h"
#include "ops/fast/window/sliding-inl.h"

#ifndef TPUTWIN_FAST_DEPTHWISE2D_BM1684X_ONCE
#define TPUTWIN_FAST_DEPTHWISE2D_BM1684X_ONCE
namespace tputwin::fast {

// A plane of sums of one channel.
struct SlidingPlane {
  const SlidingBlocks* blocks;
  const BytesOfThree* three;  // used if it covers the window
  uint8_t* layouts;           // for `three`
  size_t number;              // of the plane, counted by its thread
  const uint8_t* in;
  const uint8_t *next, *after_next;  // or nullptr
  uint8_t padding;
  uint32_t flip;
  bool signed_weights;
  const uint32_t* weights;
  int32_t start;
  uint32_t* sums;  // whole vectors are written
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

SlidingBlocks::Permutes PermutedInts() { return kPermutes; }
bool HasThreeInts() { return TPUTWIN_HAVE_BYTES_OF_THREE; }

void ThreePlane([[maybe_unused]] const SlidingPlane& plane) {
#if TPUTWIN_HAVE_BYTES_OF_THREE
  const auto store = [&](std::span<const BytesOfThree::Run> runs, const Ints* sums) HWY_ATTR {
    __m512i quarters[ThreeCells::kGroups];
    SumsInOrder(sums, quarters);
    for (const BytesOfThree::Run& run : runs) {
      uint32_t* to = plane.sums + run.out;
      for (size_t q = 0; q < ThreeCells::kGroups; ++q, to += kElements32)
        if (const auto mask = static_cast<__mmask16>(run.mask >> q * kElements32); mask != 0)
          _mm512_mask_storeu_epi32(to, mask, quarters[q]);
    }
  };
  const ThreeLayout layout(*plane.three, plane.flip, plane.layouts);
  const uint8_t* const planes[] = {plane.in, plane.next, plane.after_next};
  const uint8_t* const from =
      layout.load(plane.number, [&](size_t i) { return planes[i - plane.number]; });
  if (plane.signed_weights)
    SumsOfThree<SignedWeightsDot>(*plane.three, from, plane.weights, plane.start, store);
  else
    SumsOfThree<UnsignedWeightsDot>(*plane.three, from, plane.weights, plane.start, store);
#endif
}

void SlidePlane([[maybe_unused]] const SlidingPlane& plane) {
#if TPUTWIN_HAVE_SLIDING
  const auto store = [&](const SlidingBlocks::Block& block, const Ints* sums) HWY_ATTR {
    // Whole vectors are stored. The next block overwrites the sums after the last result.
    for (size_t part = 0; part < kSlidingParts; ++part)
      hn::StoreU(sums[part], I32(),
                 reinterpret_cast<int32_t*>(plane.sums + block.out + part * kElements32));
  };
  const SlidingInputs inputs{plane.in, plane.padding, plane.flip};
  if (plane.signed_weights)
    SlidingChannel<SignedWeightsDot>(*plane.blocks, inputs, plane.weights, plane.start, store);
  else
    SlidingChannel<UnsignedWeightsDot>(*plane.blocks, inputs, plane.weights, plane.start, store);
#endif
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(HasThreeInts);
HWY_EXPORT(PermutedInts);
HWY_EXPORT(SlidePlane);
HWY_EXPORT(ThreePlane);

// Weights in the order of steps, channel by channel, with start values and epilogues of sums.
struct IntDepthwiseConstants {
  std::vector<uint32_t> weights;
  std::vector<int32_t> starts;
  std::vector<int64_t> late;  // addend in 64 bits
  std::vector<SumEpilogue::Channel> epilogues;
};

bool is_signed_weight(const Depthwise2dBm1684xInt8& op) { return is_signed(op.weight.view.dtype); }

Declined declines(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  const Window& window = op.window;
  if (is_empty(op.in.shape) || is_empty(op.out.shape) || !has_byte_rows(op.in) ||
      !has_elements(op.out) || !has_dense_rows(op.out))
    return "no rows of bytes in lanes";
  const auto extent = [](const Axis& axis, uint32_t inputs, uint32_t outputs) {
    return axis.insert == 0 && axis.insert_last == 0 && axis.stride != 0 && axis.dilation != 0 &&
           axis.output(inputs) == outputs;
  };
  if (window.pads != PadMode::constant || !op.padding.is_constant ||
      !extent(window.h, op.in.shape.h, op.out.shape.h) ||
      !extent(window.w, op.in.shape.w, op.out.shape.w) || op.in.shape.n != op.out.shape.n)
    return "inserted elements, or the padding is no number";
  constexpr uint64_t kMostTaps = 4096, kMostSums = 1 << 20;
  if (uint64_t{window.h.kernel} * window.w.kernel > kMostTaps ||
      uint64_t{op.out.shape.h} * op.out.shape.w > kMostSums)
    return "a large window or plane";
  if (op.weight.is_constant) return "one weight for all";
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  if (!has_elements(*weight) || (bias != nullptr && !has_elements(*bias)))
    return "weights are no elements in lanes";
  return overlap(op.out, {&op.in, weight, bias}, memory.local);
}

class PreparedIntDepthwise final : public PreparedKernel {
 public:
  PreparedIntDepthwise(const Depthwise2dBm1684xInt8& op, const Memory& memory)
      : op_(op),
        memory_(memory),
        kernels_(tile_kernels()),
        flip_(kernels_.sign_flip(is_signed(op.in.dtype), is_signed_weight(op))),
        constants_(std::make_shared<IntDepthwiseConstants>()) {}
  // Returns true if the operands are covered. Results are numbered row by row.
  bool is_covered() {
    TensorView sums = op_.out;
    sums.stride = {0, 0, sums.shape.w, 1};
    three_ = {};
    if (TPUTWIN_DISPATCH(HasThreeInts)())
      three_.build(op_.window, op_.in, sums.shape, sums.shape.w);
    return blocks_.build(op_.window, op_.in, sums, TPUTWIN_DISPATCH(PermutedInts)());
  }

  bool share(const PreparedKernel& prepared) override;
  bool fuse_epilogue(std::span<const Operation* const> epilogue,
                     std::span<const ByteRange> live_out) override {
    return op_.rshift == 0 && !op_.relu && epilogue_.fuse(epilogue, op_.out, live_out, memory_);
  }
  bool takes_moves(const TensorView&) const override { return true; }
  bool can_write_twice() const override { return !copy_; }
  void move(Moved operand, const TensorView& where) override;
  void pack(const Memory& memory) override;
  void run(const Memory&) override {
    slide();
    if (is_traced()) [[unlikely]]
      trace_kernel(name(op_), "sliding blocks", kRan);
  }
  void slide() const;

 private:
  void pack_channel(uint32_t c);
  // Runs plane i of those that a thread has.
  void run_channel(std::span<const ChannelPlane> planes, size_t i, uint32_t* sums,
                   uint8_t* layouts) const;
  const TensorView& out() const { return epilogue_.any() ? epilogue_.out() : op_.out; }
  // Converts the sums of one channel to elements.
  void end_plane(uint32_t n, uint32_t c, const uint32_t* sums, const TensorView& to) const;
  void end(uint32_t c, const uint32_t* sums, size_t count, uint8_t* to) const;
  void end_late(uint32_t c, const uint32_t* sums, size_t count, uint8_t* to) const;

  Depthwise2dBm1684xInt8 op_;  // the executed operation, with moves fused
  std::optional<TensorView> copy_;
  const Memory memory_;
  const TileKernels kernels_;
  const SignFlip flip_;
  SlidingBlocks blocks_;
  BytesOfThree three_;
  SumEpilogue epilogue_;
  std::shared_ptr<IntDepthwiseConstants> constants_;
};

void PreparedIntDepthwise::move(Moved operand, const TensorView& where) {
  if (operand == Moved::input) {
    put(op_.in, where);
    static_cast<void>(is_covered());  // inputs of a row stay contiguous
  }
  if (operand == Moved::result) put(epilogue_.any() ? epilogue_.out() : op_.out, where);
  if (operand == Moved::second_result) put(copy_.emplace(out()), where);
}

bool PreparedIntDepthwise::share(const PreparedKernel& prepared) {
  const auto* other = dynamic_cast<const PreparedIntDepthwise*>(&prepared);
  if (other == nullptr) return false;
  const Depthwise2dBm1684xInt8 &a = op_, &b = other->op_;
  if (!same_source(a.weight, b.weight) || a.bias != b.bias || a.constant_bias != b.constant_bias ||
      a.is_rotated != b.is_rotated || a.in.dtype != b.in.dtype ||
      a.window.h.kernel != b.window.h.kernel || a.window.w.kernel != b.window.w.kernel ||
      epilogue_ != other->epilogue_)
    return false;
  constants_ = other->constants_;
  return true;
}

void PreparedIntDepthwise::pack(const Memory&) {
  const size_t channels = op_.out.shape.c;
  constants_->weights.resize(channels * blocks_.steps_per_block());
  constants_->starts.resize(channels);
  constants_->late.assign(channels, 0);
  constants_->epilogues.resize(channels);
  for (uint32_t c = 0; c < channels; ++c) pack_channel(c);
}

// Sums stay inside 32 bits. A bias that would make them overflow is added later.
void PreparedIntDepthwise::pack_channel(uint32_t c) {
  constexpr int64_t kMaxBias = int64_t{1} << 30;
  int64_t sum = 0, magnitudes = 0;
  const auto weight = [&](uint32_t kh, uint32_t kw) {
    const WeightPlace at = weight_place(op_.window, op_.is_rotated, kh, kw);
    const auto value = static_cast<int32_t>(read_integer(memory_, op_.weight, 0, c, at.h, at.w));
    sum += value;
    magnitudes += std::abs(value);
    return value;
  };
  blocks_.steps_of_weights(weight, constants_->weights.data() + c * blocks_.steps_per_block());
  const int64_t bias = bias_at(op_, memory_, c);
  const bool is_late = std::abs(bias) > kMaxBias;
  int64_t start = sum * flip_.correction + (is_late ? 0 : bias);
  if (is_late) constants_->late[c] = bias;
  if (epilogue_.any()) {
    SumEpilogue::Channel& channel = constants_->epilogues[c] =
        epilogue_.of_channel(c, 255 * magnitudes + std::abs(bias), memory_);
    if (is_late) channel.is_plain = false;
    if (channel.is_plain) start += channel.addend;
  }
  constants_->starts[c] = static_cast<int32_t>(start);
}

void PreparedIntDepthwise::slide() const {
  constexpr uint64_t kMacsPerTask = 128 << 10;
  const Shape& s = op_.out.shape;
  const Slots slots = local_slots(s, memory_.local);
  const uint64_t macs = s.count() * op_.window.h.kernel * op_.window.w.kernel;
  const auto lanes = [&](size_t begin, size_t end) {
    thread_local Scratch scratch;
    uint32_t* sums = scratch.take<uint32_t>(uint64_t{s.h} * s.w + kTilePitch);
    const auto padding = static_cast<uint8_t>(op_.padding.constant ^ flip_.mask);
    uint8_t* const layouts = three_ ? three_.padded_layouts(padding) : nullptr;
    const auto planes = planes_of_slots(s, slots.lanes, begin, end);
    for (size_t i = 0; i < planes.size(); ++i) run_channel(planes, i, sums, layouts);
  };
  parallel_for(slots.count, grain_of(macs / slots.count, kMacsPerTask), std::cref(lanes));
}

void PreparedIntDepthwise::run_channel(std::span<const ChannelPlane> planes, size_t i,
                                       uint32_t* sums, uint8_t* layouts) const {
  const auto [n, c] = planes[i];
  const auto in = [&](size_t plane) -> const uint8_t* {
    if (plane != i && (!three_ || plane >= planes.size())) return nullptr;
    return memory_.byte(op_.in, planes[plane].n, planes[plane].c, 0, 0);
  };
  const SlidingPlane plane{.blocks = &blocks_,
                           .three = &three_,
                           .layouts = layouts,
                           .number = i,
                           .in = in(i),
                           .next = in(i + 1),
                           .after_next = in(i + 2),
                           .padding = static_cast<uint8_t>(op_.padding.constant),
                           .flip = flip_.mask,
                           .signed_weights = is_signed_weight(op_),
                           .weights = constants_->weights.data() + c * blocks_.steps_per_block(),
                           .start = constants_->starts[c],
                           .sums = sums};
  three_ ? TPUTWIN_DISPATCH(ThreePlane)(plane) : TPUTWIN_DISPATCH(SlidePlane)(plane);
  if (epilogue_.any())
    epilogue_.write_live_out({n, c, 0, op_.out.shape.h * op_.out.shape.w}, sums,
                             constants_->epilogues[c], memory_, constants_->late[c]);
  end_plane(n, c, sums, out());
  if (copy_) end_plane(n, c, sums, *copy_);
}

void PreparedIntDepthwise::end_plane(uint32_t n, uint32_t c, const uint32_t* sums,
                                     const TensorView& to) const {
  const uint32_t width = to.shape.w, bytes = element_bytes(to.dtype);
  if (to.stride.h == width * bytes)
    return end(c, sums, size_t{to.shape.h} * width, memory_.byte(to, n, c, 0, 0));
  for (uint32_t y = 0; y < to.shape.h; ++y)
    end(c, sums + size_t{y} * width, width, memory_.byte(to, n, c, y, 0));
}

void PreparedIntDepthwise::end(uint32_t c, const uint32_t* sums, size_t count, uint8_t* to) const {
  if (constants_->late[c] != 0) return end_late(c, sums, count, to);
  if (epilogue_.any()) return epilogue_.apply(sums, count, constants_->epilogues[c], kernels_, to);
  const uint32_t bytes = element_bytes(op_.out.dtype);
  const Quantizing quantizing{.relu = op_.relu,
                              .rshift = op_.rshift,
                              .rounding = op_.rounding,
                              .low = saturate(INT32_MIN, op_.out.dtype),
                              .high = saturate(INT32_MAX, op_.out.dtype)};
  if (bytes < 4) return kernels_.quantize(sums, count, quantizing, bytes, to);
  if (!op_.relu && op_.rshift == 0 && is_signed(op_.out.dtype))
    return static_cast<void>(std::memcpy(to, sums, count * bytes));
  for (size_t i = 0; i < count; ++i, to += bytes) {
    const int32_t result =
        quantized(static_cast<int32_t>(sums[i]), op_.relu, op_.rshift, op_.rounding, op_.out.dtype);
    std::memcpy(to, &result, bytes);
  }
}

void PreparedIntDepthwise::end_late(uint32_t c, const uint32_t* sums, size_t count,
                                    uint8_t* to) const {
  const uint32_t bytes = element_bytes(out().dtype);
  for (size_t i = 0; i < count; ++i, to += bytes) {
    const int64_t sum = static_cast<int32_t>(sums[i]) + constants_->late[c];
    int32_t result = quantized(sum, op_.relu, op_.rshift, op_.rounding, op_.out.dtype);
    if (epilogue_.any()) result = epilogue_.apply_to_one(result, constants_->epilogues[c]);
    std::memcpy(to, &result, bytes);
  }
}

}  // namespace

Declined sliding_blocks(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  if (const Declined why = declines(op, memory)) return why;
  PreparedIntDepthwise prepared(op, memory);
  if (!prepared.is_covered()) return "no permutation reaches the inputs of results";
  prepared.pack(memory);
  prepared.slide();
  return kRan;
}

std::unique_ptr<PreparedKernel> prepare(const Depthwise2dBm1684xInt8& op, const Memory& memory) {
  if (declines(op, memory) != kRan) return nullptr;
  auto prepared = std::make_unique<PreparedIntDepthwise>(op, memory);
  return prepared->is_covered() ? std::move(prepared) : nullptr;
}

}  // namespace tputwin::fast
#endif
