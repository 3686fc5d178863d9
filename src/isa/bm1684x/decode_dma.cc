// Decodes the BM1684X's GDMA commands.
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/decode.h"
#include "isa/streams/sides.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

DType data_type(const GdmaCommand& c, CommandReader& r) {
  return r.type(TW_OF(c, src_data_format), false);
}

TensorView source(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return r.side(TW_ADDRESS(c, src), s, dtype, c.stride_enable != 0 ? &strides : nullptr);
}
TensorView target(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return r.side(TW_ADDRESS(c, dst), s, dtype, c.stride_enable != 0 ? &strides : nullptr);
}

// Returns the strides of a side with contiguous rows, regardless of its w stride.
ElementStrides in_rows(ElementStrides strides) {
  strides.w = 1;
  return strides;
}

void no_fill(const GdmaCommand& c, CommandReader& r, std::string_view why) {
  r.supports(c.fill_constant_en == 0, TW_OF(c, fill_constant_en), why);
}

// Returns true if every element of the destination becomes the constant. The order of the source is
// then irrelevant.
bool fills(const GdmaCommand& c, CommandReader& r) {
  r.unconfirmed(c.fill_constant_en != 0, TW_OF(c, fill_constant_en),
                "the destination is filled and no source is read, as in variant 0.0");
  return c.fill_constant_en != 0;
}
Operation fill(const GdmaCommand& c, const TensorView& dst) {
  return Copy{.dst = dst, .src = constant_source(c.constant_value, dst.dtype)};
}

}  // namespace

// Destination sizes are read unless nchw_copy makes them equal to the source's.
Operation dma_copy(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  if (c.fill_constant_en != 0)
    return Copy{.dst = target(c, r, target_shape(c, r), dtype, target_strides(c)),
                .src = constant_source(c.constant_value, dtype)};
  const Shape from = source_shape(c, r), to = c.nchw_copy != 0 ? from : target_shape(c, r);
  const TensorView src = source(c, r, from, dtype, source_strides(c));
  const TensorView dst = target(c, r, to, dtype, target_strides(c));
  if (to == from) return Copy{.dst = dst, .src = Source::tensor(src)};
  return Rearrange{.kind = Rearrange::Kind::refold, .out = dst, .in = src};
}

// Rows in local memory are contiguous.
Operation dma_transpose_nc(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  const Shape s = source_shape(c, r);
  ElementStrides from = source_strides(c), to = target_strides(c);
  if (is_local(r, TW_ADDRESS(c, dst))) to = in_rows(to);
  const TensorView out = target(c, r, {s.c, s.n, s.h, s.w}, dtype, to);
  if (fills(c, r)) return fill(c, out);
  if (is_local(r, TW_ADDRESS(c, src))) from = in_rows(from);
  return Rearrange{
      .kind = Rearrange::Kind::swap_nc, .out = out, .in = source(c, r, s, dtype, from)};
}

Operation dma_swap_cw(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  const Shape s = source_shape(c, r);
  const TensorView out = target(c, r, {s.n, s.w, s.h, s.c}, dtype, in_rows(target_strides(c)));
  if (fills(c, r)) return fill(c, out);
  return Rearrange{.kind = Rearrange::Kind::swap_cw,
                   .out = out,
                   .in = source(c, r, s, dtype, in_rows(source_strides(c)))};
}

Operation dma_repeat_channel(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  const Shape s = target_shape(c, r);
  const TensorView out = target(c, r, s, dtype, in_rows(target_strides(c)));
  if (fills(c, r)) return fill(c, out);
  r.require(c.src_nsize == s.n, errors::isa_stream_extent, TW_OF(c, src_nsize));
  r.require(c.src_hsize == s.h, errors::isa_stream_extent, TW_OF(c, src_hsize));
  r.require(c.src_wsize == s.w, errors::isa_stream_extent, TW_OF(c, src_wsize));
  return Rearrange{.kind = Rearrange::Kind::repeat_channel,
                   .out = out,
                   .in = source(c, r, {s.n, 1, s.h, s.w}, dtype, in_rows(source_strides(c)))};
}

