// Random windows and products of the BM1684's bytes, functions by tables of L2, and the moves that
// only compilers use.
#include <algorithm>

#include "base/bits.h"
#include "ops/conv/conv2d_bm1684_int8.h"
#include "selftest/window_family.h"

namespace tputwin::testing {
namespace {

class ByteWindows : WindowFamily {
 public:
  ByteWindows(Rng& rng, const Chip& chip) : WindowFamily(rng, chip, /*inserts=*/true) {}

  Operation conv() {
    if (!draw_window(/*is_convolution=*/true)) return CpuCall{};
    const bool is_constant = rng_.chance(1, 8);
    if (is_constant) window_.h.dilation = window_.w.dilation = 1;
    if (!find_results()) return CpuCall{};
    maybe_crop();
    Conv2dBm1684Int8 op{.window = window_, .is_rotated = rng_.chance(1, 4), .rshift = rshift()};
    set_sides(op, channels_);
    op.in = tensors_.any(shape_, tensors_.start_lane(), byte_type(), /*is_source=*/true, 4);
    op.weight = tensors_.dense({shape_.c, channels_, window_.h.kernel, window_.w.kernel}, lane_,
                               byte_type(), /*aligned=*/false, /*pack=*/4);
    if (is_constant) make_constant(op.weight);
    if (is_constant)
      op.constant_weight =
          static_cast<int32_t>(extended(static_cast<uint32_t>(rng_.next()), op.weight.dtype));
    op.bias = bias(channels_);
    return op;
  }

  Operation winograd() {
    if (!draw_window(/*is_convolution=*/true)) return CpuCall{};
    for (Axis* axis : {&window_.h, &window_.w})
      *axis = {.kernel = 3, .pad_before = axis->pad_before, .pad_after = axis->pad_after};
    if (!find_results()) return CpuCall{};
    maybe_crop();
    Winograd2dBm1684 op{.window = window_, .rshift = rshift()};
    set_sides(op, channels_);
    op.weight = tensors_.dense({shape_.c, channels_, 4, 4}, lane_, DType::i8, /*aligned=*/false,
                               /*pack=*/4);
    op.bias = bias(channels_);
    return op;
  }

  Operation depthwise() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    maybe_crop();
    Depthwise2dBm1684Int8 op{.window = window_, .rshift = rshift()};
    set_sides(op, shape_.c);
    const bool mean = rng_.chance(1, 3);
    const uint64_t taps = uint64_t{window_.h.kernel} * window_.w.kernel;
    op.weight = mean ? Source::value(mean_factor(taps), DType::u8)
                     : Source::tensor(depthwise_filter(byte_type()));
    if (!mean) op.bias = bias(shape_.c);
    return op;
  }

  Operation pool() {
    if (!draw_window(/*is_convolution=*/false, /*dilates=*/false)) return CpuCall{};
    maybe_crop();
    Pool2dBm1684Int8 op{.window = window_, .relu = rng_.coin()};
    const DType type = byte_type();
    op.in = tensors_.dense(shape_, lane_, type, /*aligned=*/true, 4);
    op.out = tensors_.dense({shape_.n, shape_.c, out_h_, out_w_}, lane_, type, /*aligned=*/true, 4);
    return op;
  }

  Operation matmul() {
    const uint32_t rows = rng_.range(1, 20), depth = rng_.range(1, 70), cols = rng_.range(1, 70);
    const uint32_t left_w = rng_.range(1, depth), right_w = rng_.range(1, cols);
    const uint32_t lane = tensors_.start_lane(), whole = align_up(cols, right_w);
    const DType out = make_dtype(rng_.coin(), /*is_8bit=*/rng_.coin());
    MatmulBm1684Int8 op{.rshift = rshift()};
    op.out = of_type(tensors_.matrix(rows, whole, right_w, lane), out);
    op.left = of_type(tensors_.matrix(rows, depth, left_w, tensors_.start_lane()), byte_type());
    op.right = of_type(tensors_.matrix(depth, whole, right_w, lane), byte_type());
    if (rng_.coin())
      op.bias = of_type(tensors_.matrix(1, whole, right_w, lane),
                        make_dtype(rng_.coin(), /*is_8bit=*/false));
    return op;
  }

  Operation l2_function() {
    using Kind = L2Function::Kind;
    shape_ = tensors_.shape();
    lane_ = tensors_.start_lane();
    L2Function op{.kind = rng_.coin() ? Kind::lookup : Kind::polynomial};
    const bool looks_up = op.kind == Kind::lookup;
    op.out = aligned(looks_up ? DType::b32 : DType::f32);
    op.in = aligned(!looks_up ? DType::f32 : rng_.coin() ? DType::u8 : DType::b32);
    const uint32_t words = looks_up ? 256 : rng_.range(1, 64);
    op.table = {.space = Space::l2,
                .dtype = looks_up ? DType::b32 : DType::f32,
                .address = uint64_t{4} * rng_.below(4000),
                .shape = {1, 1, 1, words},
                .stride = {0, 0, 0, words == 1 ? 0u : 4u}};
    if (rng_.chance(1, 4) && element_bytes(op.in.dtype) == 4) op.out.address = op.in.address;
    return op;
  }

