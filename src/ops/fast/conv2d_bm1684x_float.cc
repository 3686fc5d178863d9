// Floating-point conv2d of the BM1684X: inputs are fp32 cells.
#include <cmath>
#include <cstring>

#include "numerics/add_tree.h"
#include "ops/contract/kernel_steps.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/packing/weights_bm1684x.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kPairsOfGroup = kAddTreeGroup / 2;

uint64_t groups_of(const Conv2dBm1684xFloat& op) { return ceil_div(op.in.shape.c, kAddTreeGroup); }
bool is_single(const Conv2dBm1684xFloat& op) { return op.in.dtype == DType::f32; }
// Returns true if plain sums decide most results (gemm/kernels/rounded_groups-inl.h).
bool is_rounded(const Conv2dBm1684xFloat& op) {
  return op.out.dtype == DType::bf16 && groups_of(op) * taps_of(op.window) <= kMostRoundedGroups;
}
bool has_codes(const Conv2dBm1684xFloat& op, const TileKernels& kernels) {
  return !is_single(op) && !is_rounded(op) && kernels.code != nullptr &&
         op.in.shape.c >= kLeastCodedChannels;
}

bool has_pairs(const Conv2dBm1684xFloat& op, const TileKernels& kernels) {
  return is_rounded(op) && kernels.pairs != nullptr;
}

class FloatInput final : public PlaneInput {
 public:
  FloatInput(const Conv2dBm1684xFloat& op, const Memory& memory) : op_(op), memory_(memory) {}

  uint32_t cells() const override { return op_.in.shape.c; }
  const uint8_t* words(uint32_t n, uint32_t channel) const override {
    return is_single(op_) ? memory_.byte(op_.in, n, channel, 0, 0) : nullptr;
  }
  void read_rows(uint32_t n, uint32_t channel, uint32_t y, uint32_t rows,
                 uint32_t* to) const override {
    for_each_row_run(op_.in, memory_, n, channel, y, rows, [&](const uint8_t* from, size_t count) {
      widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
      if (!is_single(op_)) kernels_.exponents(to, count, exponents_);
      to += count;
    });
  }
  uint32_t padding(uint32_t) const override { return wide(op_.padding); }
  uint32_t insertion(uint32_t) const override { return wide(op_.insertion); }
  bool allows_bands() const override { return is_single(op_); }
  void begin_run() override {
    exponents_.forget();
    const uint32_t outside[] = {padding(0), insertion(0)};
    if (!is_single(op_)) kernels_.exponents(outside, 2, exponents_);
  }

  // Returns the range of all 16-bit elements that this run has read.
  const ExponentRange& exponents() const { return exponents_; }

 private:
  uint32_t wide(uint32_t bits) const { return f32::bits(float_value(bits, op_.in.dtype)); }

  const Conv2dBm1684xFloat& op_;
  const Memory& memory_;
  const TileKernels kernels_ = tile_kernels();
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
  mutable ExponentRange exponents_;
};

// Packs the weights in their order in memory. The start value of a channel's sums is its bias.
class FloatWeights final : public SeparatePanels {
 public:
  FloatWeights(const Conv2dBm1684xFloat& op, const Memory& memory) : op_(op), memory_(memory) {}

  uint32_t terms() const override {
    const Shape s = weight_shape(op_.in.shape.c, 1, op_.window, op_.in.dtype);
    return s.h * s.w;
  }
  uint32_t bytes() const override { return element_bytes(op_.in.dtype); }
  void widen(const uint8_t* from, size_t count, uint32_t* to) const override {
    widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
  }

