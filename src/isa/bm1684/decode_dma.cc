// Decodes the BM1684's GDMA commands.
#include "isa/bm1684/codes.h"
#include "isa/bm1684/decode.h"
#include "isa/streams/sides.h"

namespace tputwin::isa::bm1684_streams {
namespace {

DType data_type(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.src_data_format <= kSecondBytes, TW_OF(c, src_data_format));
  return c.src_data_format == kWords    ? DType::b32
         : c.src_data_format == kHalves ? DType::u16
                                        : DType::u8;
}

bool from_local(const GdmaCommand& c) {
  return c.direction == kLocalToSystem || c.direction == kLocalToLocal;
}
bool to_local(const GdmaCommand& c) {
  return c.direction == kSystemToLocal || c.direction == kLocalToLocal;
}

// The side of a transfer lies where the direction says.
TensorView side(const GdmaCommand& c, CommandReader& r, const Named& address, bool in_lanes,
                const Shape& shape, DType dtype, const ElementStrides& strides) {
  r.require(is_local(r, address) == in_lanes, errors::isa_stream_address, address);
  return r.side(address, shape, dtype, c.stride_enable != 0 ? &strides : nullptr);
}
TensorView source(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return side(c, r, TW_ADDRESS(c, src), from_local(c), s, dtype, strides);
}
TensorView target(const GdmaCommand& c, CommandReader& r, const Shape& s, DType dtype,
                  const ElementStrides& strides) {
  return side(c, r, TW_ADDRESS(c, dst), to_local(c), s, dtype, strides);
}

// Sizes of both sides, which are one.
Shape common_shape(const GdmaCommand& c, CommandReader& r) {
  if (c.chw_copy != 0) return source_shape(c, r);
  const Shape s = target_shape(c, r);
  r.supports(c.src_nsize == s.n, TW_OF(c, src_nsize));
  r.supports(c.src_csize == s.c, TW_OF(c, src_csize));
  r.supports(c.src_hsize == s.h, TW_OF(c, src_hsize));
  r.supports(c.src_wsize == s.w, TW_OF(c, src_wsize));
  return s;
}

Operation copy_tensor(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  const Shape s = common_shape(c, r);
  return Copy{.engine = Engine::dma,
              .dst = target(c, r, s, dtype, target_strides(c)),
              .src = Source::tensor(source(c, r, s, dtype, source_strides(c)))};
}

Operation fill(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  return Copy{.engine = Engine::dma,
              .dst = target(c, r, target_shape(c, r), dtype, target_strides(c)),
              .src = Source::value(element_bits(c.constant_value, dtype))};
}

// Sizes are the source's on both sides.
Operation transpose(const GdmaCommand& c, CommandReader& r) {
  const DType dtype = data_type(c, r);
  const Shape s = common_shape(c, r);
  return Rearrange{.kind = Rearrange::Kind::swap_nc,
                   .out = target(c, r, {s.c, s.n, s.h, s.w}, dtype, target_strides(c)),
                   .in = source(c, r, s, dtype, source_strides(c))};
}

// The old result is fp32, and so is what is added to it.
Operation added_copy(const GdmaCommand& c, CommandReader& r) {
  r.supports(c.direction == kLocalToLocal, TW_OF(c, direction),
             "sums are described of copies between lanes");
  r.supports(c.src_data_format == kWords, TW_OF(c, src_data_format),
             "sums are described of fp32 elements");
  const Shape s = common_shape(c, r);
  return CopyAdd{.out = target(c, r, s, DType::f32, target_strides(c)),
                 .in = source(c, r, s, DType::f32, source_strides(c))};
}

// The shift of a local response normalization is in the addresses already.
Operation shifted_copy(const GdmaCommand& c, CommandReader& r) {
  r.unconfirmed(c.direction != kLocalToLocal, TW_OF(c, direction),
                "a copy, as between lanes, whose addresses have the shift already");
  return c.acc_write_enable != 0 ? added_copy(c, r) : copy_tensor(c, r);
}

// The side in lanes, and the one in rows of system memory.
struct MatrixSizes {
  Named rows, cols;
  uint64_t row_stride;
  Named n, c, w;
  uint64_t n_stride, c_stride;
};
MatrixSizes sizes_of(const GdmaCommand& c) {
  if (to_local(c))
    return {TW_OF(c, src_hsize), TW_OF(c, src_wsize), c.src_hstride, TW_OF(c, dst_nsize),
            TW_OF(c, dst_csize), TW_OF(c, dst_wsize), c.dst_nstride, c.dst_cstride};
  return {TW_OF(c, dst_hsize), TW_OF(c, dst_wsize), c.dst_hstride, TW_OF(c, src_nsize),
          TW_OF(c, src_csize), TW_OF(c, src_wsize), c.src_nstride, c.src_cstride};
}

Operation matrix(const GdmaCommand& c, CommandReader& r, bool is_transposed) {
  r.supports(c.direction == kSystemToLocal || c.direction == kLocalToSystem, TW_OF(c, direction));
  r.supports(c.stride_enable != 0, TW_OF(c, stride_enable));
  r.supports(c.chw_copy == 0, TW_OF(c, chw_copy));
  const DType dtype = data_type(c, r);
  const MatrixSizes m = sizes_of(c);
  // rows and columns of the side in lanes
  const uint32_t rows = r.extent(is_transposed ? m.cols : m.rows);
  const uint32_t cols = r.extent(is_transposed ? m.rows : m.cols);
  const Shape lanes{r.extent(m.n), r.extent(m.c), 1, r.extent(m.w)};
  r.require(lanes.n == rows, errors::isa_stream_extent, m.n);
  r.require(uint64_t{lanes.c} * lanes.w >= cols && uint64_t{lanes.c - 1} * lanes.w < cols,
            errors::isa_stream_extent, m.c);
  const ElementStrides in_lanes{m.n_stride, m.c_stride, 0, 1};
  const ElementStrides in_rows =
      is_transposed ? ElementStrides{1, 0, 0, m.row_stride} : ElementStrides{m.row_stride, 0, 0, 1};
  const Shape plain{rows, 1, 1, cols};
  if (to_local(c))
    return CopyMatrix{.dst = {target(c, r, lanes, dtype, in_lanes), rows, cols},
                      .src = {source(c, r, plain, dtype, in_rows), rows, cols}};
  return CopyMatrix{.dst = {target(c, r, plain, dtype, in_rows), rows, cols},
                    .src = {source(c, r, lanes, dtype, in_lanes), rows, cols}};
}

// Fields that have the same value in everything recorded.
void check_common(const GdmaCommand& c, CommandReader& r) {
  for (const Named& field : {TW_OF(c, des_type), TW_OF(c, common_mode), TW_OF(c, hold_des_value),
                             TW_OF(c, src_hshift), TW_OF(c, src_wshift), TW_OF(c, dst_hshift),
                             TW_OF(c, dst_wshift), TW_OF(c, single_step), TW_OF(c, debug_mode)})
    r.supports(field.value == 0, field);
  r.supports(c.localmem_mask_l32 == UINT32_MAX, TW_OF(c, localmem_mask_l32), kLaneMask);
  r.supports(c.localmem_mask_h32 == UINT32_MAX, TW_OF(c, localmem_mask_h32), kLaneMask);
  const bool adds = c.acc_write_enable != 0 && c.special_func != kShifted;
  r.supports(!adds || (c.special_func == kTensor && c.sys_mem_type == 0),
             TW_OF(c, acc_write_enable), "sums are described of copies");
  r.unconfirmed(adds, TW_OF(c, acc_write_enable), "the copy is added to the destination");
}

}  // namespace

Operation dma(const GdmaCommand& c, CommandReader& r) {
  check_common(c, r);
  switch (c.special_func) {
    case kTensor:
      if (c.acc_write_enable != 0) return added_copy(c, r);
      return c.sys_mem_type != 0 ? matrix(c, r, /*is_transposed=*/false) : copy_tensor(c, r);
    case kTranspose:
      return c.sys_mem_type != 0 ? matrix(c, r, /*is_transposed=*/true) : transpose(c, r);
    case kShifted:
      r.supports(c.sys_mem_type == 0, TW_OF(c, sys_mem_type));
      return shifted_copy(c, r);
    case kFill:
      r.supports(c.sys_mem_type == 0, TW_OF(c, sys_mem_type));
      return fill(c, r);
    default:
      r.require(false, errors::isa_stream_refused, TW_OF(c, special_func));
      return {};
  }
}

}  // namespace tputwin::isa::bm1684_streams
