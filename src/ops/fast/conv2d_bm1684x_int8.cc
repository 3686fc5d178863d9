// conv2d of the BM1684X, 8 bits: cells hold two channels as 16-bit integers.
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "ops/contract/body_steps.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/im2col.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t pair_of(int32_t low, int32_t high) {
  return static_cast<uint16_t>(low) | static_cast<uint32_t>(high) << 16;
}

class IntegerIm2col : public Im2colSource {
 public:
  IntegerIm2col(const Conv2dBm1684xInt8& op, const Memory& memory) : op_(op), memory_(memory) {}

  uint32_t cells() const override { return op_.in.shape.c / 2 + op_.in.shape.c % 2; }
  uint32_t padding(uint32_t cell) const override { return parameters(op_.padding, cell); }
  uint32_t insertion(uint32_t cell) const override { return parameters(op_.insertion, cell); }
  bool has_whole_rows() const override { return true; }

  void lay_out(uint32_t n, uint32_t cell, uint32_t* to) const override {
    const Shape& s = op_.in.shape;
    const uint8_t* low = memory_.byte(op_.in, n, 2 * cell, 0, 0);
    const uint8_t* high = has_high(cell) ? memory_.byte(op_.in, n, 2 * cell + 1, 0, 0) : nullptr;
    for (uint32_t h = 0; h < s.h; ++h)
      for (uint32_t w = 0; w < s.w; ++w) {
        const uint64_t at = uint64_t{h} * op_.in.stride.h + uint64_t{w} * op_.in.stride.w;
        *to++ = pair_of(number(low[at]), high != nullptr ? number(high[at]) : 0);
      }
  }

  std::vector<Term> terms() const override {
    std::vector<Term> terms;
    for (uint32_t cell = 0; cell < cells(); ++cell)
      for (uint32_t tap = 0; tap < taps_of(op_.window); ++tap) terms.push_back({cell, tap});
    return terms;
  }

  void pack_weights(uint32_t oc, uint32_t* to, size_t step) const override {
    const uint32_t taps = taps_of(op_.window), group = weight_group(op_.in.dtype);
    const int32_t zero_point = op_.zero_point.read(memory_, 0, oc, 0, 0);
    auto weight = [&](uint32_t ic, uint32_t tap) {
      const uint32_t row = weight_row(ic, op_.is_turned ? taps - 1 - tap : tap, op_.window, group);
      return op_.weight.read(memory_, 0, oc, row, ic % group) - zero_point;
    };
    for (uint32_t cell = 0; cell < cells(); ++cell)
      for (uint32_t tap = 0; tap < taps; ++tap, to += step)
        *to = pair_of(weight(2 * cell, tap), has_high(cell) ? weight(2 * cell + 1, tap) : 0);
  }

  void start(const Results& r) const override {
    const auto bias = static_cast<uint32_t>(bias_of(op_.bias, memory_, r.oc));
    for (uint32_t i = 0; i < r.count; ++i) {
      const auto [n, y, x] = r.places[i];
      const int32_t old = op_.accumulate ? memory_.read(op_.out, n, r.oc, y, x) : 0;
      r.first[i] = bias + static_cast<uint32_t>(old);
    }
  }

  bool run(const TileKernels& kernels, const Tile& tile, const Im2colTerms& terms,
           const TileRoom&) const override {
    kernels.integers(tile, terms.pitch, terms.right_offset.size());
    return false;
  }

  void store(const Results& r, bool) const override {
    for (uint32_t i = 0; i < r.count; ++i) {
      const auto [n, y, x] = r.places[i];
      memory_.write(op_.out, n, r.oc, y, x, result(static_cast<int32_t>(r.first[i])));
    }
  }

 private:
  int32_t result(int32_t acc) const {
    if (is_32bit(op_.out.dtype)) return acc;
    return quantized(acc, op_.relu, op_.rshift, Rounding::half_up, op_.out.dtype);
  }
  bool has_high(uint32_t cell) const { return 2 * cell + 1 < op_.in.shape.c; }
  int32_t number(uint8_t byte) const {
    return is_signed(op_.in.dtype) ? static_cast<int8_t>(byte) : byte;
  }
  uint32_t parameters(const Source& source, uint32_t cell) const {
    return pair_of(source.read(memory_, 0, 2 * cell, 0, 0),
                   has_high(cell) ? source.read(memory_, 0, 2 * cell + 1, 0, 0) : 0);
  }

  const Conv2dBm1684xInt8& op_;
  const Memory& memory_;
};

Declined im2col(const Conv2dBm1684xInt8& op, const Memory& memory) {
  if (const Declined why = elements_overlap(
          op.out,
          {&op.in, tensor_of(op.weight), tensor_of(op.bias), tensor_of(op.zero_point),
           tensor_of(op.padding), tensor_of(op.insertion)},
          memory.local))
    return why;
  return convolve(IntegerIm2col(op, memory), op.window, op.in.shape, op.out.shape);
}

constexpr Body<Conv2dBm1684xInt8> kBodies[] = {{"im2col", im2col}};

}  // namespace

bool execute(const Conv2dBm1684xInt8& op, const Memory& memory) {
  return run_best(kBodies, op, memory);
}

}  // namespace tputwin::fast