 private:
  void begin(const ChannelBlocks& blocks, PlaneConstants& constants) const override {
    if (has_codes(op_, kernels_))
      constants.codes = constants.code_buffer.take<int16_t>(uint64_t{terms()} * blocks.channels);
    if (!is_rounded(op_)) return;
    const uint64_t sizes = size_count() * blocks.channels;
    constants.sizes = constants.size_buffer.take<float>(sizes);
    if (has_pairs(op_, kernels_))
      constants.pairs = constants.pair_buffer.take<uint32_t>(sizes * kPairsOfGroup);
  }
  // Returns the number of sizes of an output channel.
  uint64_t size_count() const { return groups_of(op_) * taps_of(op_.window); }
  void pack_panel(const PanelRows& rows, uint8_t* to, PlaneConstants& constants) const override {
    for (uint32_t oc = rows.first; oc < rows.first + rows.count; ++oc)
      constants.starts[oc] = op_.bias ? static_cast<uint32_t>(memory_.read(*op_.bias, 0, oc, 0, 0))
                                      : op_.constant_bias;
    if (!is_single(op_)) return pack_float16(rows, to, constants);
    pack_channels(
        rows, terms(), [&](uint32_t oc, uint32_t* cells) { copy_weights(oc, cells); }, to);
  }
  // Packs 16-bit weights. Computes their sizes, or their codes, which are 16-bit logarithms, if the
  // kernels use them (gemm/kernels/rounded_groups-inl.h, coded_groups-inl.h).
  void pack_float16(const PanelRows& panel, uint8_t* to, PlaneConstants& constants) const {
    thread_local Scratch narrow, wide;
    const uint32_t all = terms(), count = panel.count;
    auto* rows = narrow.take<uint16_t>(uint64_t{all} * count + kTilePitch);
    for (uint32_t r = 0; r < count; ++r) copy_weights(panel.first + r, rows + uint64_t{r} * all);
    const auto* bytes = reinterpret_cast<const uint8_t*>(rows);
    transpose(sizeof *rows, to, count * sizeof *rows, bytes, all * sizeof *rows, count, all);
    const size_t words = size_t{all} * count;
    uint32_t* as_int16 = wide.take<uint32_t>(words + kTilePitch);
    widen(bytes, words, as_int16);
    kernels_.exponents(as_int16, words, constants.exponents);
    if (!has_codes(op_, kernels_) && !is_rounded(op_)) return;
    widen(to, words, as_int16);
    if (is_rounded(op_)) return size_panel(panel, as_int16, constants);
    kernels_.code(as_int16, words, false, constants.codes + uint64_t{panel.first} * all);
  }
  // Computes the sizes of a panel.
  void size_panel(const PanelRows& panel, const uint32_t* words, PlaneConstants& constants) const {
    const size_t taps = taps_of(op_.window), count = panel.count;
    const uint64_t first_size = panel.first * size_count();
    float* to = constants.sizes + first_size;
    for (size_t i = 0; i < size_count(); ++i, words += kAddTreeGroup * count, to += count) {
      const size_t first = i / taps * kAddTreeGroup;
      const size_t channels = std::min<size_t>(kAddTreeGroup, op_.in.shape.c - first);
      kernels_.sizes(words, count, channels, count, op_.in.dtype, to);
      if (!has_pairs(op_, kernels_)) continue;
      const uint64_t first_pair = (first_size + i * count) * kPairsOfGroup;
      kernels_.pairs(words, count, channels, count, constants.pairs + first_pair);
    }
  }
  // Copies the weights of an output channel in their order in memory.
  template <class T>
  void copy_weights(uint32_t oc, T* to) const {
    if (op_.weight.is_constant)
      return static_cast<void>(std::fill_n(to, terms(), static_cast<T>(op_.weight.constant)));
    const WeightRows rows(op_.in.shape.c, op_.window, op_.in.dtype, op_.is_rotated);
    rows.for_each_run(op_.weight.view, memory_, oc, [&](const uint8_t* from, size_t count) {
      std::memcpy(to, from, count * sizeof *to);
      to += count;
    });
  }

  const Conv2dBm1684xFloat& op_;
  const Memory& memory_;
  const TileKernels kernels_ = tile_kernels();
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
};

class FloatProducts final : public PlaneProducts {
 public:
  FloatProducts(const Conv2dBm1684xFloat& op, const Memory& memory, const FloatInput& input,
                const FloatWeights& weights, const ConstantRestorer& restorer)
      : op_(op), memory_(memory), input_(input), weights_(weights), restorer_(restorer) {}

