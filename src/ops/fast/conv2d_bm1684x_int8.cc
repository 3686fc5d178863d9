// 8-bit conv2d of the BM1684X: cells hold four channels. They hold two, widened to 16 bits, if
// weights have zero points or the processor cannot multiply bytes.
#include "ops/conv/conv2d_bm1684x_int8.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/bits.h"
#include "ops/contract/body_steps.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/packing/weights_bm1684x.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kMostInCell = 4;

class BytePlanes : public PlaneSource {
 public:
  BytePlanes(const Conv2dBm1684xInt8& op, const Memory& memory)
      : PlaneSource(memory),
        op_(op),
        kernels_(tile_kernels()),
        as_words_(kernels_.in_cell == 2 || has_zero_point(op.zero_point)),
        in_cell_(as_words_ ? 2 : kernels_.in_cell),
        taps_(taps_of(op.window)) {
    if (!as_words_)
      flip_ = kernels_.sign_flip(is_signed(op.in.dtype), is_signed(op.weight.view.dtype));
    if (is_32bit(op.out.dtype)) return;
    ends_ = {.relu = op.relu,
             .rshift = op.rshift,
             .low = saturate(INT32_MIN, op.out.dtype),
             .high = saturate(INT32_MAX, op.out.dtype)};
  }

  bool take_over(std::span<const Operation* const> endings, std::span<const ByteRange> left) {
    return !op_.accumulate && epilogue_.fuse(endings, op_.out, left, memory_);
  }
  // Returns the tensor of the results of fused instructions, or nullptr if none are fused.
  TensorView* taken_out() { return epilogue_.any() ? &epilogue_.out() : nullptr; }
  bool shares(const BytePlanes& other) const { return epilogue_ == other.epilogue_; }

  uint32_t cells() const override { return ceil_div(op_.in.shape.c, in_cell_); }
  bool has_whole_rows() const override { return true; }
  void read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows, uint32_t* to) const override;
  uint32_t padding(uint32_t cell) const override { return parameters(op_.padding, cell); }
  uint32_t insertion(uint32_t cell) const override { return parameters(op_.insertion, cell); }

  uint32_t terms() const override { return cells() * taps_; }
  void read_weights(uint32_t oc, uint32_t* to) override;
  void pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) override;

  void prepare(const PlaneTerms& terms) override { terms_ = terms; }
  void begin() override {
    PlaneSource::begin();
    makes_bytes_ = !as_words_ && epilogue_.any() && element_bytes(epilogue_.out().dtype) == 1 &&
                   std::ranges::all_of(constants_->epilogues, &SumEpilogue::Channel::is_plain);
  }
  void start(const Results& r) const override {
    std::fill_n(r.first, r.count, constants_->starts[r.oc]);
    if (!op_.accumulate) return;
    const uint8_t* const old = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    for (uint32_t i = 0; i < r.count; ++i) r.first[i] += Memory::load<uint32_t>(old + i * 4);
  }
  bool run(const TileKernels& kernels, const Tile& tile, const TileRoom&, uint32_t) const override {
    as_words_ ? kernels.words(tile, dots()) : kernels.bytes(tile, dots());
    return false;
  }
  void store(const Results& r, bool) const override {
    uint8_t* const to = memory_.byte(out(), r.n, r.oc, r.y, r.x);
    if (epilogue_.any()) {
      const SumEpilogue::Channel& channel = constants_->epilogues[r.oc];
      epilogue_.write_live_out(part(r), r.first, channel, memory_);
      return epilogue_.apply(r.first, r.count, channel, kernels_, to);
    }
    if (is_32bit(op_.out.dtype))
      std::memcpy(to, r.first, r.count * sizeof *r.first);
    else
      kernels_.quantize(r.first, r.count, ends_, element_bytes(op_.out.dtype), to);
  }

  bool makes_bytes() const override { return makes_bytes_; }
  void run_to_bytes(const TileKernels& kernels, const Tile& tile, size_t columns, uint32_t oc,
                    uint8_t* const* rows) const override {
    kernels.scaled_bytes(tile, dots(), columns, constants_->scales[oc / kernels.rows], rows);
  }
  bool leaves_sums(const Results& r, uint32_t rows) const override {
    return epilogue_.has_live_out(part(r), rows);
  }
  void leave_sums(const Results& r) const override {
    epilogue_.write_live_out(part(r), r.first, constants_->epilogues[r.oc], memory_);
  }
  const TensorView& out() const override { return epilogue_.any() ? epilogue_.out() : op_.out; }

 private:
  SumEpilogue::Part part(const Results& r) const {
    return {r.n, r.oc, r.y * op_.out.shape.w + r.x, r.count};
  }
  Dots dots() const {
    return {terms_.pitch, cells(), taps_, terms_.tap_offset.data(),
            is_signed(op_.weight.view.dtype)};
  }
  static bool has_zero_point(const Source& zero_point) {
    return !zero_point.is_constant || zero_point.constant != 0;
  }
  uint32_t bias(uint32_t oc) const {
    return static_cast<uint32_t>(op_.bias ? bias_of(op_.bias, memory_, oc) : op_.constant_bias);
  }
  // Returns the number of channels in a cell.
  uint32_t channels_in(uint32_t cell) const {
    return std::min(in_cell_, op_.in.shape.c - cell * in_cell_);
  }
  uint32_t cell_of(const std::array<int32_t, kMostInCell>& numbers) const {
    const uint32_t bits = 32 / in_cell_;
    uint32_t cell = 0;
    for (uint32_t i = in_cell_; i-- > 0;)
      cell = cell << bits | (static_cast<uint32_t>(numbers[i]) & ((1u << bits) - 1));
    return cell;
  }
  uint32_t parameters(const Source& source, uint32_t cell) const {
    std::array<int32_t, kMostInCell> numbers{};
    for (uint32_t i = 0; i < channels_in(cell); ++i)
      numbers[i] = source.read(memory_, 0, cell * in_cell_ + i, 0, 0);
    return cell_of(numbers) ^ flip_.mask;
  }

  const Conv2dBm1684xInt8& op_;
  const TileKernels kernels_;
  const bool as_words_;
  const uint32_t in_cell_, taps_;
  SignFlip flip_;
  Quantizing ends_;
  PlaneTerms terms_;
  SumEpilogue epilogue_;
  bool makes_bytes_ = false;  // valid during a run
};

