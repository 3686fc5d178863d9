// conv2d of the BM1684X, floating point: the inputs as fp32 cells.
#include <cmath>

#include "numerics/add_tree.h"
#include "ops/contract/body_steps.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/im2col.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

class FloatIm2col : public Im2colSource {
 public:
  FloatIm2col(const Conv2dBm1684xFloat& op, const Memory& memory) : op_(op), memory_(memory) {}

  uint32_t cells() const override { return op_.in.shape.c; }
  uint32_t padding(uint32_t) const override { return 0; }
  uint32_t insertion(uint32_t) const override { return 0; }
  bool has_whole_rows() const override { return false; }

  void lay_out(uint32_t n, uint32_t channel, uint32_t* to) const override {
    const Shape& s = op_.in.shape;
    const uint8_t* from = memory_.byte(op_.in, n, channel, 0, 0);
    const uint32_t step = op_.in.stride.w;
    for (uint32_t h = 0; h < s.h; ++h, from += op_.in.stride.h, to += s.w)
      for (uint32_t w = 0; w < s.w; ++w) to[w] = cell(from + uint64_t{w} * step);
  }

  std::vector<Term> terms() const override {
    const uint32_t taps = taps_of(op_.window), channels = op_.in.shape.c;
    const uint32_t group = weight_group(op_.in.dtype);
    std::vector<Term> terms;
    terms.reserve(uint64_t{taps} * channels);
    for (uint32_t first = 0; first < channels; first += group)
      for (uint32_t tap = 0; tap < taps; ++tap)
        for (uint32_t ic = first; ic < std::min(first + group, channels); ++ic)
          terms.push_back({ic, tap});
    return terms;
  }

  // Terms are in the order in which weights lie in memory.
  void pack_weights(uint32_t oc, uint32_t* to, size_t step) const override {
    const uint32_t taps = taps_of(op_.window), channels = op_.in.shape.c;
    const uint32_t group = weight_group(op_.in.dtype);
    for (uint32_t first = 0; first < channels; first += group) {
      const uint32_t count = std::min(group, channels - first);
      for (uint32_t tap = 0; tap < taps; ++tap)
        for (uint32_t i = 0; i < count; ++i, to += step)
          *to = f32::bits(read_float(
              memory_, op_.weight, 0, oc,
              weight_row(first, op_.is_turned ? taps - 1 - tap : tap, op_.window, group), i));
    }
  }

  void start(const Results& r) const override {
    const float bias = op_.bias ? memory_.read_f32(*op_.bias, 0, r.oc, 0, 0) : 0.0f;
    const bool alternates = op_.in.dtype == DType::f32;
    for (uint32_t i = 0; i < r.count; ++i) {
      const auto [n, y, x] = r.places[i];
      const float old = op_.accumulate ? memory_.read_f32(op_.out, n, r.oc, y, x) : 0.0f;
      if (!alternates)
        r.first[i] = f32::bits(op_.accumulate ? f32::add(bias, old) : bias);
      else if (op_.accumulate)
        r.first[i] = f32::bits(bias), r.second[i] = f32::bits(old);
      else
        r.second[i] = f32::bits(bias);
    }
  }

  bool run(const TileKernels& kernels, const Tile& tile, const Im2colTerms& terms,
           const TileRoom& room) const override {
    if (op_.in.dtype != DType::f32)
      return kernels.grouped(tile, {terms.pitch, terms.channels, terms.taps});
    const auto count = static_cast<uint32_t>(terms.right_offset.size());
    return kernels.chains(tile, Chains::alternating(count, terms.right_offset.data()),
                          {.starts = {room.as_floats(), room.second_as_floats()}});
  }

  void store(const Results& r, bool in_doubt) const override {
    for (uint32_t i = 0; i < r.count; ++i) {
      const auto [n, y, x] = r.places[i];
      float sum = f32::from_bits(r.first[i]);
      if (in_doubt && std::isnan(sum)) sum = result_at(op_, memory_, n, r.oc, y, x);
      write_float(memory_, op_.out, n, r.oc, y, x, sum);
    }
  }

 private:
  uint32_t cell(const uint8_t* from) const {
    if (op_.in.dtype == DType::f32) return Memory::load<uint32_t>(from);
    return f32::bits(float_value(Memory::load<uint16_t>(from), op_.in.dtype));
  }

  const Conv2dBm1684xFloat& op_;
  const Memory& memory_;
};

Declined im2col(const Conv2dBm1684xFloat& op, const Memory& memory) {
  const TensorView *weight = tensor_of(op.weight), *bias = tensor_of(op.bias);
  if (const Declined why = elements_overlap(op.out, {&op.in, weight, bias}, memory.local))
    return why;
  return convolve(FloatIm2col(op, memory), op.window, op.in.shape, op.out.shape);
}

constexpr Body<Conv2dBm1684xFloat> kBodies[] = {{"im2col", im2col}};

}  // namespace

bool execute(const Conv2dBm1684xFloat& op, const Memory& memory) {
  return run_best(kBodies, op, memory);
}

}  // namespace tputwin::fast
