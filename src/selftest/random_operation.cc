#include "selftest/random_operation.h"

#include "selftest/random_bm1684.h"
#include "selftest/random_bm1684x.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/bits.h"
#include "memory/layout.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kMaxWork = 100000;

// Puts views one after the other into lanes and global memory, with random gaps.
class Placer {
 public:
  Placer(Rng& rng, const Chip& chip) : rng_(rng), chip_(chip) {
    local_ = rng.pick<uint64_t>({0, 0, 16, 32, 4096, 8192, 8192 - 32, 16384, 40000 & ~15u});
    global_ = rng.below(5000);
  }

  // `quantum`: 16 for aligned operands, 1 for byte-addressed ones.
  void place(TensorView& view, uint32_t quantum, uint32_t lane = 0) {
    if (view.space == Space::global) {
      view.address = global_ + rng_.below(40);
      global_ = view.address + global_span(view);
      return;
    }
    local_ = align_up(local_ + rng_.pick({0u, 0u, 1u, 16u, 100u}), quantum);
    view.address = uint64_t{lane} * chip_.lane_bytes + local_;
    local_ += local_span(view);
    placed_.push_back(&view);
  }
  // Mostly lane 0.
  uint32_t any_lane() { return rng_.chance(1, 4) ? rng_.range(0, chip_.lanes - 1) : 0; }

  // Sometimes moves everything in local memory up against the end of the lanes.
  void finish() {
    if (local_ >= chip_.lane_bytes || !rng_.chance(1, 6)) return;
    uint64_t shift = (chip_.lane_bytes - local_) / chip_.eu_bytes * chip_.eu_bytes;
    for (TensorView* view : placed_) view->address += shift;
  }

  // Bytes from the first to behind the last one inside a lane; lanes are chosen afterwards, hence
  // room for one more turn round them.
  uint64_t local_span(const TensorView& v) const {
    return span(v, (v.shape.c + chip_.lanes - 2) / chip_.lanes + 1);
  }

 private:
  static uint64_t span(const TensorView& v, uint64_t channel_steps) {
    return (v.shape.n - 1) * uint64_t{v.stride.n} + (channel_steps - 1) * v.stride.c +
           (v.shape.h - 1) * uint64_t{v.stride.h} + (v.shape.w - 1) * uint64_t{v.stride.w} + 1 +
           v.plane_stride;
  }
  static uint64_t global_span(const TensorView& v) { return span(v, v.shape.c); }

  Rng& rng_;
  const Chip& chip_;
  uint64_t local_ = 0, global_ = 0;
  std::vector<TensorView*> placed_;
};

class Generator {
 public:
  Generator(Rng& rng, const Chip& chip) : rng(rng), chip(chip), placer(rng, chip) {}

  Operation make(OperationKind kind) {
    switch (kind) {
      case OperationKind::conv2d:
        return conv2d();
      case OperationKind::winograd2d:
        return winograd2d();
      case OperationKind::depthwise2d:
        return depthwise2d();
      case OperationKind::pool2d:
        return pool2d();
      case OperationKind::matrix_mac:
        return matrix_mac();
      case OperationKind::matrix_mac2:
        return matrix_mac2();
      case OperationKind::elementwise:
        return elementwise();
      case OperationKind::mdsum:
        return mdsum();
      case OperationKind::lut:
        return lut();
      case OperationKind::dma_tensor:
        return dma_tensor();
      case OperationKind::dma_matrix:
        return dma_matrix();
      case OperationKind::dma_lrn_shift:
        return dma_lrn_shift();
      case OperationKind::dma_winograd_kernel:
        return dma_winograd_kernel();
      default:
        return CpuCall{};
    }
  }

 private:
  uint32_t channels() {
    return rng.chance(1, 3) ? rng.range(1, 9)
                            : rng.pick({1u, 3u, 16u, 31u, 32u, 33u, 40u, 63u, 64u, 65u, 100u});
  }
  Shape shape(uint64_t max_count) {
    for (;;) {
      Shape s{rng.chance(2, 3) ? 1 : rng.range(2, 4), channels(), rng.range(1, 20),
              rng.range(1, 24)};
      if (rng.chance(1, 8)) s.h = 1, s.w = rng.range(1, 1024);
      if (rng.chance(1, 16)) s.w = 1, s.h = rng.range(1, 1024);
      if (s.count() <= max_count) return s;
    }
  }
  DType eight() { return rng.coin() ? DType::i8 : DType::u8; }
  uint32_t rshift() { return rng.chance(1, 6) ? rng.range(0, 31) : rng.range(0, 12); }