  Operation exponent() {
    shape_ = tensors_.shape();
    lane_ = tensors_.start_lane();
    return Unary{.kind = Unary::Kind::exponent,
                 .out = aligned(rng_.coin() ? DType::i32 : DType::f32),
                 .in = aligned(DType::f32)};
  }

  Operation copy_add() {
    shape_ = tensors_.shape();
    const uint32_t to = tensors_.start_lane(), from = tensors_.start_lane();
    return CopyAdd{.out = tensors_.any(shape_, to, DType::f32, /*is_source=*/false),
                   .in = tensors_.any(shape_, from, DType::f32, /*is_source=*/true)};
  }

  Operation rearrange() {
    shape_ = tensors_.shape();
    const DType type = rng_.pick({DType::u8, DType::u16, DType::b32});
    if (rng_.chance(1, 3)) return refold(type);
    if (rng_.chance(1, 3)) return swap_cw(type);
    const Shape transposed{shape_.c, shape_.n, shape_.h, shape_.w};
    return Rearrange{.kind = Rearrange::Kind::swap_nc,
                     .out = side(transposed, type, /*is_source=*/false),
                     .in = side(shape_, type, /*is_source=*/true)};
  }

  // Converts fp32 to bytes or back, by DMA.
  Operation convert() {
    shape_ = tensors_.shape();
    const bool to_bytes = rng_.coin();
    const DType type = byte_type();
    return Convert{.out = side(shape_, to_bytes ? type : DType::f32, /*is_source=*/false),
                   .in = side(shape_, to_bytes ? DType::f32 : type, /*is_source=*/true),
                   .engine = Engine::dma};
  }

 private:
  // Gives the same elements other extents: factors move between extents.
  Operation refold(DType type) {
    Shape other = shape_;
    uint32_t* const extents[] = {&other.n, &other.c, &other.h, &other.w};
    for (uint32_t i = rng_.range(1, 3); i > 0; --i) {
      uint32_t& from = *extents[rng_.below(4)];
      const uint32_t factor = from % 3 == 0 ? 3 : from % 2 == 0 ? 2 : from;
      from /= factor;
      *extents[rng_.below(4)] *= factor;
    }
    return Rearrange{.kind = Rearrange::Kind::refold,
                     .out = side(other, type, /*is_source=*/false),
                     .in = side(shape_, type, /*is_source=*/true)};
  }
  // Transposes one matrix, between lanes.
  Operation swap_cw(DType type) {
    const Shape in{1, shape_.c, 1, shape_.w};
    const uint32_t to = tensors_.start_lane(), from = tensors_.start_lane();
    return Rearrange{.kind = Rearrange::Kind::swap_cw,
                     .out = tensors_.any({1, in.w, 1, in.c}, to, type, /*is_source=*/false),
                     .in = tensors_.any(in, from, type, /*is_source=*/true)};
  }

  DType byte_type() { return make_dtype(rng_.coin(), /*is_8bit=*/true); }
  uint32_t rshift() { return rng_.chance(1, 4) ? rng_.range(0, 31) : rng_.range(0, 12); }

  // Sets an input in 4N, and results of 8 or 16 bits.
  template <class Op>
  void set_sides(Op& op, uint32_t channels) {
    op.in = tensors_.dense(shape_, lane_, byte_type(), /*aligned=*/true, 4);
    const DType out = make_dtype(rng_.coin(), /*is_8bit=*/rng_.chance(3, 4));
    op.out = tensors_.dense({shape_.n, channels, out_h_, out_w_}, lane_, out, /*aligned=*/true, 4);
  }
  std::optional<TensorView> bias(uint32_t channels) {
    if (rng_.coin()) return std::nullopt;
    return compact({1, channels, 1, 1}, make_dtype(rng_.coin(), /*is_8bit=*/false));
  }
  MatrixView of_type(MatrixView m, DType type) {
    TensorView& t = m.tensor;
    t = tensors_.dense(t.shape, static_cast<uint32_t>(t.address / chip_.lane_bytes), type,
                       /*aligned=*/true);
    return m;
  }
};

}  // namespace

TW_FAMILY(random_bm1684_bytes, ByteWindows, {conv2d_bm1684_int8, &ByteWindows::conv},
          {winograd2d_bm1684, &ByteWindows::winograd},
          {depthwise2d_bm1684_int8, &ByteWindows::depthwise},
          {pool2d_bm1684_int8, &ByteWindows::pool}, {matmul_bm1684_int8, &ByteWindows::matmul},
          {l2_function, &ByteWindows::l2_function}, {unary, &ByteWindows::exponent},
          {copy_add, &ByteWindows::copy_add}, {rearrange, &ByteWindows::rearrange},
          {convert, &ByteWindows::convert})

}  // namespace tputwin::testing
