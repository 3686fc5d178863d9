// Decodes GDMA descriptors.
#include <limits>

#include "base/errors/isa.h"
#include "isa/bm1880_codes.h"
#include "isa/decode_check.h"
#include "memory/layout.h"

namespace tputwin::isa {
namespace {

// One side of a transfer. The destination's fields have no n.
struct Side {
  std::string_view prefix;
  Space space;
  uint64_t address;
  Shape shape;
  Stride stride;  // as written
};

#define TW_SIDE(d, p, space, n)                                                     \
  Side {                                                                            \
#p, space, d.p##_addr,                                                          \
        {static_cast < uint32_t>(n), static_cast < uint32_t>(d.p##_c),              \
         static_cast < uint32_t>(d.p##_h), static_cast < uint32_t>(d.p##_w) },      \
    {                                                                               \
      static_cast<uint32_t>(d.p##_n_stride), static_cast<uint32_t>(d.p##_c_stride), \
          static_cast<uint32_t>(d.p##_h_stride), 1                                  \
    }                                                                               \
  }

Space source_space(const GdmaDescriptor& d) {
  return d.direction == kLoad || d.direction == kGlobalCopy ? Space::global : Space::local;
}
Space destination_space(const GdmaDescriptor& d) {
  return d.direction == kLoad || d.direction == kLocalCopy ? Space::local : Space::global;
}

// `moved` is the distance from the tensor's start to the engine address.
Status read_address(const Side& side, const Chip& chip, uint64_t moved, uint64_t& offset) {
  bool local = side.space == Space::local;
  uint64_t base = (local ? chip.local_base : chip.global_base) + moved;
  if (side.address < base || (local && side.address - base >= chip.local_bytes())) [[unlikely]]
    return field_error(errors::isa_address, fmt::format("{}_addr", side.prefix), side.address);
  offset = side.address - base;
  return {};
}

Error too_many(const Side& side, std::string detail) {
  return Error(errors::isa_too_many_elements)
      .argument(side.prefix, describe(side.shape))
      .detail(std::move(detail));
}

// Returns the default strides. Fails if they exceed 32 bits.
Status default_stride(const Side& side, const Chip& chip, Stride& stride) {
  const Shape& s = side.shape;
  if (side.space == Space::local) {
    // count() was checked, so it cannot overflow.
    stride = local_stride(chip, s, /*aligned=*/true);
    return {};
  }
  if (uint64_t{s.c} * s.h * s.w > std::numeric_limits<uint32_t>::max())
    return too_many(side, "the default batch stride is wider than 32 bits");
  stride = global_stride(s);
  return {};
}

// Checks the number of elements. A destination with more elements than the bytes it spans would
// overwrite itself. Local memory cannot hold more elements than bytes.
Status check_count(const Side& side, const Stride& stride, bool written, const Chip& chip) {
  const Shape& s = side.shape;
  if (side.space == Space::local) {
    if (s.count() > chip.local_bytes()) [[unlikely]]
      return too_many(side, fmt::format("local memory has {} bytes", chip.local_bytes()));
    return {};
  }
  uint64_t span = uint64_t{s.n - 1} * stride.n + uint64_t{s.c - 1} * stride.c +
                  uint64_t{s.h - 1} * stride.h + s.w;
  if (written && s.count() > span) [[unlikely]]
    return too_many(side, fmt::format("it spans {} bytes of global memory", span));
  return {};
}

Status read_view(const Side& side, bool explicit_strides, bool written, const Chip& chip,
                 TensorView& view, uint64_t moved = 0) {
  view.space = side.space;
  view.dtype = DType::i8;
  view.shape = side.shape;
  if (explicit_strides) view.stride = side.stride;
  TW_RETURN_IF_ERROR(read_address(side, chip, moved, view.address));
  if (side.space == Space::local) TW_RETURN_IF_ERROR(check_count(side, side.stride, written, chip));
  if (!explicit_strides) TW_RETURN_IF_ERROR(default_stride(side, chip, view.stride));
  return check_count(side, view.stride, written, chip);
}

Status check_options(const GdmaDescriptor& d) {
  TW_FIELD_RULE(d.valid, isa_disabled, valid);
  TW_FIELD_RULE(!d.broadcast_enable, isa_unsupported_option, broadcast_enable);
  TW_FIELD_RULE(!d.add_result, isa_unsupported_option, add_result);
  TW_FIELD_RULE(!d.common_mode, isa_unsupported_option, common_mode);
  TW_FIELD_RULE(!d.hold_value, isa_unsupported_option, hold_value);
  TW_FIELD_RULE(d.dst_fmt == 1, isa_unsupported_option, dst_fmt);
  TW_FIELD_RULE(d.src_fmt == 4, isa_unsupported_option, src_fmt);
  return require_nonzero({{"src_n", d.src_n},
                          {"src_c", d.src_c},
                          {"src_h", d.src_h},
                          {"src_w", d.src_w},
                          {"dst_h", d.dst_h},
                          {"dst_w", d.dst_w}});
}

// The destination's batch size follows from the number of elements.
Status destination_n(const GdmaDescriptor& d, uint64_t& n) {
  TW_FIELD_RULE(d.dst_c, isa_zero_extent, dst_c);
  if (d.special_function == kTranspose) {
    TW_FIELD_RULE(d.dst_c == d.src_n, isa_shape, dst_c);
    TW_FIELD_RULE(d.dst_h == d.src_h, isa_shape, dst_h);
    TW_FIELD_RULE(d.dst_w == d.src_w, isa_shape, dst_w);
    n = d.src_c;
    return {};
  }
  uint64_t count = d.src_n * d.src_c * d.src_h * d.src_w, plane = d.dst_c * d.dst_h * d.dst_w;
  TW_FIELD_RULE(count % plane == 0, isa_shape, dst_c);
  n = count / plane;
  TW_FIELD_RULE(n <= 0xffff, isa_shape, dst_c);
  return {};
}

Status decode_tensor(const GdmaDescriptor& d, const Chip& chip, DmaTensor& op) {
  uint64_t dst_n = 0;
  TW_RETURN_IF_ERROR(destination_n(d, dst_n));
  op.transpose_nc = d.special_function == kTranspose;
  op.explicit_strides = d.enable_stride;
  TW_RETURN_IF_ERROR(read_view(TW_SIDE(d, dst, destination_space(d), dst_n), d.enable_stride,
                               /*written=*/true, chip, op.dst));
  return read_view(TW_SIDE(d, src, source_space(d), d.src_n), d.enable_stride, /*written=*/false,
                   chip, op.src);
}

// Reads the local side: `rows` rows of blocks of columns, `cols` of which are valid.
Status read_local_matrix(Side side, bool explicit_strides, bool written, uint64_t rows,
                         uint64_t cols, const Chip& chip, MatrixView& m) {
  const Shape& s = side.shape;
  auto named = [&](std::string_view suffix) { return fmt::format("{}_{}", side.prefix, suffix); };
  if (s.h != 1) return field_error(errors::isa_shape, named("h"), s.h);
  if (cols > uint64_t{s.c} * s.w || cols <= uint64_t{s.c - 1} * s.w)
    return field_error(errors::isa_shape, named("c"), s.c);
  if (rows != s.n) return field_error(errors::isa_shape, "src_n", s.n);
  m.rows = static_cast<uint32_t>(rows);
  m.cols = static_cast<uint32_t>(cols);
  return read_view(side, explicit_strides, written, chip, m.tensor);
}

// Reads the global side: an image of h rows and w columns whose h stride is the row stride.
Status read_global_matrix(const Side& side, bool written, const Chip& chip, MatrixView& m) {
  uint64_t address = 0;
  TW_RETURN_IF_ERROR(read_address(side, chip, 0, address));
  m = global_matrix(address, side.shape.h, side.shape.w, side.stride.h);
  return written ? check_count({side.prefix, Space::global, 0, m.tensor.shape, {}}, m.tensor.stride,
                               /*written=*/true, chip)
                 : Status();
}

Status decode_matrix(const GdmaDescriptor& d, const Chip& chip, DmaMatrix& op) {
  bool transpose = op.transpose = d.special_function == kTranspose;
  op.explicit_strides = d.enable_stride;
  auto rows_of = [&](const Side& global) { return transpose ? global.shape.w : global.shape.h; };
  auto cols_of = [&](const Side& global) { return transpose ? global.shape.h : global.shape.w; };
  switch (d.direction) {
    case kLoad: {
      TW_FIELD_RULE(d.src_c == 1, isa_shape, src_c);
      TW_FIELD_RULE(d.dst_c, isa_zero_extent, dst_c);
      Side src = TW_SIDE(d, src, Space::global, 1);
      Side dst = TW_SIDE(d, dst, Space::local, d.src_n);
      TW_RETURN_IF_ERROR(read_local_matrix(dst, d.enable_stride, /*written=*/true, rows_of(src),
                                           cols_of(src), chip, op.dst));
      return read_global_matrix(src, /*written=*/false, chip, op.src);
    }
    case kStore: {
      Side src = TW_SIDE(d, src, Space::local, d.src_n);
      Side dst = TW_SIDE(d, dst, Space::global, 1);
      TW_RETURN_IF_ERROR(read_local_matrix(src, d.enable_stride, /*written=*/false, rows_of(dst),
                                           cols_of(dst), chip, op.src));
      return read_global_matrix(dst, /*written=*/true, chip, op.dst);
    }
    case kGlobalCopy: {
      TW_FIELD_RULE(d.src_n == 1, isa_shape, src_n);
      TW_FIELD_RULE(d.src_c == 1, isa_shape, src_c);
      TW_FIELD_RULE(d.dst_c == 1, isa_shape, dst_c);
      TW_FIELD_RULE(d.src_h * d.src_w == d.dst_h * d.dst_w, isa_shape, dst_h);
      TW_FIELD_RULE(!transpose || d.src_h == d.dst_w, isa_shape, dst_w);
      TW_RETURN_IF_ERROR(
          read_global_matrix(TW_SIDE(d, dst, Space::global, 1), /*written=*/true, chip, op.dst));
      return read_global_matrix(TW_SIDE(d, src, Space::global, 1), /*written=*/false, chip, op.src);
    }
    default:
      return field_error(errors::isa_direction, "direction", d.direction);
  }
}

// The descriptor describes the channels that move; the operation describes the whole tensor.
Status decode_lrn_shift(const GdmaDescriptor& d, const Chip& chip, DmaLrnShift& op) {
  TW_FIELD_RULE(d.direction == kLocalCopy, isa_direction, direction);
  TW_FIELD_RULE(d.dst_c == d.src_c, isa_shape, dst_c);
  TW_FIELD_RULE(d.dst_h == d.src_h, isa_shape, dst_h);
  TW_FIELD_RULE(d.dst_w == d.src_w, isa_shape, dst_w);
  TW_FIELD_RULE(d.enable_stride, isa_unsupported_option, enable_stride);
  op.right = d.lrn_shift_direction;
  op.step = static_cast<uint32_t>(d.winograd_scale_factor);
  Side dst = TW_SIDE(d, dst, Space::local, d.src_n), src = TW_SIDE(d, src, Space::local, d.src_n);
  dst.shape.c += op.step;
  src.shape.c += op.step;
  uint64_t dst_moved = op.right ? channel_shift(chip, op.step, dst.stride.c) : 0;
  uint64_t src_moved = op.right ? 0 : channel_shift(chip, op.step, src.stride.c);
  TW_RETURN_IF_ERROR(read_view(dst, true, /*written=*/true, chip, op.dst, dst_moved));
  return read_view(src, true, /*written=*/false, chip, op.src, src_moved);
}

Status decode_winograd_kernel(const GdmaDescriptor& d, const Chip& chip, DmaWinogradKernel& op) {
  TW_FIELD_RULE(d.direction == kLoad, isa_direction, direction);
  TW_FIELD_RULE(d.enable_stride, isa_unsupported_option, enable_stride);
  TW_FIELD_RULE(d.dst_c, isa_zero_extent, dst_c);
  op.scale = static_cast<uint32_t>(d.winograd_scale_factor);
  TW_RETURN_IF_ERROR(
      read_view(TW_SIDE(d, dst, Space::local, d.src_n), true, /*written=*/true, chip, op.dst));
  return read_view(TW_SIDE(d, src, Space::global, d.src_n), true, /*written=*/false, chip, op.src);
}

#undef TW_SIDE

}  // namespace

Status decode_into(const GdmaDescriptor& d, const Chip& chip, Operation& out) {
  TW_RETURN_IF_ERROR(check_options(d));
  switch (d.special_function) {
    case kPlain:
    case kTranspose:
      if (d.gmem_data_type) return decode_matrix(d, chip, out.emplace<DmaMatrix>());
      return decode_tensor(d, chip, out.emplace<DmaTensor>());
    case kLrnShift:
      return decode_lrn_shift(d, chip, out.emplace<DmaLrnShift>());
    case kWinogradKernel:
      return decode_winograd_kernel(d, chip, out.emplace<DmaWinogradKernel>());
    default:
      return field_error(errors::isa_unsupported_special, "special_function", d.special_function);
  }
}

}  // namespace tputwin::isa