  TensorView tensor(const Shape& s, DType dtype, bool aligned) {
    return local_tensor(chip, 0, s, aligned, dtype);
  }
  // Gives a 16-bit view its high plane, behind the low one.
  void add_plane(TensorView& view) {
    view.plane_stride = 0;
    view.plane_stride = placer.local_span(view) + rng.pick({0u, 1u, 16u, 300u});
  }
  Stride random_stride(const Shape& s, bool local) {
    Stride stride;
    stride.h = s.w + (rng.coin() ? 0 : rng.range(0, 7));
    stride.c = stride.h * s.h + (rng.coin() ? 0 : rng.range(0, 20));
    if (local && rng.coin()) stride.c = align_up(stride.c, chip.eu_bytes);
    uint32_t turns = local ? ceil_div(s.c, chip.lanes) : s.c;
    stride.n = stride.c * turns + (rng.coin() ? 0 : rng.range(0, 40));
    if (rng.chance(1, 8)) stride.n += stride.c;  // room for one more turn round the lanes
    return stride;
  }

  Axis axis(uint32_t extent, uint32_t kernel, bool insertion, bool dilation) {
    Axis a{.kernel = kernel};
    a.stride = rng.chance(1, 2) ? 1 : rng.pick({2u, 2u, 3u, 4u, 15u});
    if (dilation && rng.chance(1, 4)) a.dilation = rng.pick({2u, 3u, 5u, 16u});
    if (rng.coin()) {
      a.pad_before = rng.chance(1, 10) ? rng.range(0, 15) : rng.range(0, 3);
      a.pad_after = rng.chance(1, 10) ? rng.range(0, 15) : rng.range(0, 3);
    }
    if (insertion && rng.chance(1, 4)) {
      a.insert = extent > 1 ? rng.pick({0u, 1u, 2u, 15u}) : 0;
      a.insert_last = rng.range(0, 2);
    }
    return a;
  }
  Window window(const Shape& in, bool insertion, bool dilation) {
    uint32_t kh = rng.pick({1u, 1u, 2u, 3u, 3u, 3u, 5u, 7u});
    uint32_t kw = rng.chance(3, 4) ? kh : rng.pick({1u, 2u, 3u, 4u, 11u});
    return {axis(in.h, kh, insertion, dilation), axis(in.w, kw, insertion, dilation)};
  }
  TensorView feature_map(const Shape& s, DType dtype) { return tensor(s, dtype, /*aligned=*/true); }
  std::optional<TensorView> bias(uint32_t channels) {
    if (rng.chance(1, 3)) return {};
    TensorView view = conv_bias(chip, 0, channels, rng.coin());
    if (rng.chance(1, 4)) view.plane_stride += rng.range(0, 40);
    return view;
  }