void BytePlanes::read_rows(uint32_t n, uint32_t cell, uint32_t y, uint32_t rows,
                           uint32_t* to) const {
  // channels past the last have zero weights, so that any data will do
  std::array<const uint8_t*, kMostInCell> from;
  for (uint32_t i = 0; i < in_cell_; ++i)
    from[i] = memory_.byte(op_.in, n, std::min(cell * in_cell_ + i, op_.in.shape.c - 1), y, 0);
  const bool is_whole = op_.in.stride.h == op_.in.shape.w;
  const uint32_t runs = is_whole ? 1 : rows;
  const size_t count = is_whole ? size_t{rows} * op_.in.shape.w : op_.in.shape.w;
  for (uint32_t run = 0; run < runs; ++run, to += count) {
    if (as_words_)
      kernels_.join_words(from.data(), count, is_signed(op_.in.dtype), to);
    else
      kernels_.join(from.data(), count, is_signed(op_.in.dtype), flip_.mask, to);
    for (uint32_t i = 0; i < in_cell_; ++i) from[i] += op_.in.stride.h;
  }
}

// In memory, groups of cells come before taps.
void BytePlanes::read_weights(uint32_t oc, uint32_t* to) {
  const DType dtype = op_.weight.view.dtype;
  const uint32_t group = weight_group(dtype), channels = op_.in.shape.c;
  const int32_t zero_point = as_words_ ? op_.zero_point.read(memory_, 0, oc, 0, 0) : 0;
  const WeightRows rows(channels, op_.window, dtype, op_.is_turned);
  std::array<uint8_t, 64> constant;
  constant.fill(static_cast<uint8_t>(op_.weight.constant));
  uint32_t first = 0, tap = 0;
  const auto take = [&](const uint8_t* from) {
    const uint32_t count = std::min(group, channels - first);
    uint32_t* cell = to + uint64_t{first / in_cell_} * taps_ + tap;
    for (uint32_t i = 0; i < count; i += in_cell_, cell += taps_) {
      std::array<int32_t, kMostInCell> numbers{};
      for (uint32_t k = 0; k < std::min(in_cell_, count - i); ++k)
        numbers[k] =
            (is_signed(dtype) ? static_cast<int8_t>(from[i + k]) : from[i + k]) - zero_point;
      *cell = cell_of(numbers);
    }
    if (++tap == taps_) tap = 0, first += group;
  };
  if (op_.weight.is_constant)
    for (uint32_t i = 0; i < ceil_div(channels, group) * taps_; ++i) take(constant.data());
  else
    rows.for_each_run(op_.weight.view, memory_, oc, [&](const uint8_t* from, size_t count) {
      for (size_t at = 0; at < count; at += group) take(from + at);
    });
}

