// Decodes the BM1684's GDMA commands.
#include "base/bits.h"
#include "isa/bm1684/codes.h"
#include "isa/bm1684/decode.h"
#include "isa/streams/sides.h"

namespace tputwin::isa::bm1684_streams {
namespace {

DType data_type(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.src_data_format <= kSecondBytes, TW_OF(c, src_data_format));
  return c.src_data_format == k32Bits   ? DType::b32
         : c.src_data_format == k16Bits ? DType::u16
                                        : DType::u8;
}

bool from_local(const GdmaCommand& c) {
  return c.direction == kLocalToSystem || c.direction == kLocalToLocal;
}
bool to_local(const GdmaCommand& c) {
  return c.direction == kSystemToLocal || c.direction == kLocalToLocal;
}

// Returns the element type of a conversion.
DType number_type(uint64_t format) {
  constexpr DType kTypes[] = {DType::f32, DType::u16, DType::u8, DType::i8};
  return kTypes[format & 3];
}

// Checks that the side of a transfer is in the memory that the direction requires.
const Named& sided(CommandReader& r, const Named& address, bool in_lanes) {
  r.require(is_local(r, address) == in_lanes, errors::isa_stream_address, address);
  return address;
}
TensorView side(const GdmaCommand& c, CommandReader& r, const Named& address, bool in_lanes,
                const Shape& shape, DType dtype, const ElementStrides& strides) {
  return r.side(sided(r, address, in_lanes), shape, dtype,
                c.stride_enable != 0 ? &strides : nullptr);
}
TensorView source(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return side(c, r, TW_ADDRESS(c, src), from_local(c), s, dtype, strides);
}
TensorView target(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return side(c, r, TW_ADDRESS(c, dst), to_local(c), s, dtype, strides);
}

// Returns the shape of both sides, which must be equal.
Shape common_shape(const GdmaCommand& c, CommandReader& r) {
  if (c.chw_copy != 0) return source_shape(c, r);
  const Shape s = target_shape(c, r);
  r.supports(c.src_nsize == s.n, TW_OF(c, src_nsize));
  r.supports(c.src_csize == s.c, TW_OF(c, src_csize));
  r.supports(c.src_hsize == s.h, TW_OF(c, src_hsize));
  r.supports(c.src_wsize == s.w, TW_OF(c, src_wsize));
  return s;
}

// Copies a tensor. If the shapes differ, elements are copied in index order.
Operation copy_tensor(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  const Shape from = source_shape(c, r), to = c.chw_copy != 0 ? from : target_shape(c, r);
  const TensorView dst = target(c, r, to, dtype, target_strides(c));
  const TensorView src = source(c, r, from, dtype, source_strides(c));
  if (from == to) return Copy{.engine = Engine::dma, .dst = dst, .src = Source::tensor(src)};
  r.require(from.count() == to.count(), errors::isa_stream_extent, TW_OF(c, dst_nsize));
  return Rearrange{.kind = Rearrange::Kind::refold, .out = dst, .in = src};
}

// Copies a run of elements; a run in local memory is inside one lane. The source's n stride holds
// the number of elements.
Operation copy_run(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.special_func == kTensor, TW_OF(c, special_func));
  r.supports(c.sys_mem_type == 0, TW_OF(c, sys_mem_type));
  const DType dtype = data_type(c, r);
  const Shape s{1, 1, 1, r.extent(TW_OF(c, src_nstride))};
  const ElementStrides one{0, 0, 0, 1};
  return Copy{
      .engine = Engine::dma,
      .dst = r.side(sided(r, TW_ADDRESS(c, dst), to_local(c)), s, dtype, &one),
      .src = Source::tensor(r.side(sided(r, TW_ADDRESS(c, src), from_local(c)), s, dtype, &one))};
}

// Converts between integers and floating-point numbers, rounded to nearest even.
Operation convert(const GdmaCommand& c, CommandReader& r) {
  const DType from = number_type(c.src_data_format), to = number_type(c.dst_data_format);
  r.require(from != DType::u16 && (is_float(from) != is_float(to)), errors::isa_stream_type,
            TW_OF(c, src_data_format));
  r.require(to != DType::u16, errors::isa_stream_type, TW_OF(c, dst_data_format));
  const Shape s = common_shape(c, r);
  return Convert{.kind = Convert::Kind::cast,
                 .rounding = Rounding::half_even,
                 .out = target(c, r, s, to, target_strides(c)),
                 .in = source(c, r, s, from, source_strides(c)),
                 .engine = Engine::dma};
}

