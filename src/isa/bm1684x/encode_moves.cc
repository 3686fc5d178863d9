// Encodes the BM1684X's operations with parameters per channel, and those that rearrange elements:
// classes RQ/DQ, TRANS/BC, SG and SGL.
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// ---- RQ/DQ ----

// Writes parameter `index` of a channel. Each channel has `count` parameters, from operand 1 on.
void parameter(const Source& source, uint32_t count, uint32_t index, TiuWriter& w) {
  TensorView first = source.view;
  first.address -= uint64_t{index} * element_bytes(first.dtype);
  CommandReader reader(w.chip());
  TensorView expected =
      reader.aligned({"opd1_addr", first.address}, {1, first.shape.c, 1, count}, first.dtype);
  expected.shape = first.shape;
  expected.stride.n = expected.stride.h = expected.stride.w = 0;
  w.require(!source.is_constant && expected == first, "quant_addr", describe(source.view));
  w.command.opd1_addr = first.address;
}

uint32_t low(const Source& source, uint32_t mask) { return source.constant & mask; }

void integers(const Requantize& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  const bool narrow = op.kind == Requantize::Kind::to_narrow;
  c.opd2_n_str = static_cast<uint64_t>(op.rounding);
  if (!op.multiplier.is_constant) {
    parameter(op.multiplier, 3, narrow ? 0 : 1, w);
    parameter(op.shift, 3, narrow ? 1 : 2, w);
    return parameter(op.offset, 3, narrow ? 2 : 0, w);
  }
  c.opd1_const = 1;
  const uint32_t shift = low(op.shift, 0xff), offset = low(op.offset, 0xffff);
  c.opd1_addr = narrow ? op.multiplier.constant : offset | shift << 16;
  c.opd2_addr = narrow ? shift | offset << 16 : op.multiplier.constant;
}

void reals(const Requantize& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  const bool narrow = op.kind == Requantize::Kind::f32_narrow;
  if (narrow)
    c.opd2_n_str = static_cast<uint64_t>(op.in_rounding) | static_cast<uint64_t>(op.rounding) << 3;
  if (!op.multiplier.is_constant) {
    parameter(op.multiplier, 2, narrow ? 0 : 1, w);
    return parameter(op.offset, 2, narrow ? 1 : 0, w);
  }
  c.opd1_const = 1;
  c.opd1_addr = narrow ? op.multiplier.constant : low(op.offset, 0xffff);
  c.opd2_addr = narrow ? op.offset.constant : op.multiplier.constant;
}

}  // namespace

void encode(const Requantize& op, TiuWriter& w) {
  w.shape(op.out.shape);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.in);
  if (is_signed(op.out.dtype)) w.command.opd2_sign = 1;
  w.operation(kRqdq, requantize, [&](const TiuVariant& v) { return v.scaling == op.kind; });
  const bool of_integers =
      op.kind == Requantize::Kind::to_narrow || op.kind == Requantize::Kind::to_wide;
  of_integers ? integers(op, w) : reals(op, w);
}

// ---- TRANS/BC ----

void encode(const Rearrange& op, TiuWriter& w) {
  w.shape(op.out.shape);
  w.aligned(kOpd0, op.in);
  w.command.opd0_c = op.in.shape.c;
  w.command.opd0_w = op.in.shape.w;
  if (op.kind != Rearrange::Kind::swap_cw) {
    w.aligned(kRes0, op.out);
    return w.operation(kTransBc, to_lanes,
                       [&](const TiuVariant& v) { return v.rearranged == op.kind; });
  }
  CommandReader reader(w.chip());
  const bool plain =
      reader.aligned({"res0_addr", op.out.address}, op.out.shape, op.out.dtype) == op.out;
  w.type(kRes0, op.out.dtype);
  w.fixed(kRes0, op.out, op.out.shape,
          plain ? &CommandReader::aligned : &CommandReader::line_aligned);
  w.operation(kTransBc, transpose, [&](const TiuVariant& v) { return v.rows_aligned != plain; });
}

void encode(const LoadTable& op, TiuWriter& w) {
  constexpr uint64_t kStaticBase = 0x900'0000;
  w.require(!op.rounded, "rounded", "true");
  w.shape(op.out.shape);
  w.type(kRes0, op.out.dtype);
  w.fixed(kRes0, op.out, op.out.shape,
          op.distributed ? &CommandReader::compact : &CommandReader::aligned);
  w.command.opd0_addr = kStaticBase + op.address;
  w.operation(kTransBc, from_static,
              [&](const TiuVariant& v) { return v.along_w != op.distributed; });
}

