// conv2d of the BM1684X, floating point: the inputs as fp32 cells.
#include <cmath>
#include <cstring>

#include "numerics/add_tree.h"
#include "ops/contract/body_steps.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/conv2d_planes.h"
#include "ops/fast/gemm/weights_bm1684x.h"
#include "ops/fast/views/views.h"
#include "ops/fast/window/sums.h"

namespace tputwin::fast {
namespace {

// Terms are in the order in which weights lie in memory.
class FloatPlanes : public PlaneSource {
 public:
  FloatPlanes(const Conv2dBm1684xFloat& op, const Memory& memory) : op_(op), memory_(memory) {
    for (uint32_t oc = 0; oc < op.out.shape.c; ++oc)
      bias_.push_back(op.bias ? memory.read_f32(*op.bias, 0, oc, 0, 0)
                              : f32::from_bits(op.constant_bias));
  }

  uint32_t cells() const override { return op_.in.shape.c; }
  const uint8_t* words(uint32_t n, uint32_t channel) const override {
    return is_single() ? memory_.byte(op_.in, n, channel, 0, 0) : nullptr;
  }
  void read_rows(uint32_t n, uint32_t channel, uint32_t y, uint32_t rows,
                 uint32_t* to) const override {
    for_each_row_run(op_.in, memory_, n, channel, y, rows, [&](const uint8_t* from, size_t count) {
      widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
      to += count;
    });
  }

  uint32_t padding(uint32_t) const override { return wide(op_.padding); }
  uint32_t insertion(uint32_t) const override { return wide(op_.insertion); }

  uint32_t terms() const override {
    const Shape s = weight_shape(op_.in.shape.c, 1, op_.window, op_.in.dtype);
    return s.h * s.w;
  }
  void read_weights(uint32_t oc, uint32_t* to) override {
    const WeightRows rows(op_.in.shape.c, op_.window, op_.in.dtype, op_.is_turned);
    if (op_.weight.is_constant)
      return static_cast<void>(
          std::fill_n(to, terms(), f32::bits(float_value(op_.weight.constant, op_.in.dtype))));
    rows.for_each_run(op_.weight.view, memory_, oc, [&](const uint8_t* from, size_t count) {
      widen_(op_.in.dtype, from, count, reinterpret_cast<int32_t*>(to));
      to += count;
    });
  }

  void prepare(const PlaneTerms& terms) override {
    terms_ = terms;
    if (!is_single()) return;
    for (uint32_t channel = 0; channel < op_.in.shape.c; ++channel)
      for (const uint32_t offset : terms.tap_offset)
        offsets_.push_back(static_cast<uint32_t>(channel * terms.pitch + offset));
  }
  void start(const Results& r) const override {
    const float bias = bias_[r.oc];
    if (!op_.accumulate) {
      if (is_single()) std::fill_n(r.first, r.count, 0u);
      std::fill_n(is_single() ? r.second : r.first, r.count, f32::bits(bias));
      return;
    }
    const uint8_t* const old = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    if (is_single()) {
      std::fill_n(r.first, r.count, f32::bits(bias));
      std::memcpy(r.second, old, r.count * sizeof(float));
    } else {
      for (uint32_t i = 0; i < r.count; ++i)
        r.first[i] = f32::bits(f32::add(bias, Memory::load<float>(old + i * sizeof(float))));
    }
  }
  bool run(const TileKernels& kernels, const Tile& tile, const TileRoom& room,
           uint32_t) const override {
    if (!is_single())
      return kernels.grouped(
          tile, {terms_.pitch, cells(), terms_.tap_offset.size(), terms_.tap_offset.data()});
    return kernels.chains(tile, Chains::alternating(terms(), offsets_.data()),
                          {.starts = {room.as_floats(), room.second_as_floats()}});
  }
  void store(const Results& r, bool in_doubt) const override {
    for (uint32_t i = 0; in_doubt && i < r.count; ++i)
      if (std::isnan(f32::from_bits(r.first[i])))
        r.first[i] = f32::bits(result_at(op_, memory_, r.n, r.oc, r.y, r.x + i));
    narrow_(r.first, r.count, op_.out.dtype, memory_.byte(op_.out, r.n, r.oc, r.y, r.x));
  }

 private:
  bool is_single() const { return op_.in.dtype == DType::f32; }
  uint32_t wide(uint32_t bits) const { return f32::bits(float_value(bits, op_.in.dtype)); }

  const Conv2dBm1684xFloat& op_;
  const Memory& memory_;
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
  const decltype(TileKernels::narrow) narrow_ = tile_kernels().narrow;
  std::vector<float> bias_;
  PlaneTerms terms_;
  std::vector<uint32_t> offsets_;  // of every term of fp32
};

Declined planes(const Conv2dBm1684xFloat& given, const Memory& memory) {
  const TensorView *weight = tensor_of(given.weight), *bias = tensor_of(given.bias);
  if (const Declined why = elements_overlap(given.out, {&given.in, weight, bias}, memory.local))
    return why;
  if (!has_dense_rows(given.in) || !has_dense_rows(given.out) ||
      (weight != nullptr && !WeightRows::are_dense(*weight)))
    return "rows have gaps";
  const Conv2dBm1684xFloat op = with_long_rows(given);
  FloatPlanes source(op, memory);
  return convolve(source, op.window, op.in, op.out.shape);
}

constexpr Body<Conv2dBm1684xFloat> kBodies[] = {{"planes", planes}};

}  // namespace

bool execute(const Conv2dBm1684xFloat& op, const Memory& memory) {
  return run_best(kBodies, op, memory);
}

}  // namespace tputwin::fast