// Cells of four bytes are stored as such, so that all cells of a group and a tap are transposed at
// once. Results start with the bias and the correction of the sign flip.
void BytePlanes::pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) {
  auto* const cells = reinterpret_cast<uint32_t*>(to);
  const uint32_t channels = op_.in.shape.c;
  if (as_words_ || op_.weight.is_constant || channels % in_cell_ != 0) {
    PlaneSource::pack_rows(oc, count, step, to);
  } else {
    constexpr uint32_t kGroup = 64;
    std::array<const uint8_t*, kMaxTileRows> from;
    for (uint32_t r = 0; r < count; ++r) from[r] = memory_.byte(op_.weight.view, 0, oc + r, 0, 0);
    alignas(64) uint8_t rows[kMaxTileRows * kGroup] = {};
    for (uint32_t first = 0; first < channels; first += kGroup)
      for (uint32_t tap = 0; tap < taps_; ++tap) {
        const uint32_t place = first / kGroup * taps_ + (op_.is_turned ? taps_ - 1 - tap : tap);
        for (uint32_t r = 0; r < count; ++r)
          std::memcpy(rows + r * kGroup, from[r] + uint64_t{place} * kGroup, kGroup);
        transpose(
            sizeof *cells,
            reinterpret_cast<uint8_t*>(cells + (uint64_t{first / in_cell_} * taps_ + tap) * step),
            uint64_t{taps_} * step * sizeof *cells, rows, kGroup, step,
            std::min(kGroup, channels - first) / in_cell_);
      }
  }
  int32_t sums[kMaxTileRows] = {};
  if (flip_.mask != 0) kernels_.sum_rows(cells, terms(), is_signed(op_.weight.view.dtype), sums);
  for (uint32_t r = 0; r < count; ++r)
    constants_->starts[oc + r] =
        bias(oc + r) + static_cast<uint32_t>(sums[r]) * static_cast<uint32_t>(flip_.correction);
  constexpr int64_t kLargestProduct = 255 * 510;
  for (uint32_t r = 0; epilogue_.any() && r < count; ++r) {
    const int64_t largest = kLargestProduct * op_.in.shape.c * taps_ +
                            std::abs(int64_t{static_cast<int32_t>(bias(oc + r))});
    const SumEpilogue::Channel& channel = constants_->epilogues[oc + r] =
        epilogue_.of_channel(oc + r, largest, memory_);
    if (channel.is_plain) constants_->starts[oc + r] += static_cast<uint32_t>(channel.addend);
  }
  RowScales& scales = constants_->scales[oc / kernels_.rows];
  for (uint32_t r = 0; epilogue_.any() && r < kernels_.rows; ++r) {
    const uint32_t channel = oc + std::min(r, count - 1);
    scales.scales[r] = constants_->epilogues[channel].scale;
    scales.starts[r] = constants_->starts[channel];
  }
}

Declined operands_decline(const Conv2dBm1684xInt8& op, const LocalMemory& local) {
  const TensorView* weight = tensor_of(op.weight);
  if (const Declined why =
          elements_overlap(op.out,
                           {&op.in, weight, tensor_of(op.bias), tensor_of(op.zero_point),
                            tensor_of(op.padding), tensor_of(op.insertion)},
                           local))
    return why;
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out) ||
      (weight != nullptr && !WeightRows::are_dense(*weight)))
    return "rows have gaps";
  return kRan;
}

using Planes = PlaneBody<Conv2dBm1684xInt8, BytePlanes, operands_decline>;

}  // namespace

TW_BODIES(Conv2dBm1684xInt8, {"planes", Planes::run})

std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684xInt8& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