// Copies four times, to offsets 0, 0x8000, 0x10000 and 0x18000 from the destination. The
// destination must be between 0x20000 and 0x27fff of a lane.
Operation dma_copy_to_banks(const GdmaCommand& c, CommandReader& r, const GdmaVariant& v) {
  constexpr uint32_t kStep = 0x8000, kFirst = 0x20000;
  no_fill(c, r, "a fill of four banks is not described");
  const DType dtype = data_type(c, r);
  const Shape s = v.first_channel ? target_shape(c, r) : source_shape(c, r);
  if (v.first_channel) {
    r.require(c.src_nsize == s.n, errors::isa_stream_extent, TW_OF(c, src_nsize));
    r.require(c.src_hsize == s.h, errors::isa_stream_extent, TW_OF(c, src_hsize));
    r.require(c.src_wsize == s.w, errors::isa_stream_extent, TW_OF(c, src_wsize));
  }
  r.require(!is_local(r, TW_ADDRESS(c, src)), errors::isa_stream_address, TW_ADDRESS(c, src));
  const TensorView first = target(c, r, s, dtype, target_strides(c));
  const auto channels = v.first_channel ? static_cast<uint32_t>(c.src_csize) : s.c;
  CopyToBanks op;
  op.src = source(c, r, {s.n, std::max(channels, 1u), s.h, s.w}, dtype, source_strides(c));
  op.src.shape = s;
  if (v.first_channel) op.src.stride.c = 0;
  const bool in_place =
      first.space == Space::local && first.address % r.chip().lane_bytes - kFirst < kStep;
  r.require(in_place, errors::isa_stream_address, TW_ADDRESS(c, dst));
  for (uint32_t i = 0; i < op.dst.size(); ++i) {
    op.dst[i] = first;
    op.dst[i].address += uint64_t{i} * kStep;
  }
  return op;
}

namespace {

// The local side of a matrix, and its rows in system memory.
struct MatrixSizes {
  uint64_t rows, cols, row_stride;       // system side
  uint64_t n, c, w, n_stride, c_stride;  // local side
};
MatrixSizes sizes_of(const GdmaCommand& c, bool to_lanes) {
  if (c.cmd_short != 0)
    return {c.system_hsize, c.system_wsize, c.system_hstride, c.local_nsize,
            c.local_csize,  c.local_wsize,  c.local_nstride,  c.local_cstride};
  if (to_lanes)
    return {c.src_hsize, c.src_wsize, c.src_hstride, c.dst_nsize,
            c.dst_csize, c.dst_wsize, c.dst_nstride, c.dst_cstride};
  return {c.dst_hsize, c.dst_wsize, c.dst_hstride, c.src_nsize,
          c.src_csize, c.src_wsize, c.src_nstride, c.src_cstride};
}

}  // namespace

Operation dma_matrix(const GdmaCommand& c, CommandReader& r, const GdmaVariant& v) {
  r.unconfirmed(c.stride_enable == 0, TW_OF(c, stride_enable),
                "rows are next to each other in system memory, and aligned in lanes");
  const Named src = TW_ADDRESS(c, src), dst = TW_ADDRESS(c, dst);
  const bool to_lanes = is_local(r, dst);
  r.require(to_lanes != is_local(r, src), errors::isa_stream_address, dst);
  MatrixSizes m = sizes_of(c, to_lanes);
  if (c.stride_enable == 0) m.row_stride = m.cols;
  const DType dtype = data_type(c, r);
  // Rows and columns of the local side.
  const auto rows = r.extent({"hsize", v.transposed ? m.cols : m.rows});
  const auto cols = r.extent({"wsize", v.transposed ? m.rows : m.cols});
  const Shape lanes{r.extent({"nsize", m.n}), r.extent({"csize", m.c}), 1,
                    r.extent({"wsize", m.w})};
  r.require(lanes.n == rows, errors::isa_stream_extent, {"nsize", m.n});
  r.require(uint64_t{lanes.c} * lanes.w >= cols && uint64_t{lanes.c - 1} * lanes.w < cols,
            errors::isa_stream_extent, {"csize", m.c});
  const ElementStrides lane_strides{m.n_stride, m.c_stride, 0, 1};
  const ElementStrides row_strides =
      v.transposed ? ElementStrides{1, 0, 0, m.row_stride} : ElementStrides{m.row_stride, 0, 0, 1};
  const MatrixView local{
      r.side(to_lanes ? dst : src, lanes, dtype, c.stride_enable != 0 ? &lane_strides : nullptr),
      rows, cols};
  const MatrixView system{r.side(to_lanes ? src : dst, {rows, 1, 1, cols}, dtype, &row_strides),
                          rows, cols};
  if (fills(c, r)) {
    const bool whole = !to_lanes || uint64_t{lanes.c} * lanes.w == cols;
    r.supports(whole, TW_OF(c, fill_constant_en),
               "a fill of lanes is known where all channels have as many columns");
    return fill(c, to_lanes ? local.tensor : system.tensor);
  }
  return CopyMatrix{.dst = to_lanes ? local : system, .src = to_lanes ? system : local};
}

// All operands have the standard layout. Strides and destination sizes are not read.
Operation dma_mask_select(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  no_fill(c, r, "a selection of a constant is not described");
  const DType dtype = data_type(c, r);
  const Shape s = source_shape(c, r);
  const Shape row{1, 1, 1, static_cast<uint32_t>(s.count())};
  return MaskSelect{.kind = MaskSelect::Kind::elements,
                    .out = r.side(TW_ADDRESS(c, dst), row, dtype, nullptr),
                    .in = r.side(TW_ADDRESS(c, src), s, dtype, nullptr),
                    .mask = r.side(TW_ADDRESS(c, mask), s,
                                   r.int_type(TW_OF(c, mask_data_format), false), nullptr)};
}

