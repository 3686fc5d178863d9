// Random gathers, scatters, mask selections and table lookups of the BM1684X.
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

// Operands start in lane 0, except for table lookups.
class Indexing : TensorFamily {
 public:
  Indexing(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) { shape_ = tensors_.shape(); }

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
    MaskSelect op{.kind = static_cast<Kind>(rng_.below(5)),
                  .base = static_cast<uint32_t>(rng_.next())};
    if (op.kind != Kind::elements && op.kind != Kind::positions) return select_rows(op);
    const DType type = any_type(), mask = integer_type();
    const bool positions = op.kind == Kind::positions;
    if (!positions || rng_.coin()) shape_.n = 1;
    op.in = shape_.n > 1 ? tensors_.system(shape_, mask, /*is_source=*/false)
                         : side(shape_, positions ? mask : type, /*is_source=*/false);
    op.mask = positions ? op.in : side(shape_, mask, /*is_source=*/false);
    const Shape row{1, 1, 1, static_cast<uint32_t>(shape_.count())};
    op.out = tensors_.system(row, positions ? DType::u32 : type, /*is_source=*/false);
    return op;
  }

  // Selects from every row, or selects rows of every channel.
  MaskSelect select_rows(MaskSelect op) {
    using Kind = MaskSelect::Kind;
    const bool positions = op.kind == Kind::row_positions, lines = op.kind == Kind::lines;
    const DType mask = integer_type(), type = positions ? mask : any_type();
    Shape s = shape_;
    if (!lines) s.h = 1;
    const Shape one{rng_.coin() ? 1 : s.n, s.c, s.h, s.w};
    op.engine = Engine::compute;
    op.out = in_bank(aligned(s, positions ? rng_.pick({DType::u16, DType::u32}) : type), 0);
    op.in = in_bank(aligned(one, type), 5);
    if (one.n == 1) maybe_repeat(op.in);
    if (!positions) op.mask = in_bank(aligned(lines ? Shape{s.n, s.c, s.h, 1} : s, mask), 9);
    op.count = in_bank(compact({s.n, s.c, 1, 1}, DType::u16), 14);
    return op;
  }

  Operation table_lookup() {
    TableLookup op;
    op.table = aligned({1, chip_.lanes, 1, rng_.range(1, 600)}, any_type());
    lane_ = tensors_.start_lane();
    op.out = aligned(op.table.dtype);
    op.in = aligned(rng_.coin() ? DType::u8 : DType::u16);
    sometimes_overlap(op.out, rng_.coin() ? op.in : op.table);
    return op;
  }

 private:
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
    const DType type = any_type();
    const Shape index = index_shape(x.by, walked);
    if (x.engine == Engine::dma) {
      x.out = side_of_0(out, type);
      x.param = side_of_0(param, type);
      x.index = side_of_0(index, rng_.coin() ? DType::u32 : DType::i32);
      return x;
    }
    const DType index_type = rng_.coin() ? DType::u8 : DType::u16;
    const bool shared = x.by >= IndexedBy::shared_w;
    x.out = in_bank(aligned(out, type), 0);
    x.param = in_bank(aligned(param, type), 5);
    x.index = in_bank(tensors_.dense(index, 0, index_type, /*aligned=*/!shared), 10);
    if (!shared && param.n == 1) maybe_repeat(x.param);
    return x;
  }
  // Sometimes lets the first channels of the param serve all channels of their NPUs.
  void maybe_repeat(TensorView& param) {
    if (rng_.coin()) param.stride.c = 0;
  }
  // Returns a tensor in lanes or in system memory.
  TensorView side_of_0(const Shape& shape, DType type) {
    return rng_.coin() ? tensors_.any(shape, 0, type, /*is_source=*/false)
                       : tensors_.system(shape, type, /*is_source=*/false);
  }
};

}  // namespace

TW_FAMILY(random_bm1684x_indexed, Indexing, {gather, &Indexing::gather},
          {scatter, &Indexing::scatter}, {mask_select, &Indexing::mask_select},
          {table_lookup, &Indexing::table_lookup})

}  // namespace tputwin::testing