  Operation conv2d() {
    Conv2d op;
    Shape in = shape(3000);
    op.window = window(in, true, true);
    op.in = feature_map(in, eight());
    uint32_t oc = channels();
    op.weight = conv_weight(0, {in.c, oc, op.window.h.kernel, op.window.w.kernel}, eight());
    op.bias = bias(oc);
    op.relu = rng.coin();
    op.rshift = rshift();
    Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.relu ? DType::u8 : DType::i8);
    return finish_convolution(op, out.count() * in.c * op.window.h.kernel * op.window.w.kernel, 1);
  }

  Operation winograd2d() {
    Winograd2d op;
    Shape in{rng.chance(2, 3) ? 1 : 2u, rng.pick({1u, 2u, 3u, 8u, 31u, 33u}), rng.range(1, 12),
             rng.range(1, 12)};
    auto padded = [&](uint32_t extent) {
      Axis a{.kernel = 3, .pad_before = rng.range(0, 3), .pad_after = rng.range(0, 3)};
      if (a.output(extent) % 2 != 0) ++a.pad_after;
      return a;
    };
    op.window = {padded(in.h), padded(in.w)};
    op.in = feature_map(in, eight());
    uint32_t oc = channels();
    op.weight = tensor({in.c, oc, 4, 4}, DType::i8, /*aligned=*/false);
    op.bias = bias(oc);
    op.relu = rng.coin();
    op.rshift = rshift();
    Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.relu ? DType::u8 : DType::i8);
    return finish_convolution(op, out.count() * in.c * 16, 1);
  }

  Operation depthwise2d() {
    Depthwise2d op;
    Shape in = shape(4000);
    op.window = window(in, true, false);
    op.in = feature_map(in, eight());
    op.weight = tensor({1, in.c, op.window.h.kernel, op.window.w.kernel}, eight(), true);
    op.bias = bias(in.c);
    op.rshift = rshift();
    Shape out{in.n, in.c, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, DType::i8);
    return finish_convolution(op, out.count() * op.window.h.kernel * op.window.w.kernel,
                              rng.chance(7, 8) ? 16 : 1);
  }

  // Too much work yields an operation that the caller discards.
  template <class Op>
  Operation finish_convolution(Op& op, uint64_t work, uint32_t weight_quantum) {
    if (work == 0 || work > kMaxWork) return CpuCall{};
    placer.place(op.in, chip.eu_bytes, placer.any_lane());
    placer.place(op.weight, weight_quantum);
    if (op.bias) placer.place(*op.bias, 1);
    placer.place(op.out, chip.eu_bytes, rng.chance(1, 8) ? placer.any_lane() : 0);
    placer.finish();
    return op;
  }

  Operation pool2d() {
    Pool2d op;
    op.kind = rng.coin() ? Pool2d::Kind::maximum : Pool2d::Kind::average;
    bool average = op.kind == Pool2d::Kind::average;
    Shape in = shape(4000);
    op.window = window(in, average, false);
    if (average) op.multiplier = rng.range(0, 255), op.rshift = rshift();
    op.in = feature_map(in, eight());
    Shape out{in.n, in.c, op.window.h.output(in.h), op.window.w.output(in.w)};
    op.out = feature_map(out, op.in.dtype);
    if (out.count() * op.window.h.kernel * op.window.w.kernel > kMaxWork) return CpuCall{};
    uint32_t lane = placer.any_lane();
    placer.place(op.in, chip.eu_bytes, lane);
    placer.place(op.out, chip.eu_bytes, rng.chance(1, 16) ? placer.any_lane() : lane);
    placer.finish();
    return op;
  }

  Operation matrix_mac() {
    MatrixMac op;
    uint32_t rows = rng.chance(1, 3) ? 1 : rng.range(1, 12);
    uint32_t inner = rng.coin() ? rng.range(1, 40) : rng.range(33, 200);
    uint32_t cols = rng.chance(2, 3) ? rng.range(1, 100) : rng.range(1, 1200);
    if (uint64_t{rows} * inner * cols > kMaxWork) return CpuCall{};
    op.relu = rng.chance(1, 3);
    op.accumulate = !op.relu && rng.coin();
    op.lshift = op.accumulate && rng.chance(1, 4) ? rng.range(0, 31) : rng.range(0, 8);
    op.rshift = rshift();
    op.left = local_matrix(chip, 0, rows, inner, eight());
    op.right = local_matrix(chip, 0, inner, cols, eight());
    op.res = local_matrix(chip, 0, rows, cols, make_dtype(!op.relu, rng.coin()));
    TensorView& res = op.res.tensor;
    res.plane_stride = is_16bit(res.dtype) || op.accumulate ? rows * res.stride.n : 0;
    if (rng.coin()) op.res.cols = res.shape.c * res.shape.w;  // whole blocks
    if (rng.coin()) op.bias = local_matrix(chip, 0, 1, cols, make_dtype(rng.coin(), false));
    placer.place(op.left.tensor, chip.eu_bytes, placer.any_lane());
    placer.place(op.right.tensor, chip.eu_bytes);
    if (op.bias) placer.place(op.bias->tensor, chip.eu_bytes);
    placer.place(res, chip.eu_bytes, rng.chance(1, 8) ? placer.any_lane() : 0);
    placer.finish();
    return op;
  }

  Operation matrix_mac2() {
    MatrixMac2 op;
    op.left = tensor({1, 256, 1, 256}, eight(), true);
    op.right = tensor({256, 16, 1, 16}, eight(), true);
    op.res = tensor({1, 256, 1, 256}, eight(), true);
    placer.place(op.left, chip.eu_bytes, rng.chance(1, 8) ? placer.any_lane() : 0);
    placer.place(op.right, chip.eu_bytes);
    placer.place(op.res, chip.eu_bytes);
    placer.finish();
    return op;
  }

  Operation elementwise();
  Operation mdsum() {
    Mdsum op;
    op.a = tensor(shape(6000), eight(), true);
    op.out = tensor({1, op.a.shape.c, 1, 1}, make_dtype(is_signed(op.a.dtype), rng.coin()), false);
    if (is_16bit(op.out.dtype)) add_plane(op.out);
    uint32_t lane = placer.any_lane();
    placer.place(op.a, rng.chance(7, 8) ? chip.eu_bytes : 1, lane);
    placer.place(op.out, 1, rng.chance(7, 8) ? lane : placer.any_lane());
    placer.finish();
    return op;
  }

  Operation lut() {
    Lut op;
    op.in = tensor(shape(6000), eight(), true);
    op.out = tensor(op.in.shape, eight(), true);
    op.table = tensor({1, chip.lanes, 16, 16}, eight(), true);
    uint32_t lane = placer.any_lane(), quantum = rng.chance(7, 8) ? chip.eu_bytes : 1;
    placer.place(op.in, quantum, lane);
    placer.place(op.table, quantum);
    placer.place(op.out, quantum, rng.chance(7, 8) ? lane : placer.any_lane());
    placer.finish();
    if (rng.chance(1, 5)) op.out.address = op.in.address;
    return op;
  }

  // A reshaped shape of equally many elements.
  Shape reshaped(const Shape& s) {
    switch (rng.below(4)) {
      case 0:
        return {s.n, s.c, 1, s.h * s.w};
      case 1:
        return {1, s.n * s.c, s.h, s.w};
      case 2:
        return s.h % 2 == 0 ? Shape{s.n, s.c, s.h / 2, s.w * 2} : Shape{s.n, s.c * s.h, 1, s.w};
      default:
        return s.w % 2 == 0 ? Shape{s.n, s.c * 2, s.h, s.w / 2} : Shape{s.h, s.w, s.c, s.n};
    }
  }

  TensorView dma_side(Space space, const Shape& s, bool explicit_strides) {
    if (space == Space::global) {
      TensorView view = global_tensor(0, s, eight());
      if (explicit_strides && rng.coin()) view.stride = random_stride(s, /*local=*/false);
      return view;
    }
    TensorView view = tensor(s, eight(), /*aligned=*/!explicit_strides || rng.coin());
    if (explicit_strides && rng.chance(1, 3)) view.stride = random_stride(s, /*local=*/true);
    return view;
  }

  Operation dma_tensor() {
    DmaTensor op;
    Space from = rng.coin() ? Space::local : Space::global;
    Space to = rng.coin() ? Space::local : Space::global;
    Shape s = shape(12000);
    op.transpose_nc = rng.chance(1, 3);
    op.explicit_strides = rng.chance(2, 3);
    Shape d = op.transpose_nc ? Shape{s.c, s.n, s.h, s.w} : rng.chance(1, 3) ? reshaped(s) : s;
    op.src = dma_side(from, s, op.explicit_strides);
    op.dst = dma_side(to, d, op.explicit_strides);
    placer.place(op.src, rng.coin() ? chip.eu_bytes : 1, placer.any_lane());
    placer.place(op.dst, rng.coin() ? chip.eu_bytes : 1, placer.any_lane());
    placer.finish();
    return op;
  }

  MatrixView matrix_side(Space space, uint32_t rows, uint32_t cols) {
    return space == Space::local
               ? local_matrix(chip, 0, rows, cols, eight())
               : global_matrix(0, rows, cols, cols + (rng.coin() ? 0 : rng.range(0, 50)), eight());
  }

  Operation dma_matrix() {
    DmaMatrix op;
    Space from = rng.coin() ? Space::local : Space::global;
    Space to = rng.coin() ? Space::local : Space::global;
    uint32_t rows = rng.range(1, 40),
             cols = rng.chance(3, 4) ? rng.range(1, 150) : rng.range(1, 900);
    op.transpose = rng.chance(1, 3);
    op.explicit_strides = rng.coin();
    uint32_t drows = op.transpose ? cols : rows, dcols = op.transpose ? rows : cols;
    if (!op.transpose && rng.chance(1, 6)) drows = 1, dcols = rows * cols;
    op.src = matrix_side(from, rows, cols);
    op.dst = matrix_side(to, drows, dcols);
    placer.place(op.src.tensor, chip.eu_bytes, placer.any_lane());
    placer.place(op.dst.tensor, chip.eu_bytes, placer.any_lane());
    placer.finish();
    return op;
  }

  Operation dma_lrn_shift() {
    DmaLrnShift op;
    Shape s = shape(6000);
    op.right = rng.coin();
    op.step = rng.range(1, 15);
    op.src = dma_side(Space::local, s, rng.coin());
    op.dst = dma_side(Space::local, s, rng.coin());
    placer.place(op.src, chip.eu_bytes, placer.any_lane());
    placer.place(op.dst, chip.eu_bytes, placer.any_lane());
    placer.finish();
    return op;
  }

  Operation dma_winograd_kernel() {
    DmaWinogradKernel op;
    uint32_t oc = channels(), ic = rng.range(1, 40);
    op.scale = rng.range(0, 15);
    op.dst = tensor({1, oc, ic, 16}, eight(), /*aligned=*/rng.chance(1, 4));
    op.src = global_tensor(0, {1, oc, ic, 9}, eight());
    if (rng.chance(1, 8)) op.src.stride = random_stride(op.src.shape, /*local=*/false);
    placer.place(op.src, 1);
    placer.place(op.dst, rng.coin() ? chip.eu_bytes : 1, placer.any_lane());
    placer.finish();
    return op;
  }

  Rng& rng;
  const Chip& chip;
  Placer placer;
};