// Exchanges channels and columns of one matrix. Only its first image and row are moved.
Operation transpose_matrix(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.direction == kLocalToLocal, TW_OF(c, direction));
  const DType dtype = data_type(c, r);
  const Shape s{1, r.extent(TW_OF(c, src_csize)), 1, r.extent(TW_OF(c, src_wsize))};
  return Rearrange{.kind = Rearrange::Kind::swap_cw,
                   .out = target(c, r, {1, s.w, 1, s.c}, dtype, target_strides(c)),
                   .in = source(c, r, s, dtype, source_strides(c))};
}

Operation fill(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  return Copy{.engine = Engine::dma,
              .dst = target(c, r, target_shape(c, r), dtype, target_strides(c)),
              .src = Source::value(element_bits(c.constant_value, dtype))};
}

// The source's sizes hold for both sides. The destination's own sizes must have as many elements,
// and equal rows and columns.
Operation transpose(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  const Shape s = source_shape(c, r);
  if (c.chw_copy == 0) {
    r.require(uint64_t{c.dst_nsize} * c.dst_csize == uint64_t{s.n} * s.c, errors::isa_stream_extent,
              TW_OF(c, dst_nsize));
    r.require(c.dst_hsize == s.h, errors::isa_stream_extent, TW_OF(c, dst_hsize));
    r.require(c.dst_wsize == s.w, errors::isa_stream_extent, TW_OF(c, dst_wsize));
  }
  return Rearrange{.kind = Rearrange::Kind::swap_nc,
                   .out = target(c, r, {s.c, s.n, s.h, s.w}, dtype, target_strides(c)),
                   .in = source(c, r, s, dtype, source_strides(c))};
}

// The old result and the source are fp32.
Operation added_copy(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.direction == kLocalToLocal, TW_OF(c, direction),
             "sums are described of copies between lanes");
  r.supports(c.src_data_format == k32Bits, TW_OF(c, src_data_format),
             "sums are described of fp32 elements");
  const Shape s = common_shape(c, r);
  return CopyAdd{.out = target(c, r, s, DType::f32, target_strides(c)),
                 .in = source(c, r, s, DType::f32, source_strides(c))};
}

// The addresses already contain the shift of the local response normalization.
Operation shifted_copy(const GdmaCommand& c, CommandReader& r) {
  r.unconfirmed(c.direction != kLocalToLocal, TW_OF(c, direction),
                "a copy, as between lanes, whose addresses have the shift already");
  return c.acc_write_enable != 0 ? added_copy(c, r) : copy_tensor(c, r);
}

// The local side of a matrix, and its rows in system memory.
struct MatrixSizes {
  Named rows, cols;
  uint64_t row_stride;
  Named n, c, w;
  uint64_t n_stride, c_stride;
  Named system, lanes;  // addresses
};
MatrixSizes sizes_of(const GdmaCommand& c) {
  if (to_local(c))
    return {TW_OF(c, src_hsize), TW_OF(c, src_wsize), c.src_hstride, TW_OF(c, dst_nsize),
            TW_OF(c, dst_csize), TW_OF(c, dst_wsize), c.dst_nstride, c.dst_cstride,
            TW_ADDRESS(c, src),  TW_ADDRESS(c, dst)};
  return {TW_OF(c, dst_hsize), TW_OF(c, dst_wsize), c.dst_hstride, TW_OF(c, src_nsize),
          TW_OF(c, src_csize), TW_OF(c, src_wsize), c.src_nstride, c.src_cstride,
          TW_ADDRESS(c, dst),  TW_ADDRESS(c, src)};
}

// Without strides, channels begin at multiples of 32 cells. A cell has 4 bytes for any element
// type.
ElementStrides aligned_cells(uint64_t address, const Shape& lanes, DType dtype, const Chip& chip) {
  constexpr uint64_t kCells = 32;
  const uint64_t start = (address - chip.local_base) / chip.lane_bytes;
  const uint64_t channel = align_up(uint64_t{lanes.w}, kCells) * 4 / element_bytes(dtype);
  return {channel * ceil_div(start + lanes.c, uint64_t{chip.lanes}), channel, 0, 1};
}

