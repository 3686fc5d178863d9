// Random copies, rearrangements, sorts, sequences and loads of tables of the BM1684X.
#include "numerics/constant_tables.h"
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

class Moves : TensorFamily {
 public:
  Moves(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) { shape_ = tensors_.shape(); }

  Operation copy() {
    Copy op{.engine = rng_.coin() ? Engine::dma : Engine::compute};
    const DType type = any_type();
    if (op.engine == Engine::dma) {
      op.dst = side(shape_, type, /*is_source=*/false);
      op.src = Source::tensor(rng_.chance(1, 4) ? crossed(shape_, type, /*is_source=*/true)
                                                : side(shape_, type, /*is_source=*/true));
    } else {
      lane_ = tensors_.start_lane();
      op.dst = result(type);
      op.src = source(type);
    }
    sometimes_overlap(op.dst, op.src.view);
    if (rng_.chance(1, 4)) op.src = Source::value(static_cast<uint32_t>(rng_.next()), type);
    return op;
  }

  // Copies between lanes and system memory, which holds the matrix or its transpose.
  Operation copy_matrix() {
    const uint32_t rows = rng_.range(1, 90), cols = rng_.range(1, 90);
    const DType type = any_type();
    const uint32_t bytes = element_bytes(type), gap = rng_.coin() ? 0 : rng_.range(1, 9);
    const uint32_t width = rng_.range(1, rng_.chance(1, 6) ? cols + 20 : cols);
    lane_ = tensors_.start_lane();
    const MatrixView lanes{aligned({rows, (cols + width - 1) / width, 1, width}, type), rows, cols};
    MatrixView system{tensors_.system({rows, 1, 1, cols}, type, /*is_source=*/false), rows, cols};
    Stride& stride = system.tensor.stride;
    // Rows overlap if their distance is less than their length.
    const bool is_by_columns = rng_.coin();
    const uint32_t distance = rng_.chance(1, 6) ? rng_.below(is_by_columns ? rows : cols)
                                                : (is_by_columns ? rows : cols) + gap;
    stride = is_by_columns ? Stride{bytes, 0, 0, distance * bytes}
                           : Stride{distance * bytes, 0, 0, bytes};
    return rng_.coin() ? CopyMatrix{.dst = lanes, .src = system}
                       : CopyMatrix{.dst = system, .src = lanes};
  }

  Operation copy_to_banks() {
    const DType type = any_type();
    CopyToBanks op;
    lane_ = tensors_.start_lane();
    for (TensorView& dst : op.dst) dst = aligned(shape_, type);
    op.src = tensors_.system(shape_, type, /*is_source=*/true);
    if (rng_.chance(1, 4)) op.src.stride.c = 0;
    return op;
  }

  Operation rearrange() {
    using Kind = Rearrange::Kind;
    Rearrange op{.kind = static_cast<Kind>(rng_.below(5))};
    const Shape in = rearranged(op.kind);
    const DType type = any_type();
    if (op.kind == Kind::other_lanes ||
        (op.kind >= Kind::swap_cw && op.kind != Kind::refold && rng_.coin())) {
      op.engine = Engine::compute;
      const bool from_0 = op.kind == Kind::swap_cw;
      op.out = from_any_lane(shape_, type, from_0);
      op.in = from_any_lane(in, type, from_0);
      if (from_0 && rng_.chance(5, 6)) op.in = in_bank(op.in, 8), op.out = in_bank(op.out, 0);
      return op;
    }
    op.out = side(shape_, type, /*is_source=*/false);
    op.in = side(in, type, /*is_source=*/true);
    sometimes_overlap(op.out, op.in);
    return op;
  }

  Operation sort() {
    const uint32_t length = rng_.range(1, 500), first = rng_.range(1, length);
    const DType type = rng_.pick({DType::f32, DType::i32, DType::u32});
    Sort op{.descending = rng_.coin(), .out = row(first, type), .in = row(length, type)};
    if (rng_.coin()) op.out_index = row(first, DType::i32);
    if (op.out_index && rng_.coin()) op.in_index = row(length, DType::i32);
    return op;
  }

  Operation sequence() {
    auto number = [&] { return static_cast<uint32_t>(rng_.next()); };
    shape_.n = shape_.h = 1;
    const bool wide = rng_.chance(2, 3);
    return Sequence{
        .out = tensors_.dense(shape_, 0, wide ? DType::i32 : DType::u16, /*aligned=*/rng_.coin()),
        .start = number(),
        .step_c = number(),
        .step_w = number(),
        .by_lane = wide && rng_.chance(1, 8)};
  }

  Operation load_table() {
    LoadTable op{.address = rng_.range(0, kStaticWords * 4), .distributed = rng_.chance(1, 3)};
    const uint32_t count = rng_.range(1, 200);
    const Shape s = op.distributed ? Shape{1, count, 1, 1} : Shape{1, rng_.range(1, 64), 1, count};
    op.rounded = op.address % 4 == 0 && rng_.coin();
    const DType type = op.rounded ? rng_.pick({DType::f16, DType::bf16}) : any_type();
    op.out = tensors_.dense(s, 0, type, /*aligned=*/rng_.coin());
    return op;
  }

 private:
  // Draws a new shape if the kind requires one. Returns the input's shape.
  Shape rearranged(Rearrange::Kind kind) {
    using enum Rearrange::Kind;
    Shape& s = shape_;
    if (kind == swap_nc) s.n = rng_.range(1, 9);
    if (kind == repeat_channel) s.c = rng_.range(1, chip_.lanes);
    if (kind == swap_cw && rng_.coin())
      s = {rng_.range(1, 2), rng_.range(1, 150), 1, rng_.range(1, 150)};
    switch (kind) {
      case swap_nc:
        return {s.c, s.n, s.h, s.w};
      case swap_cw:
        return {s.n, s.w, s.h, s.c};
      case repeat_channel:
        return {s.n, 1, s.h, s.w};
      case refold:
        return rng_.coin() ? Shape{s.w, s.h, s.n, s.c} : Shape{1, s.n * s.h, s.c, s.w};
      default:
        return s;
    }
  }
  TensorView from_any_lane(const Shape& shape, DType type, bool from_0) {
    lane_ = from_0 ? 0 : tensors_.start_lane();
    return aligned(shape, type);
  }
  TensorView row(uint32_t length, DType type) {
    return tensors_.system({1, 1, 1, length}, type, /*is_source=*/false);
  }
};

}  // namespace

TW_FAMILY(random_bm1684x_moves, Moves, {copy_bm1684x, &Moves::copy},
          {copy_matrix_bm1684x, &Moves::copy_matrix}, {copy_to_banks, &Moves::copy_to_banks},
          {rearrange_bm1684x, &Moves::rearrange}, {sort, &Moves::sort},
          {sequence, &Moves::sequence}, {load_table, &Moves::load_table})

}  // namespace tputwin::testing