// Element-wise operands share one layout, have explicit strides each, or share bytes.
Operation Generator::elementwise() {
  using Kind = Elementwise::Kind;
  Elementwise op;
  op.kind = static_cast<Kind>(rng.below(static_cast<uint64_t>(Kind::copy) + 1));
  const bool logic =
      op.kind == Kind::bit_and || op.kind == Kind::bit_or || op.kind == Kind::bit_xor;
  const bool compare = op.kind == Kind::max || op.kind == Kind::min;
  const bool sum = op.kind == Kind::add || op.kind == Kind::sub;
  bool wide_a = sum || op.kind == Kind::shift, wide_b = sum, wide_out = rng.coin();
  if (logic) wide_a = wide_b = wide_out;
  if (compare || op.kind == Kind::copy) wide_out = false;
  if (op.kind == Kind::shift) wide_out = true;

  bool signed_a = rng.coin(), signed_b = rng.coin();
  if (compare) signed_b = signed_a;
  if (op.kind == Kind::shift) signed_a = signed_b = true;
  bool signed_out = signed_a || signed_b;
  if (compare) signed_out = signed_a;
  if (op.kind == Kind::sub || op.kind == Kind::shift) signed_out = true;
  if (logic || op.kind == Kind::copy) signed_out = rng.coin();

  op.b_is_constant = op.kind != Kind::copy && rng.chance(1, 3);
  op.b_signed = signed_b;
  const uint32_t values = wide_b ? 65536 : 256;
  op.constant = static_cast<int32_t>(rng.chance(1, 4) ? rng.pick({0u, values / 2, values - 1})
                                                      : rng.below(values)) -
                (signed_b ? static_cast<int32_t>(values / 2) : 0);
  op.rshift = rshift();
  op.lshift = rng.chance(1, 6) ? rng.range(0, 31) : rng.range(0, 10);

  const Shape s = shape(6000);
  const bool aligned = rng.coin(), explicit_strides = rng.chance(1, 4);
  auto operand = [&](bool is_signed, bool wide) {
    TensorView view = tensor(s, make_dtype(is_signed, !wide), aligned);
    if (explicit_strides) view.stride = random_stride(s, /*local=*/true);
    return view;
  };
  op.a = operand(signed_a, wide_a);
  op.b = operand(signed_b, wide_b);
  op.out = operand(signed_out, wide_out);
  if (rng.chance(1, 20)) op.a.stride.c = op.a.stride.n = 0;  // broadcast
  if (rng.chance(1, 20)) op.b.stride.h = op.b.stride.w = 0;
  if (wide_a) add_plane(op.a);
  if (wide_b) add_plane(op.b);
  if (wide_out || op.kind == Kind::mac) add_plane(op.out);

  const uint32_t lane =
      op.b_is_constant || op.kind == Kind::copy || rng.chance(1, 8) ? placer.any_lane() : 0;
  const uint32_t quantum = aligned && !explicit_strides ? chip.eu_bytes : 1;
  placer.place(op.a, quantum, lane);
  if (op.kind != Kind::copy && !op.b_is_constant) placer.place(op.b, quantum);
  placer.place(op.out, quantum, rng.chance(15, 16) ? lane : placer.any_lane());
  placer.finish();

  auto share = [](TensorView& to, const TensorView& from) {
    to.address = from.address;
    to.stride = from.stride;
    if (from.plane_stride != 0) to.plane_stride = from.plane_stride;
  };
  if (rng.chance(1, 5)) share(op.out, op.a);
  if (op.a.address < chip.lane_bytes && rng.chance(1, 16)) share(op.b, op.a);
  return op;
}