  uint32_t vectors(const TileKernels& kernels, uint32_t rows) const override {
    if (is_single(op_)) return kernels.chain_vectors(rows);
    return is_rounded(op_) ? kernels.wide_vectors : kernels.vectors;
  }
  void prepare(const PlaneTerms& terms) override {
    terms_ = terms;
    if (!is_single(op_)) return;
    for (uint32_t channel = 0; channel < op_.in.shape.c; ++channel)
      for (const uint32_t offset : terms.tap_offset)
        offsets_.push_back(static_cast<uint32_t>(channel * terms.pitch + offset));
  }
  void laid_out(uint32_t* planes, const PlaneConstants& constants) override;
  void start(const ResultRun& r, const PlaneConstants& constants) const override;
  bool run(const Tile& tile, const TileBuffers& buffers, uint32_t oc,
           const PlaneConstants& constants) const override;
  // Returns true if weights are packed as for the other convolution.
  bool packs_like(const FloatProducts& other) const {
    return is_rounded(op_) == is_rounded(other.op_);
  }
  void store(const ResultRun& r, bool in_doubt, const PlaneConstants&) const override {
    for (uint32_t i = 0; in_doubt && i < r.count; ++i) {
      if (!std::isnan(f32::from_bits(r.first[i]))) continue;
      restorer_.restore();
      r.first[i] = f32::bits(result_at(op_, memory_, r.n, r.oc, r.y, r.x + i));
    }
    kernels_.narrow(r.first, r.count, op_.out.dtype, memory_.byte(op_.out, r.n, r.oc, r.y, r.x));
  }

 private:
  static constexpr uint64_t kWordsPerTask = 32 << 10;
  static constexpr size_t kPositionsPerTask = 1 << 10;

  void size_planes(const PlaneConstants& constants);

  const Conv2dBm1684xFloat& op_;
  const Memory& memory_;
  const FloatInput& input_;
  const FloatWeights& weights_;
  const ConstantRestorer& restorer_;
  const TileKernels kernels_ = tile_kernels();
  // `planes_` are the planes of this run. `codes_` are their codes, or nullptr if they have none.
  const uint32_t* planes_ = nullptr;
  int16_t* codes_ = nullptr;
  float* sizes_ = nullptr;  // the same for their sizes, and their pairs
  uint32_t* pairs_ = nullptr;
  PlaneTerms terms_;
  std::vector<uint32_t> offsets_;  // one per fp32 term
};

void FloatProducts::laid_out(uint32_t* planes, const PlaneConstants& constants) {
  planes_ = planes;
  codes_ = nullptr;
  sizes_ = nullptr;
  if (is_rounded(op_)) return size_planes(constants);
  if (!has_codes(op_, kernels_) || !can_be_coded(constants.exponents, input_.exponents())) return;
  thread_local Scratch codes;
  const size_t pitch = terms_.pitch;
  codes_ = codes.take<int16_t>(pitch * input_.cells() + 2 * kTilePitch);
  parallel_for(input_.cells(), grain_of(pitch, kWordsPerTask), [&](size_t begin, size_t end) {
    kernels_.code(planes + begin * pitch, (end - begin) * pitch, true, codes_ + begin * pitch);
  });
}

void FloatProducts::size_planes(const PlaneConstants& constants) {
  if (!have_normal_products(constants.exponents, input_.exponents())) return;
  thread_local Scratch sizes, pairs;
  const size_t pitch = terms_.pitch, blocks = ceil_div(pitch, kPositionsPerTask);
  const uint32_t cells = input_.cells();
  sizes_ = sizes.take<float>(pitch * groups_of(op_) + 2 * kTilePitch);
  pairs_ = has_pairs(op_, kernels_)
               ? pairs.take<uint32_t>(pitch * ceil_div(cells, 2u) + 2 * kTilePitch)
               : nullptr;
  parallel_for(groups_of(op_) * blocks, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t group = i / blocks, first = i % blocks * kPositionsPerTask;
      const size_t count = std::min(kPositionsPerTask, pitch - first);
      const size_t channel = group * kAddTreeGroup;
      const size_t channels = std::min<size_t>(kAddTreeGroup, cells - channel);
      const uint32_t* const words = planes_ + channel * pitch + first;
      kernels_.sizes(words, pitch, channels, count, op_.in.dtype, sizes_ + group * pitch + first);
      if (pairs_ != nullptr)
        kernels_.pairs(words, pitch, channels, count, pairs_ + channel / 2 * pitch + first);
    }
  });
  if (is_traced()) [[unlikely]]
    trace_kernel(name(op_), kPlainSums, kRan);
}