Operation matrix(const GdmaCommand& c, CommandReader& r, bool is_transposed) {
  r.supports(c.direction == kSystemToLocal || c.direction == kLocalToSystem, TW_OF(c, direction));
  r.supports(c.chw_copy == 0, TW_OF(c, chw_copy));
  const DType dtype = data_type(c, r);
  const MatrixSizes m = sizes_of(c);
  // Rows and columns of the local side.
  const uint32_t rows = r.extent(is_transposed ? m.cols : m.rows);
  const uint32_t cols = r.extent(is_transposed ? m.rows : m.cols);
  const Shape lanes{r.extent(m.n), r.extent(m.c), 1, r.extent(m.w)};
  r.require(lanes.n == rows, errors::isa_stream_extent, m.n);
  r.require(uint64_t{lanes.c} * lanes.w >= cols && uint64_t{lanes.c - 1} * lanes.w < cols,
            errors::isa_stream_extent, m.c);
  const ElementStrides in_lanes = c.stride_enable != 0
                                      ? ElementStrides{m.n_stride, m.c_stride, 0, 1}
                                      : aligned_cells(m.lanes.value, lanes, dtype, r.chip());
  const uint64_t row = c.stride_enable != 0 ? m.row_stride : m.cols.value;
  const ElementStrides in_rows =
      is_transposed ? ElementStrides{1, 0, 0, row} : ElementStrides{row, 0, 0, 1};
  const MatrixView system{r.side(sided(r, m.system, false), {rows, 1, 1, cols}, dtype, &in_rows),
                          rows, cols};
  const MatrixView local{r.side(sided(r, m.lanes, true), lanes, dtype, &in_lanes), rows, cols};
  return to_local(c) ? CopyMatrix{.dst = local, .src = system}
                     : CopyMatrix{.dst = system, .src = local};
}

// Checks fields with one value in all recorded commands.
void check_common(const GdmaCommand& c, CommandReader& r) {
  for (const Named& field :
       {TW_OF(c, des_type), TW_OF(c, hold_des_value), TW_OF(c, src_hshift), TW_OF(c, src_wshift),
        TW_OF(c, dst_hshift), TW_OF(c, dst_wshift), TW_OF(c, single_step), TW_OF(c, debug_mode)})
    r.supports(field.value == 0, field, "what the flag does is not described");
  r.supports(c.localmem_mask_l32 == UINT32_MAX, TW_OF(c, localmem_mask_l32), kLaneMask);
  r.supports(c.localmem_mask_h32 == UINT32_MAX, TW_OF(c, localmem_mask_h32), kLaneMask);
  const bool is_run = c.common_mode != 0;
  const bool adds = c.acc_write_enable != 0 && (c.special_func != kShifted || is_run);
  r.supports(!adds || (c.special_func == kTensor && c.sys_mem_type == 0 && !is_run),
             TW_OF(c, acc_write_enable), "sums are described of copies of tensors");
  r.unconfirmed(adds, TW_OF(c, acc_write_enable), "the copy is added to the destination");
}

}  // namespace

Operation dma(const GdmaCommand& c, CommandReader& r) {
  check_common(c, r);
  if (c.common_mode != 0) return copy_run(c, r);
  const bool is_matrix = c.sys_mem_type != 0;
  r.supports(!is_matrix || c.special_func <= kTranspose, TW_OF(c, sys_mem_type));
  switch (c.special_func) {
    case kTensor:
      if (c.acc_write_enable != 0) return added_copy(c, r);
      return is_matrix ? matrix(c, r, /*is_transposed=*/false) : copy_tensor(c, r);
    case kTranspose:
      return is_matrix ? matrix(c, r, /*is_transposed=*/true) : transpose(c, r);
    case kShifted:
      return shifted_copy(c, r);
    case kConvert:
      return convert(c, r);
    case kFill:
      return fill(c, r);
    case kTransposeMatrix:
      return transpose_matrix(c, r);
    default:
      r.require(false, errors::isa_stream_refused, TW_OF(c, special_func));
      return {};
  }
}

}  // namespace tputwin::isa::bm1684_streams