// How the bytes of one operand are drawn.
enum class Fill : uint8_t { uniform, small, extreme, sparse };

void fill(Rng& rng, std::span<uint8_t> bytes, Fill mode) {
  constexpr uint8_t kExtremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (uint8_t& byte : bytes) {
    uint64_t r = rng.next();
    switch (mode) {
      case Fill::uniform:
        byte = static_cast<uint8_t>(r);
        break;
      case Fill::small:
        byte = static_cast<uint8_t>(r % 7 - 3);
        break;
      case Fill::extreme:
        byte = kExtremes[r % 5];
        break;
      case Fill::sparse:
        byte = r % 8 == 0 ? static_cast<uint8_t>(r >> 8) : 0;
        break;
    }
  }
}

// Shift counts lie in [-16, 16].
void fill_counts(Rng& rng, std::span<uint8_t> bytes) {
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.below(33) - 16);
}

}  // namespace

std::span<const OperationKind> all_operation_kinds() {
  static const auto kinds = [] {
    std::array<OperationKind, kOperationKinds> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<OperationKind>(i);
    return all;
  }();
  return kinds;
}

std::string_view to_string(OperationKind kind) {
  constexpr std::string_view kNames[] = {"conv2d",
                                         "winograd2d",
                                         "depthwise2d",
                                         "pool2d",
                                         "matrix_mac",
                                         "matrix_mac2",
                                         "elementwise",
                                         "mdsum",
                                         "lut",
                                         "dma_tensor",
                                         "dma_matrix",
                                         "dma_lrn_shift",
                                         "dma_winograd_kernel",
                                         "conv2d_f32",
                                         "depthwise2d_f32",
                                         "pool2d_f32",
                                         "matmul_f32",
                                         "float_arithmetic",
                                         "unary_f32",
                                         "channel_affine",
                                         "int8_to_f32",
                                         "select",
                                         "bitwise",
                                         "fixed_point",
                                         "split_byte",
                                         "mul_16_by_8",
                                         "mul_s16_by_u8",
                                         "copy",
                                         "copy_matrix",
                                         "float_function",
                                         "int_arithmetic",
                                         "unary",
                                         "convert",
                                         "requantise",
                                         "rearrange",
                                         "gather",
                                         "scatter",
                                         "mask_select",
                                         "sort",
                                         "sequence",
                                         "load_table",
                                         "table_lookup",
                                         "conv2d_float",
                                         "conv2d_quant",
                                         "depthwise2d_float",
                                         "depthwise2d_quant",
                                         "pool2d_float",
                                         "pool2d_quant",
                                         "matmul_float",
                                         "matmul_grouped",
                                         "matmul_int",
                                         "tpu_float_arithmetic",
                                         "tpu_select",
                                         "tpu_bitwise",
                                         "tpu_copy",
                                         "tpu_copy_matrix"};
  static_assert(std::size(kNames) == kOperationKinds);
  return kNames[static_cast<size_t>(kind)];
}

