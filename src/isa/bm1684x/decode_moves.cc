// Decodes the BM1684X's commands that rearrange elements: classes TRANS/BC (5), SG and SGL (6).
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/decode.h"

namespace tputwin::isa::bm1684x_streams {
namespace {}  // namespace

// ---- TRANS/BC ----

Operation transpose(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType dtype = r.type(TW_OF(c, res0_prec), false);
  return Rearrange{.kind = Rearrange::Kind::swap_cw,
                   .engine = Engine::compute,
                   .out = v.rows_aligned ? r.line_aligned(TW_OF(c, res0_addr), s, dtype)
                                         : r.aligned(TW_OF(c, res0_addr), s, dtype),
                   .in = r.aligned(TW_OF(c, opd0_addr), {s.n, s.w, s.h, s.c}, dtype)};
}

Operation to_lanes(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType dtype = r.type(TW_OF(c, res0_prec), false);
  const bool repeats = v.rearranged == Rearrange::Kind::repeat_channel;
  return Rearrange{.kind = v.rearranged,
                   .engine = Engine::compute,
                   .out = r.aligned(TW_OF(c, res0_addr), s, dtype),
                   .in = r.aligned(TW_OF(c, opd0_addr), {s.n, repeats ? 1 : s.c, s.h, s.w}, dtype)};
}

// Loads a row to every lane, or one element to each lane.
Operation from_static(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  constexpr uint64_t kStaticBase = 0x900'0000;
  const uint32_t channels = r.extent(TW_OF(c, res0_c));
  const Shape s{1, channels, 1, v.along_w ? r.extent(TW_OF(c, res0_w)) : 1};
  const bool in_static = c.opd0_addr >= kStaticBase && c.opd0_addr - kStaticBase < UINT16_MAX;
  r.require(in_static, errors::isa_stream_address, TW_OF(c, opd0_addr));
  const DType dtype = r.type(TW_OF(c, res0_prec), false);
  return LoadTable{.out = v.along_w ? r.aligned(TW_OF(c, res0_addr), s, dtype)
                                    : r.compact(TW_OF(c, res0_addr), s, dtype),
                   .address = static_cast<uint32_t>(c.opd0_addr - kStaticBase),
                   .distributed = !v.along_w};
}

// ---- SG, SGL ----

namespace {

bool is_sgl(const TiuCommand& c) { return c.tsk_eu_typ >= kFirstSgl; }

// Returns the data type. SGL has only one type field for both sides.
DType data_type(const TiuCommand& c, CommandReader& r) {
  if (!is_sgl(c))
    r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  return r.type(TW_OF(c, res0_prec), false);
}

TensorView data(CommandReader& r, const Named& address, const Shape& s, DType dtype, bool rows) {
  return rows ? r.line_aligned(address, s, dtype) : r.aligned(address, s, dtype);
}

// Returns the indexed operand. With kOneForAll every channel reads the first row of its lane.
TensorView param_of(const TiuCommand& c, CommandReader& r, const Shape& s, DType dtype) {
  const uint64_t plain = is_sgl(c) ? kStrided : kAligned;
  r.require(c.opd0_str == plain || c.opd0_str == kOneForAll, errors::isa_stream_layout,
            TW_OF(c, opd0_str));
  TensorView view = data(r, TW_OF(c, opd0_addr), s, dtype, is_sgl(c));
  if (c.opd0_str == kOneForAll) view.stride.c = 0;
  return view;
}

TensorView index_of(const TiuCommand& c, CommandReader& r, IndexedBy by, const Shape& walked) {
  const DType dtype = r.int_type(TW_OF(c, opd1_prec), false);
  const Shape s = index_shape(by, walked);
  return is_shared(by) ? r.compact(TW_OF(c, opd1_addr), s, dtype)
                       : r.aligned(TW_OF(c, opd1_addr), s, dtype);
}

// Returns the shape of operand 0. If every element has its own index, one batch serves all.
Shape param_shape(const TiuCommand& c, CommandReader& r, IndexedBy by, const Shape& s) {
  const uint32_t height = r.extent(TW_OF(c, opd0_h));
  if (by == IndexedBy::h) return {1, s.c, height, s.w};
  const uint32_t width = r.extent(TW_OF(c, opd0_w));
  return {is_shared(by) ? s.n : 1, s.c, by == IndexedBy::shared_hw ? height : 1, width};
}

bool is_bounded(const TiuCommand& c) { return c.opd3_const != 0; }

// Returns true for a table lookup: all channels of a lane use one table.
bool is_lookup(const TiuCommand& c, const TiuVariant& v) {
  return v.by == IndexedBy::w && c.opd0_str == kOneForAll && !is_bounded(c);
}

Operation lookup(const TiuCommand& c, CommandReader& r, const Shape& s, DType dtype) {
  const TensorView out = r.aligned(TW_OF(c, res0_addr), s, dtype);
  return TableLookup{
      .out = out,
      .in = index_of(c, r, IndexedBy::w, s),
      .table = r.per_lane(TW_OF(c, opd0_addr), r.extent(TW_OF(c, opd0_w)), dtype, out),
      .fault = std::make_shared<IndexFault>()};
}

}  // namespace

Operation gather(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType dtype = data_type(c, r);
  r.unconfirmed(v.unconfirmed, TW_OF(c, tsk_eu_typ),
                "the values are one tensor, which may cross banks, as of operation 5");
  if (is_lookup(c, v)) return lookup(c, r, s, dtype);
  Gather op{.by = v.by,
            .out = data(r, TW_OF(c, res0_addr), s, dtype, is_sgl(c)),
            .param = param_of(c, r, param_shape(c, r, v.by, s), dtype),
            .index = index_of(c, r, v.by, s),
            .fault = std::make_shared<IndexFault>()};
  if (is_bounded(c)) op.outside = c.opd2_const != 0 ? Gather::Outside::fill : Gather::Outside::skip;
  if (op.outside == Gather::Outside::fill) op.fill = element_bits(c.opd2_addr, dtype);
  return op;
}

Operation scatter(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType dtype = data_type(c, r);
  Shape walked = param_shape(c, r, v.by, s);
  // With pairs of indices, one row holds all elements.
  if (v.by == IndexedBy::shared_hw) walked.h = 1;
  const TensorView param = param_of(c, r, walked, dtype);
  walked.n = s.n;
  return Scatter{.by = v.by,
                 .leaves_out = is_bounded(c),
                 .out = data(r, TW_OF(c, res0_addr), s, dtype, is_sgl(c)),
                 .param = param,
                 .index = index_of(c, r, v.by, walked),
                 .fault = std::make_shared<IndexFault>()};
}

namespace {

// Returns the tensor with the number of chosen elements of each row.
TensorView count_of(const TiuCommand& c, CommandReader& r, const Shape& s) {
  return r.compact(TW_OF(c, res1_addr), {s.n, s.c, 1, 1}, DType::u16);
}

}  // namespace

Operation mask_select(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  r.require(s.h == 1, errors::isa_stream_extent, TW_OF(c, res0_h));
  MaskSelect op{.kind = v.chosen, .engine = Engine::compute, .count = count_of(c, r, s)};
  const Shape param{v.chosen == MaskSelect::Kind::rows ? 1 : s.n, s.c, 1, s.w};
  if (v.chosen == MaskSelect::Kind::rows) {
    op.out = r.aligned(TW_OF(c, res0_addr), s, data_type(c, r));
    op.in = param_of(c, r, param, op.out.dtype);
    op.mask = r.aligned(TW_OF(c, opd1_addr), s, r.int_type(TW_OF(c, opd1_prec), false));
    return op;
  }
  op.out = r.aligned(TW_OF(c, res0_addr), s, r.int_type(TW_OF(c, res0_prec), false));
  r.require(element_bytes(op.out.dtype) > 1, errors::isa_stream_type, TW_OF(c, res0_prec));
  op.in = param_of(c, r, param, r.int_type(TW_OF(c, opd0_prec), false));
  return op;
}

Operation row_select(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType dtype = data_type(c, r);
  const Shape param{s.n, s.c, r.extent(TW_OF(c, opd0_h)), s.w};
  TensorView mask = r.compact(TW_OF(c, opd1_addr), {param.n, param.c, 1, param.h},
                              r.int_type(TW_OF(c, opd1_prec), false));
  mask.shape = {param.n, param.c, param.h, 1};
  mask.stride.h = mask.stride.w;
  mask.stride.w = 0;
  return MaskSelect{.kind = v.chosen,
                    .engine = Engine::compute,
                    .out = r.line_aligned(TW_OF(c, res0_addr), s, dtype),
                    .in = param_of(c, r, param, dtype),
                    .mask = mask,
                    .count = count_of(c, r, s)};
}

}  // namespace tputwin::isa::bm1684x_streams
