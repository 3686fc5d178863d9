// Random copies, rearrangements, gathers, scatters, selections, sorts and tables.
#include "memory/layout.h"
#include "numerics/constant_tables.h"
#include "ops/elements.h"
#include "selftest/random_bm1684x.h"

namespace tputwin::testing {
namespace {

DType type_of(Rng& rng) { return kAllTypes[rng.below(std::size(kAllTypes))]; }

class MoveGenerator {
 public:
  MoveGenerator(Rng& rng, const Chip& chip)
      : rng_(rng), chip_(chip), tensors_(rng, chip), shape_(tensors_.shape()) {}

  Operation make(OperationKind kind) {
    switch (kind) {
      case OperationKind::rearrange:
        return rearrange();
      case OperationKind::gather:
        return gather();
      case OperationKind::scatter:
        return scatter();
      case OperationKind::mask_select:
        return mask_select();
      case OperationKind::sort:
        return sort();
      case OperationKind::sequence:
        return sequence();
      case OperationKind::load_table:
        return load_table();
      case OperationKind::table_lookup:
        return table_lookup();
      case OperationKind::tpu_copy:
        return copy();
      case OperationKind::tpu_copy_matrix:
        return copy_matrix();
      default:
        return CpuCall{};
    }
  }

 private:
  TensorView aligned(const Shape& shape, uint32_t lane, DType type) {
    return tensors_.dense(shape, lane, type, /*aligned=*/true);
  }
  // In lanes or in system memory.
  TensorView side(const Shape& shape, DType type, bool is_source) {
    return rng_.coin() ? tensors_.any(shape, tensors_.start_lane(), type, is_source)
                       : tensors_.system(shape, type, is_source);
  }
  // The same from lane 0 on.
  TensorView side_of_0(const Shape& shape, DType type) {
    return rng_.coin() ? tensors_.any(shape, 0, type, /*is_source=*/false)
                       : tensors_.system(shape, type, /*is_source=*/false);
  }
  TensorView in_bank(TensorView view, uint32_t bank) {
    view.address = view.address / chip_.lane_bytes * chip_.lane_bytes + bank * chip_.bank_bytes;
    return view;
  }
  void sometimes_overlap(TensorView& out, const TensorView& in) {
    if (rng_.chance(1, 8) && out.space == in.space)
      out.address = in.address + rng_.below(3) * 4 * element_bytes(out.dtype);
  }

  Operation copy() {
    Copy op{.engine = rng_.coin() ? Engine::dma : Engine::compute};
    const DType type = type_of(rng_);
    if (op.engine == Engine::dma) {
      op.dst = side(shape_, type, /*is_source=*/false);
      op.src = Source::tensor(side(shape_, type, /*is_source=*/true));
    } else {
      const uint32_t lane = tensors_.start_lane();
      op.dst = tensors_.any(shape_, lane, type, /*is_source=*/false);
      op.src = tensors_.source(shape_, lane, type);
    }
    sometimes_overlap(op.dst, op.src.view);
    if (rng_.chance(1, 4)) op.src = Source::value(static_cast<uint32_t>(rng_.next()), type);
    return op;
  }

  // System memory holds the matrix, or its transpose.
  Operation copy_matrix() {
    const uint32_t rows = rng_.range(1, 90), cols = rng_.range(1, 90);
    const DType type = type_of(rng_);
    const uint32_t bytes = element_bytes(type), gap = rng_.coin() ? 0 : rng_.range(1, 9);
    const uint32_t width = rng_.range(1, rng_.chance(1, 6) ? cols + 20 : cols);
    const MatrixView lanes{
        aligned({rows, (cols + width - 1) / width, 1, width}, tensors_.start_lane(), type), rows,
        cols};
    MatrixView system{tensors_.system({rows, 1, 1, cols}, type, /*is_source=*/false), rows, cols};
    Stride& stride = system.tensor.stride;
    // rows that are nearer than they are long overlap
    const bool lies = rng_.coin();
    const uint32_t apart =
        rng_.chance(1, 6) ? rng_.below(lies ? rows : cols) : (lies ? rows : cols) + gap;
    stride = lies ? Stride{bytes, 0, 0, apart * bytes} : Stride{apart * bytes, 0, 0, bytes};
    return rng_.coin() ? CopyMatrix{.dst = lanes, .src = system}
                       : CopyMatrix{.dst = system, .src = lanes};
  }