void FloatProducts::start(const ResultRun& r, const PlaneConstants& constants) const {
  if (sizes_ != nullptr) return;
  const bool is_fp32 = is_single(op_);
  const uint32_t bias = constants.starts[r.oc];
  if (!op_.accumulate) {
    if (is_fp32) std::fill_n(r.first, r.count, 0u);
    std::fill_n(is_fp32 ? r.second : r.first, r.count, bias);
    return;
  }
  const uint8_t* const old = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
  if (is_fp32) {
    std::fill_n(r.first, r.count, bias);
    std::memcpy(r.second, old, r.count * sizeof(float));
  } else {
    for (uint32_t i = 0; i < r.count; ++i)
      r.first[i] =
          f32::bits(f32::add(f32::from_bits(bias), Memory::load<float>(old + i * sizeof(float))));
  }
}

bool FloatProducts::run(const Tile& tile, const TileBuffers& buffers, uint32_t oc,
                        const PlaneConstants& constants) const {
  if (is_single(op_))
    return kernels_.chains(tile, Chains::alternating(weights_.terms(), offsets_.data()),
                           {.starts = {buffers.as_floats(), buffers.second_as_floats()}});
  Groups groups{terms_.pitch, input_.cells(), terms_.tap_offset.size(), terms_.tap_offset.data(),
                have_normal_products(constants.exponents, input_.exponents())};
  if (sizes_ != nullptr) {
    groups.left_sizes = constants.sizes + oc * groups_of(op_) * groups.taps;
    groups.right_sizes = sizes_ + (tile.right - planes_);
    if (pairs_ != nullptr) {
      groups.left_pairs = constants.pairs + oc * groups_of(op_) * groups.taps * kPairsOfGroup;
      groups.right_pairs = pairs_ + (tile.right - planes_);
    }
    return kernels_
        .rounded(tile, groups, op_.out.dtype,
                 reinterpret_cast<const float*>(constants.starts.data() + oc))
        .has_nan;
  }
  if (codes_ != nullptr) {
    groups.left_codes = constants.codes + uint64_t{oc} * weights_.terms();
    groups.right_codes = codes_ + (tile.right - planes_);
  }
  return kernels_.grouped(tile, groups);
}

class FloatPlanes {
 public:
  FloatPlanes(const Conv2dBm1684xFloat& op, const Memory& memory)
      : input_(op, memory),
        weights_(op, memory),
        products_(op, memory, input_, weights_, restorer_),
        results_(memory, op.out) {}

  ConvolutionParts parts() { return {input_, weights_, products_, results_, restorer_}; }
  bool packs_like(const FloatPlanes& other) const { return products_.packs_like(other.products_); }

 private:
  ConstantRestorer restorer_;
  FloatInput input_;
  FloatWeights weights_;
  FloatProducts products_;
  PlaneResults results_;
};

Declined operands_decline(const Conv2dBm1684xFloat& op, const LocalMemory& local) {
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  if (const Declined why = elements_overlap(op.out, {&op.in, weight, bias}, local)) return why;
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out) ||
      (weight != nullptr && !WeightRows::are_dense(*weight)))
    return "rows have gaps";
  return kRan;
}

using Planes = PlaneKernel<Conv2dBm1684xFloat, FloatPlanes, operands_decline>;

}  // namespace

TW_FAST_KERNELS(Conv2dBm1684xFloat, {"planes", Planes::run})

std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684xFloat& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