// ---- SG, SGL ----

namespace {

// Rows of SGL start at multiples of 64 bytes.
void data(const OperandFields& fields, const TensorView& view, bool rows, TiuWriter& w) {
  w.type(fields, view.dtype);
  w.fixed(fields, view, view.shape, rows ? &CommandReader::line_aligned : &CommandReader::aligned);
}

// Writes the indexed operand. With a c stride of 0 every channel reads the first row of its lane.
void param(const TensorView& view, bool rows, TiuWriter& w) {
  TiuCommand& c = w.command;
  CommandReader reader(w.chip());
  const Named address{"opd0_addr", view.address};
  TensorView expected = rows ? reader.line_aligned(address, view.shape, view.dtype)
                             : reader.aligned(address, view.shape, view.dtype);
  c.opd0_str = rows ? kStrided : kAligned;
  if (expected != view) {
    expected.stride.c = 0;
    c.opd0_str = kOneForAll;
  }
  w.require(expected == view, "param_addr", describe(view));
  w.type(kOpd0, view.dtype);
  c.opd0_addr = view.address;
  c.opd0_h = view.shape.h;
  c.opd0_w = view.shape.w;
}

template <class Op>
void indexed(const Op& op, const Shape& walked, TiuWriter& w) {
  TiuCommand& c = w.command;
  const bool rows = op.by == IndexedBy::h;
  w.shape(op.out.shape);
  data(kRes0, op.out, rows, w);
  param(op.param, rows, w);
  w.type(kOpd1, op.index.dtype);
  w.fixed(kOpd1, op.index, op.index.shape,
          is_shared(op.by) ? &CommandReader::compact : &CommandReader::aligned);
  c.opd1_c = is_shared(op.by) ? walked.h * walked.w : walked.c;
  c.opd1_w = is_shared(op.by) ? 1 : walked.w;
}

}  // namespace

void encode(const Gather& op, TiuWriter& w) {
  indexed(op, op.out.shape, w);
  w.require(op.first_row == 0 && op.last_row == UINT32_MAX, "first_row", "");
  w.command.opd3_const = op.outside != Gather::Outside::fault;
  if (op.outside == Gather::Outside::fill) w.constant(kOpd2, op.fill);
  w.operation(kSg, gather, [&](const TiuVariant& v) { return v.by == op.by; });
}

void encode(const Scatter& op, TiuWriter& w) {
  indexed(op, op.param.shape, w);
  w.command.opd3_const = op.leaves_out;
  w.operation(kSg, scatter, [&](const TiuVariant& v) { return v.by == op.by; });
}

void encode(const TableLookup& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  const Shape& s = op.out.shape;
  w.shape(s);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd1, op.in);
  c.opd1_c = s.c;
  c.opd1_w = s.w;
  w.type(kOpd0, op.table.dtype);
  w.fixed(kOpd0, op.table, op.table.shape, &CommandReader::aligned);
  c.opd0_addr += op.out.address / w.chip().lane_bytes * w.chip().lane_bytes;
  c.opd0_h = 1;
  c.opd0_w = op.table.shape.w;
  c.opd0_str = kOneForAll;
  w.operation(kSg, gather, [](const TiuVariant& v) { return v.by == IndexedBy::w; });
}

void encode(const MaskSelect& op, TiuWriter& w) {
  using Kind = MaskSelect::Kind;
  TiuCommand& c = w.command;
  const bool lines = op.kind == Kind::lines;
  w.shape(op.out.shape);
  data(kRes0, op.out, lines, w);
  param(op.in, lines, w);
  c.opd1_c = op.out.shape.c;
  c.opd1_w = op.out.shape.w;
  if (op.kind == Kind::rows) w.aligned(kOpd1, op.mask);
  if (lines) {
    TensorView mask = op.mask;  // one compact row
    mask.shape = {mask.shape.n, mask.shape.c, 1, mask.shape.h};
    mask.stride.w = mask.stride.h;
    mask.stride.h = 0;
    w.type(kOpd1, mask.dtype);
    w.fixed(kOpd1, mask, mask.shape, &CommandReader::compact);
  }
  const OperandFields count{"res1", &TiuCommand::res1_addr};
  w.fixed(count, *op.count, op.count->shape, &CommandReader::compact);
  w.operation(kSg, lines ? row_select : mask_select,
              [&](const TiuVariant& v) { return v.chosen == op.kind; });
}

}  // namespace tputwin::isa::bm1684x_streams
