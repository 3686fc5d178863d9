// Random convolutions, depthwise convolutions and pools of the BM1880.
#include "selftest/bm1880_family.h"

namespace tputwin::testing {
namespace {

class Windows : Bm1880Family {
 public:
  Windows(Rng& rng, const Chip& chip) : Bm1880Family(rng, chip) {}

  Axis axis(uint32_t extent, uint32_t kernel, bool insertion, bool dilation) {
    Axis a{.kernel = kernel};
    a.stride = rng_.chance(1, 2) ? 1 : rng_.pick({2u, 2u, 3u, 4u, 15u});
    if (dilation && rng_.chance(1, 4)) a.dilation = rng_.pick({2u, 3u, 5u, 16u});
    if (rng_.coin()) {
      a.pad_before = rng_.chance(1, 10) ? rng_.range(0, 15) : rng_.range(0, 3);
      a.pad_after = rng_.chance(1, 10) ? rng_.range(0, 15) : rng_.range(0, 3);
    }
    if (insertion && rng_.chance(1, 4)) {
      a.insert = extent > 1 ? rng_.pick({0u, 1u, 2u, 15u}) : 0;
      a.insert_last = rng_.range(0, 2);
    }
    return a;
  }
  Window window(const Shape& in, bool insertion, bool dilation) {
    uint32_t kh = rng_.pick({1u, 1u, 2u, 3u, 3u, 3u, 5u, 7u});
    uint32_t kw = rng_.chance(3, 4) ? kh : rng_.pick({1u, 2u, 3u, 4u, 11u});
    return {axis(in.h, kh, insertion, dilation), axis(in.w, kw, insertion, dilation)};
  }
  // Returns a window whose results have the extents of inputs.
  Window window_by_one() {
    const auto axis = [&] {
      const uint32_t kernel = rng_.range(1, 7), before = rng_.below(kernel);
      return Axis{.kernel = kernel, .pad_before = before, .pad_after = kernel - 1 - before};
    };
    return {axis(), axis()};
  }
  TensorView feature_map(const Shape& s, DType dtype) { return tensor(s, dtype, /*aligned=*/true); }
  std::optional<TensorView> bias(uint32_t channels) {
    if (rng_.chance(1, 3)) return {};
    TensorView view = conv_bias(chip_, 0, channels, rng_.coin());
    if (rng_.chance(1, 4)) view.plane_stride += rng_.range(0, 40);
    return view;
  }

  Operation conv2d() {
    Conv2dBm1880 op;
    Shape in = shape(3000);
    op.window = window(in, true, true);
    op.in = feature_map(in, eight());
    uint32_t oc = channels();
    op.weight = conv_weight(0, {in.c, oc, op.window.h.kernel, op.window.w.kernel}, eight());
    op.bias = bias(oc);
    op.relu = rng_.coin();
    op.rshift = rshift();
    Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.relu ? DType::u8 : DType::i8);
    return finish_convolution(op, out.count() * in.c * op.window.h.kernel * op.window.w.kernel, 1);
  }

  Operation winograd2d() {
    Winograd2d op;
    Shape in{rng_.chance(2, 3) ? 1 : 2u, rng_.pick({1u, 2u, 3u, 8u, 31u, 33u}), rng_.range(1, 12),
             rng_.range(1, 12)};
    auto padded = [&](uint32_t extent) {
      Axis a{.kernel = 3, .pad_before = rng_.range(0, 3), .pad_after = rng_.range(0, 3)};
      if (a.output(extent) % 2 != 0) ++a.pad_after;
      return a;
    };
    op.window = {padded(in.h), padded(in.w)};
    op.in = feature_map(in, eight());
    uint32_t oc = channels();
    op.weight = tensor({in.c, oc, 4, 4}, DType::i8, /*aligned=*/false);
    op.bias = bias(oc);
    op.relu = rng_.coin();
    op.rshift = rshift();
    Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.relu ? DType::u8 : DType::i8);
    return finish_convolution(op, out.count() * in.c * 16, 1);
  }

  Operation depthwise2d() {
    Depthwise2dBm1880 op;
    Shape in = shape(4000);
    op.window = window(in, true, false);
    op.in = feature_map(in, eight());
    op.weight = tensor({1, in.c, op.window.h.kernel, op.window.w.kernel}, eight(), true);
    op.bias = bias(in.c);
    op.rshift = rshift();
    Shape out{in.n, in.c, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, DType::i8);
    return finish_convolution(op, out.count() * op.window.h.kernel * op.window.w.kernel,
                              rng_.chance(7, 8) ? 16 : 1);
  }

  // If there is too much work, returns an operation that the caller discards.
  template <class Op>
  Operation finish_convolution(Op& op, uint64_t work, uint32_t weight_quantum) {
    if (work == 0 || work > kMaxWork) return CpuCall{};
    placer_.place(op.in, chip_.eu_bytes, placer_.any_lane());
    placer_.place(op.weight, weight_quantum);
    if (op.bias) placer_.place(*op.bias, 1);
    placer_.place(op.out, chip_.eu_bytes, rng_.chance(1, 8) ? placer_.any_lane() : 0);
    placer_.finish();
    return op;
  }

  Operation pool2d() {
    Pool2dBm1880 op;
    op.kind = rng_.coin() ? Pool2dBm1880::Kind::maximum : Pool2dBm1880::Kind::average;
    bool average = op.kind == Pool2dBm1880::Kind::average;
    Shape in = shape(4000);
    op.window = rng_.chance(1, 3) ? window_by_one() : window(in, average, false);
    if (average) op.multiplier = rng_.range(0, 255), op.rshift = rshift();
    op.in = feature_map(in, eight());
    Shape out{in.n, in.c, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.in.dtype);
    if (out.count() * op.window.h.kernel * op.window.w.kernel > kMaxWork) return CpuCall{};
    uint32_t lane = placer_.any_lane();
    placer_.place(op.in, chip_.eu_bytes, lane);
    placer_.place(op.out, chip_.eu_bytes, rng_.chance(1, 16) ? placer_.any_lane() : lane);
    placer_.finish();
    return op;
  }
};

}  // namespace

TW_FAMILY(random_bm1880_windows, Windows, {conv2d_bm1880, &Windows::conv2d},
          {winograd2d, &Windows::winograd2d}, {depthwise2d_bm1880, &Windows::depthwise2d},
          {pool2d_bm1880, &Windows::pool2d})

}  // namespace tputwin::testing
