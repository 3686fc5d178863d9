// Floating-point conv2d of the BM1684X: inputs are fp32 cells.
#include <cmath>
#include <cstring>

#include "numerics/add_tree.h"
#include "ops/contract/body_steps.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/packing/weights_bm1684x.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

// Terms have the order of weights in memory.
class FloatPlanes : public PlaneSource {
 public:
  FloatPlanes(const Conv2dBm1684xFloat& op, const Memory& memory) : PlaneSource(memory), op_(op) {}

  void use(PlaneConstants& constants) override {
    PlaneSource::use(constants);
    if (has_codes())
      weight_codes_ = constants.codes.take<int16_t>(uint64_t{terms()} * op_.out.shape.c);
  }
  const TensorView& out() const override { return op_.out; }

  uint32_t cells() const override { return op_.in.shape.c; }
  const uint8_t* words(uint32_t n, uint32_t channel) const override {
    return is_single() ? memory_.byte(op_.in, n, channel, 0, 0) : nullptr;
  }
  void read_rows(uint32_t n, uint32_t channel, uint32_t y, uint32_t rows,
                 uint32_t* to) const override {
    for_each_row_run(op_.in, memory_, n, channel, y, rows, [&](const uint8_t* from, size_t count) {
      widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
      if (!is_single()) kernels_.exponents(to, count, inputs_);
      to += count;
    });
  }

  uint32_t padding(uint32_t) const override { return wide(op_.padding); }
  uint32_t insertion(uint32_t) const override { return wide(op_.insertion); }

  uint32_t terms() const override {
    const Shape s = weight_shape(op_.in.shape.c, 1, op_.window, op_.in.dtype);
    return s.h * s.w;
  }
  void read_weights(uint32_t oc, uint32_t* to) override { copy_weights(oc, to); }
  // Results start with the bias.
  void pack_rows(uint32_t oc, uint32_t count, uint32_t step, uint8_t* to) override {
    for (uint32_t r = 0; r < count; ++r)
      constants_->starts[oc + r] =
          op_.bias ? static_cast<uint32_t>(memory_.read(*op_.bias, 0, oc + r, 0, 0))
                   : op_.constant_bias;
    is_single() ? PlaneSource::pack_rows(oc, count, step, to) : pack_halves(oc, count, to);
  }
  uint32_t weight_bytes() const override { return element_bytes(op_.in.dtype); }
  void widen_weights(const uint8_t* from, size_t count, uint32_t* to) const override {
    widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
  }

  bool allows_bands() const override { return is_single(); }
  uint32_t vectors(const TileKernels& kernels, uint32_t rows) const override {
    return is_single() ? kernels.chain_vectors(rows) : kernels.vectors;
  }
  void prepare(const PlaneTerms& terms) override {
    terms_ = terms;
    if (!is_single()) return;
    for (uint32_t channel = 0; channel < op_.in.shape.c; ++channel)
      for (const uint32_t offset : terms.tap_offset)
        offsets_.push_back(static_cast<uint32_t>(channel * terms.pitch + offset));
  }
  void begin() override {
    PlaneSource::begin();
    inputs_.forget();
    const uint32_t outside[] = {padding(0), insertion(0)};
    if (!is_single()) kernels_.exponents(outside, 2, inputs_);
  }
  void laid_out(uint32_t* planes) override {
    planes_ = planes;
    codes_ = nullptr;
    if (!has_codes() || !can_be_coded(constants_->exponents, inputs_)) return;
    thread_local Scratch codes;
    const size_t pitch = terms_.pitch;
    codes_ = codes.take<int16_t>(pitch * cells() + 2 * kTilePitch);
    parallel_for(cells(), grain_of(pitch, kWordsPerTask), [&](size_t begin, size_t end) {
      kernels_.code(planes + begin * pitch, (end - begin) * pitch, true, codes_ + begin * pitch);
    });
  }
  void start(const Results& r) const override {
    const uint32_t bias = constants_->starts[r.oc];
    if (!op_.accumulate) {
      if (is_single()) std::fill_n(r.first, r.count, 0u);
      std::fill_n(is_single() ? r.second : r.first, r.count, bias);
      return;
    }
    const uint8_t* const old = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    if (is_single()) {
      std::fill_n(r.first, r.count, bias);
      std::memcpy(r.second, old, r.count * sizeof(float));
    } else {
      for (uint32_t i = 0; i < r.count; ++i)
        r.first[i] =
            f32::bits(f32::add(f32::from_bits(bias), Memory::load<float>(old + i * sizeof(float))));
    }
  }
  bool run(const TileKernels& kernels, const Tile& tile, const TileRoom& room,
           uint32_t oc) const override {
    if (!is_single()) {
      Groups groups{terms_.pitch, cells(), terms_.tap_offset.size(), terms_.tap_offset.data(),
                    are_calm(constants_->exponents, inputs_)};
      if (codes_ != nullptr) {
        groups.left_codes = weight_codes_ + uint64_t{oc} * terms();
        groups.right_codes = codes_ + (tile.right - planes_);
      }
      return kernels.grouped(tile, groups);
    }
    return kernels.chains(tile, Chains::alternating(terms(), offsets_.data()),
                          {.starts = {room.as_floats(), room.second_as_floats()}});
  }
  void store(const Results& r, bool in_doubt) const override {
    for (uint32_t i = 0; in_doubt && i < r.count; ++i) {
      if (!std::isnan(f32::from_bits(r.first[i]))) continue;
      restore_constants();
      r.first[i] = f32::bits(result_at(op_, memory_, r.n, r.oc, r.y, r.x + i));
    }
    kernels_.narrow(r.first, r.count, op_.out.dtype, memory_.byte(op_.out, r.n, r.oc, r.y, r.x));
  }