Operation dma_nonzero(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  no_fill(c, r, "positions in a constant are not described");
  const Shape s = source_shape(c, r);
  const Shape row{1, 1, 1, static_cast<uint32_t>(s.count())};
  const DType index = r.int_type(TW_OF(c, index_data_format), false);
  return MaskSelect{
      .kind = MaskSelect::Kind::positions,
      .out = r.side(TW_ADDRESS(c, dst), row, index, nullptr),
      .in = r.side(TW_ADDRESS(c, src), s, r.bits_type(TW_OF(c, src_data_format)), nullptr),
      .base = static_cast<uint32_t>(c.dst_nstride)};
}

// Copies a row of src_cstride elements.
Operation dma_move(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  const Shape row{1, 1, 1, r.extent(TW_OF(c, src_cstride))};
  const TensorView dst = r.side(TW_ADDRESS(c, dst), row, dtype, nullptr);
  if (c.fill_constant_en != 0)
    return Copy{.dst = dst, .src = constant_source(c.constant_value, dtype)};
  return Copy{.dst = dst,
              .src = Source::tensor(r.side(TW_ADDRESS(c, src), row, dtype, nullptr)),
              .reads_first = true};
}

// Copies a row of src_cstride elements to each of dst_csize lanes.
Operation dma_move_to_lanes(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  const DType dtype = data_type(c, r);
  const Shape rows{1, r.extent(TW_OF(c, dst_csize)), 1, r.extent(TW_OF(c, src_cstride))};
  const Named dst = TW_ADDRESS(c, dst);
  r.require(is_local(r, dst), errors::isa_stream_address, dst);
  if (fills(c, r)) return fill(c, r.side(dst, rows, dtype, nullptr));
  TensorView src = r.side(TW_ADDRESS(c, src), rows, dtype, nullptr);
  src.stride.c = 0;
  return Copy{.dst = r.side(dst, rows, dtype, nullptr), .src = Source::tensor(src)};
}

namespace {

// Returns the result of a gather or scatter of rows: channels, rows and contiguous columns.
TensorView written_rows(const GdmaCommand& c, CommandReader& r) {
  const Shape s{1, r.extent(TW_OF(c, src_csize)), r.extent(TW_OF(c, dst_hsize)),
                r.extent(TW_OF(c, src_wsize))};
  return target(c, r, s, data_type(c, r), {0, c.dst_cstride, c.dst_hstride, 1});
}

struct Rows {
  TensorView out, param, index;
};
Rows rows_of(const GdmaCommand& c, CommandReader& r, uint32_t indexed) {
  const DType dtype = data_type(c, r);
  const uint32_t channels = r.extent(TW_OF(c, src_csize)), width = r.extent(TW_OF(c, src_wsize));
  const ElementStrides from{0, c.src_cstride, c.src_hstride, 1};
  const ElementStrides index{0, c.index_cstride, c.index_hstride, 1};
  // One index for all channels.
  const bool one = c.index_csize == 1 && channels > 1;
  r.supports(!one || !is_local(r, TW_ADDRESS(c, index)), TW_OF(c, index_csize),
             "one index for all channels is known in system memory only");
  r.unconfirmed(one, TW_OF(c, index_csize), "all channels use the one index");
  r.require(one || c.index_csize == channels, errors::isa_stream_extent, TW_OF(c, index_csize));
  TensorView positions = r.side(TW_ADDRESS(c, index), {1, one ? 1 : channels, indexed, 1},
                                DType::u32, c.stride_enable != 0 ? &index : nullptr);
  positions.shape.c = channels;
  return {.out = written_rows(c, r),
          .param = source(c, r, {1, channels, r.extent(TW_OF(c, src_hsize)), width}, dtype, from),
          .index = positions};
}

}  // namespace

Operation dma_gather(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  if (fills(c, r)) return fill(c, written_rows(c, r));
  const Rows rows = rows_of(c, r, r.extent(TW_OF(c, dst_hsize)));
  return Gather{.by = IndexedBy::h,
                .outside = Gather::Outside::fill,
                .engine = Engine::dma,
                .out = rows.out,
                .param = rows.param,
                .index = rows.index,
                .fill = element_bits(c.constant_value, rows.out.dtype)};
}

Operation dma_scatter(const GdmaCommand& c, CommandReader& r, const GdmaVariant&) {
  no_fill(c, r, "a scatter of a constant is not described");
  const Rows rows = rows_of(c, r, r.extent(TW_OF(c, src_hsize)));
  return Scatter{.by = IndexedBy::h,
                 .leaves_out = true,
                 .engine = Engine::dma,
                 .out = rows.out,
                 .param = rows.param,
                 .index = rows.index};
}

}  // namespace tputwin::isa::bm1684x_streams