  Operation rearrange() {
    using Kind = Rearrange::Kind;
    Rearrange op{.kind = static_cast<Kind>(rng_.below(5))};
    Shape& s = shape_;
    if (op.kind == Kind::swap_nc) s.n = rng_.range(1, 9);
    if (op.kind == Kind::repeat_channel) s.c = rng_.range(1, chip_.lanes);
    if (op.kind == Kind::swap_cw && rng_.coin())
      s = {rng_.range(1, 2), rng_.range(1, 150), 1, rng_.range(1, 150)};
    Shape in = s;
    if (op.kind == Kind::swap_nc) in = {s.c, s.n, s.h, s.w};
    if (op.kind == Kind::swap_cw) in = {s.n, s.w, s.h, s.c};
    if (op.kind == Kind::repeat_channel) in.c = 1;
    if (op.kind == Kind::refold)
      in = rng_.coin() ? Shape{s.w, s.h, s.n, s.c} : Shape{1, s.n * s.h, s.c, s.w};
    const DType type = type_of(rng_);
    if (op.kind == Kind::other_lanes ||
        (op.kind >= Kind::swap_cw && op.kind != Kind::refold && rng_.coin())) {
      op.engine = Engine::compute;
      const bool from_0 = op.kind == Kind::swap_cw;
      op.out = aligned(s, from_0 ? 0 : tensors_.start_lane(), type);
      op.in = aligned(in, from_0 ? 0 : tensors_.start_lane(), type);
      if (from_0 && rng_.chance(5, 6)) op.in = in_bank(op.in, 8), op.out = in_bank(op.out, 0);
      return op;
    }
    op.out = side(s, type, /*is_source=*/false);
    op.in = side(in, type, /*is_source=*/true);
    sometimes_overlap(op.out, op.in);
    return op;
  }

  // Result, param and index of the tensor engine, or of the DMA by rows.
  struct Indexed {
    IndexedBy by;
    Engine engine;
    TensorView out, param, index;
  };

  Indexed indexed(bool is_scatter) {
    Indexed x{.by = static_cast<IndexedBy>(rng_.below(4)), .engine = Engine::compute};
    if (rng_.chance(1, 3)) x.by = IndexedBy::h, x.engine = Engine::dma;
    Shape out = shape_;
    if (x.engine == Engine::dma) out.n = 1;
    const bool one_row = x.by == IndexedBy::w || x.by == IndexedBy::shared_w;
    if (one_row) out.h = 1;
    Shape param = out;
    if (rng_.coin()) param.n = 1;
    if (!one_row) param.h = rng_.range(1, 20);
    if (x.by != IndexedBy::h) param.w = rng_.range(1, 40);
    Shape walked = is_scatter ? param : out;
    walked.n = out.n;
    const DType type = type_of(rng_);
    const Shape index = index_shape(x.by, walked);
    if (x.engine == Engine::dma) {
      x.out = side_of_0(out, type);
      x.param = side_of_0(param, type);
      x.index = side_of_0(index, rng_.coin() ? DType::u32 : DType::i32);
      return x;
    }
    const DType index_type = rng_.coin() ? DType::u8 : DType::u16;
    const bool shared = x.by >= IndexedBy::shared_w;
    x.out = in_bank(aligned(out, 0, type), 0);
    x.param = in_bank(aligned(param, 0, type), 5);
    x.index = in_bank(tensors_.dense(index, 0, index_type, /*aligned=*/!shared), 10);
    if (!shared && param.n == 1) maybe_repeat(x.param);
    return x;
  }
  // A param whose first channels serve all channels of their NPUs.
  void maybe_repeat(TensorView& param) {
    if (rng_.coin()) param.stride.c = 0;
  }

  Operation gather() {
    const Indexed x = indexed(/*is_scatter=*/false);
    Gather op{.by = x.by,
              .outside = static_cast<Gather::Outside>(rng_.below(3)),
              .engine = x.engine,
              .out = x.out,
              .param = x.param,
              .index = x.index,
              .fill = static_cast<uint32_t>(rng_.next())};
    if (op.by == IndexedBy::h && rng_.chance(1, 3)) {
      op.first_row = rng_.range(0, op.param.shape.h - 1);
      op.last_row = rng_.range(op.first_row, op.param.shape.h);
    }
    return op;
  }

  Operation scatter() {
    const Indexed x = indexed(/*is_scatter=*/true);
    return Scatter{
        .by = x.by, .engine = x.engine, .out = x.out, .param = x.param, .index = x.index};
  }