 private:
  static constexpr uint64_t kWordsPerTask = 32 << 10;

  bool is_single() const { return op_.in.dtype == DType::f32; }
  bool has_codes() const {
    return !is_single() && kernels_.code != nullptr && cells() >= kLeastCodedChannels;
  }
  uint32_t wide(uint32_t bits) const { return f32::bits(float_value(bits, op_.in.dtype)); }

  // Copies the weights of an output channel in the order of memory.
  template <class T>
  void copy_weights(uint32_t oc, T* to) const {
    if (op_.weight.is_constant)
      return static_cast<void>(std::fill_n(to, terms(), static_cast<T>(op_.weight.constant)));
    const WeightRows rows(op_.in.shape.c, op_.window, op_.in.dtype, op_.is_turned);
    rows.for_each_run(op_.weight.view, memory_, oc, [&](const uint8_t* from, size_t count) {
      std::memcpy(to, from, count * sizeof *to);
      to += count;
    });
  }
  // Packs 16-bit weights and their codes.
  void pack_halves(uint32_t oc, uint32_t count, uint8_t* to) {
    thread_local Scratch narrow, wide;
    const uint32_t all = terms();
    auto* rows = narrow.take<uint16_t>(uint64_t{all} * count + kTilePitch);
    for (uint32_t r = 0; r < count; ++r) copy_weights(oc + r, rows + uint64_t{r} * all);
    const auto* bytes = reinterpret_cast<const uint8_t*>(rows);
    transpose(sizeof *rows, to, count * sizeof *rows, bytes, all * sizeof *rows, count, all);
    const size_t words = size_t{all} * count;
    uint32_t* as_words = wide.take<uint32_t>(words + kTilePitch);
    widen_weights(bytes, words, as_words);
    kernels_.exponents(as_words, words, constants_->exponents);
    if (!has_codes()) return;
    widen_weights(to, words, as_words);
    kernels_.code(as_words, words, false, weight_codes_ + uint64_t{oc} * all);
  }

  const Conv2dBm1684xFloat& op_;
  const TileKernels kernels_ = tile_kernels();
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
  mutable ExponentRange inputs_;
  int16_t* weight_codes_ = nullptr;
  // The planes that are laid out; null if they have no codes.
  const uint32_t* planes_ = nullptr;
  int16_t* codes_ = nullptr;
  PlaneTerms terms_;
  std::vector<uint32_t> offsets_;  // one per fp32 term
};

Declined operands_decline(const Conv2dBm1684xFloat& op, const LocalMemory& local) {
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  if (const Declined why = elements_overlap(op.out, {&op.in, weight, bias}, local)) return why;
  if (!has_dense_rows(op.in) || !has_dense_rows(op.out) ||
      (weight != nullptr && !WeightRows::are_dense(*weight)))
    return "rows have gaps";
  return kRan;
}

using Planes = PlaneBody<Conv2dBm1684xFloat, FloatPlanes, operands_decline>;

}  // namespace

TW_BODIES(Conv2dBm1684xFloat, {"planes", Planes::run})

std::unique_ptr<PreparedBody> prepare(const Conv2dBm1684xFloat& op, const Memory& memory) {
  return Planes::prepare(op, memory);
}

}  // namespace tputwin::fast