// With smaller memories.
static Chip shrunk(Chip chip) {
  chip.lane_bytes = 64 * 1024;
  chip.bank_bytes = chip.lane_bytes / chip.banks;
  chip.l2.bytes = 64 * 1024;
  chip.dtcm.bytes = chip.dtcm.bytes == 0 ? 0 : 16 * 1024;
  return chip;
}

const Chip& chip_of(OperationKind kind) {
  static const Chip small_bm1684 = shrunk(bm1684()), small_bm1684x = shrunk(bm1684x());
  return is_bm1684x(kind) ? small_bm1684x : is_bm1684(kind) ? small_bm1684 : bm1880();
}

size_t alternative_of(OperationKind kind) {
  constexpr OperationKind kShared[] = {OperationKind::float_arithmetic, OperationKind::select,
                                       OperationKind::bitwise, OperationKind::copy,
                                       OperationKind::copy_matrix};
  constexpr auto kFirst = static_cast<size_t>(OperationKind::tpu_float_arithmetic);
  static_assert(std::variant_size_v<AnyOperation> - 1 == kFirst);  // all but CpuCall
  static_assert(kFirst + std::size(kShared) == kOperationKinds);
  const auto index = static_cast<size_t>(kind);
  return index < kFirst ? index : static_cast<size_t>(kShared[index - kFirst]);
}

bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes) {
  Status contract = check(operation, chip);
  if (!contract.ok() && contract.error().info().level == Level::error) return false;
  return check_bounds(operation, chip, global_bytes).ok();
}

Operation random_operation(Rng& rng, OperationKind kind, const Chip& chip) {
  for (;;) {
    Operation operation = is_bm1684x(kind)  ? random_bm1684x_operation(rng, kind, chip)
                          : is_bm1684(kind) ? random_bm1684_operation(rng, kind, chip)
                                            : Generator(rng, chip).make(kind);
    if (operation.index() == alternative_of(kind) && is_legal(operation, chip, kTestGlobalBytes))
      return operation;
  }
}

void fill_random(Rng& rng, std::span<uint8_t> bytes) { fill(rng, bytes, Fill::uniform); }

void fill_operands(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory) {
  if (operation.index() >= static_cast<size_t>(OperationKind::conv2d_f32))
    return fill_bm1684_operands(rng, operation, memory);
  const auto* elementwise = std::get_if<Elementwise>(&operation);
  for (const Operand& operand : operands(operation)) {
    const bool counts = elementwise != nullptr && elementwise->kind == Elementwise::Kind::shift &&
                        operand.view == &elementwise->b;
    const Fill mode =
        rng.pick({Fill::uniform, Fill::uniform, Fill::small, Fill::extreme, Fill::sparse});
    std::vector<ByteRange> ranges;
    add_ranges(operand.access == Access::read_write ? old_value(*operand.view) : *operand.view,
               chip, ranges);
    for (const ByteRange& r : ranges) {
      uint8_t* start = r.space == Space::global ? memory.global.data() : memory.local.lane(r.lane);
      std::span<uint8_t> bytes(start + r.begin, r.end - r.begin);
      counts ? fill_counts(rng, bytes) : fill(rng, bytes, mode);
    }
  }
}

std::string describe(const Operation& operation) {
  std::string text(name(operation));
  for (const Operand& operand : operands(operation))
    text += fmt::format(" {}={}", operand.name, describe(*operand.view));
  return text;
}

TestMemory::TestMemory(const Chip& chip, uint64_t global_bytes)
    : local_(chip), global_(std::move(GlobalMemory::reserve(global_bytes).value())) {
  if (chip.l2.bytes != 0) l2_ = std::move(GlobalMemory::reserve(chip.l2.bytes).value());
  if (chip.dtcm.bytes != 0) dtcm_ = std::move(GlobalMemory::reserve(chip.dtcm.bytes).value());
}

uint8_t* TestMemory::start_of(const ByteRange& range) {
  return range.space == Space::local ? local_.lane(range.lane)
                                     : memory().system(range.space).data();
}

std::vector<std::span<uint8_t>> TestMemory::all_bytes() {
  std::vector<std::span<uint8_t>> all{local_bytes(), global_bytes()};
  for (GlobalMemory* memory : {l2_.get(), dtcm_.get()})
    if (memory != nullptr) all.push_back({memory->data(), memory->size()});
  return all;
}

void TestMemory::copy_from(TestMemory& other) {
  const auto to = all_bytes(), from = other.all_bytes();
  for (size_t i = 0; i < to.size(); ++i) std::memcpy(to[i].data(), from[i].data(), to[i].size());
}

}  // namespace tputwin::testing