  Operation mask_select() {
    using Kind = MaskSelect::Kind;
    MaskSelect op{.kind = static_cast<Kind>(rng_.below(3)),
                  .base = static_cast<uint32_t>(rng_.next())};
    const DType type = type_of(rng_), mask = kIntegerTypes[rng_.below(std::size(kIntegerTypes))];
    if (op.kind == Kind::rows) {
      Shape s = shape_;
      s.h = 1;
      const Shape one{rng_.coin() ? 1 : s.n, s.c, 1, s.w};
      op.engine = Engine::compute;
      op.out = in_bank(aligned(s, 0, type), 0);
      op.in = in_bank(aligned(one, 0, type), 5);
      if (one.n == 1) maybe_repeat(op.in);
      op.mask = in_bank(aligned(s, 0, mask), 9);
      op.count = in_bank(tensors_.dense({s.n, s.c, 1, 1}, 0, DType::u16, /*aligned=*/false), 14);
      return op;
    }
    const bool positions = op.kind == Kind::positions;
    if (!positions || rng_.coin()) shape_.n = 1;
    op.in = shape_.n > 1 ? tensors_.system(shape_, mask, /*is_source=*/false)
                         : side(shape_, positions ? mask : type, /*is_source=*/false);
    op.mask = positions ? op.in : side(shape_, mask, /*is_source=*/false);
    op.out = row(static_cast<uint32_t>(shape_.count()), positions ? DType::u32 : type);
    return op;
  }

  TensorView row(uint32_t length, DType type) {
    return tensors_.system({1, 1, 1, length}, type, /*is_source=*/false);
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
    LoadTable op{.address = rng_.range(0, kStaticWords * 4), .distributed = rng_.coin()};
    const uint32_t count = rng_.range(1, 200);
    const Shape s = op.distributed ? Shape{1, count, 1, 1} : Shape{1, rng_.range(1, 64), 1, count};
    op.rounded = op.address % 4 == 0 && rng_.coin();
    const DType type = op.rounded ? rng_.pick({DType::f16, DType::bf16}) : type_of(rng_);
    op.out = tensors_.dense(s, 0, type, /*aligned=*/rng_.coin());
    return op;
  }

  Operation table_lookup() {
    const uint32_t lane = tensors_.start_lane();
    const DType type = type_of(rng_);
    TableLookup op{.out = aligned(shape_, lane, type),
                   .in = aligned(shape_, lane, rng_.coin() ? DType::u8 : DType::u16),
                   .table = aligned({1, chip_.lanes, 1, rng_.range(1, 600)}, 0, type)};
    sometimes_overlap(op.out, rng_.coin() ? op.in : op.table);
    return op;
  }

  Rng& rng_;
  const Chip& chip_;
  Bm1684Tensors tensors_;
  Shape shape_;
};

template <class F>
void fill_with(const TensorView& view, const Memory& memory, F&& value) {
  for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(view, n, c, h, w, static_cast<int32_t>(value(w)));
  });
}

// Indices into a side of that shape, all of them, or most of them, inside.
void fill_index(Rng& rng, IndexedBy by, const TensorView& index, const Shape& s,
                const Memory& memory) {
  const bool strays = rng.chance(1, 3);
  fill_with(index, memory, [&](uint32_t w) {
    const bool row = by == IndexedBy::h || (by == IndexedBy::shared_hw && w == 1);
    if (strays && rng.chance(1, 20)) return static_cast<uint32_t>(rng.next());
    return rng.range(0, (row ? s.h : s.w) - 1);
  });
}

void fill_mask(Rng& rng, const TensorView& mask, const Memory& memory) {
  const uint32_t dense = rng.range(1, 9);
  fill_with(mask, memory, [&](uint32_t) {
    return rng.chance(dense, 10) ? static_cast<uint32_t>(rng.next()) : 0u;
  });
}

}  // namespace

Operation random_tpu_move(Rng& rng, OperationKind kind, const Chip& chip) {
  return MoveGenerator(rng, chip).make(kind);
}

void fill_tpu_indices(Rng& rng, const Operation& operation, const Memory& memory) {
  if (const auto* op = std::get_if<Gather>(&operation))
    fill_index(rng, op->by, op->index, op->param.shape, memory);
  if (const auto* op = std::get_if<Scatter>(&operation))
    fill_index(rng, op->by, op->index, op->out.shape, memory);
  if (const auto* op = std::get_if<TableLookup>(&operation))
    fill_index(rng, IndexedBy::w, op->in, op->table.shape, memory);
  if (const auto* op = std::get_if<MaskSelect>(&operation))
    fill_mask(rng, op->kind == MaskSelect::Kind::positions ? op->in : op->mask, memory);
}

}  // namespace tputwin::testing
