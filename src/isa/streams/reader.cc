// Reads types, extents and views of operands from the fields of commands.
#include "isa/streams/reader.h"

#include "isa/decode_check.h"
#include "memory/layout.h"
#include "memory/normal_stride.h"

namespace tputwin::isa {
namespace {

constexpr uint32_t plane_stride_of(DType dtype) { return is_16bit(dtype) ? 1 : 0; }

// Returns the shape in cells.
Shape cells_of(const Shape& shape, uint8_t pack) {
  return {ceil_div(shape.n, uint32_t{pack}), shape.c, shape.h, shape.w};
}

// Returns the type of a code; b32 for types that the chip does not have.
DType dtype_of(uint64_t code, bool is_signed) {
  switch (code) {
    case kInt8:
      return is_signed ? DType::i8 : DType::u8;
    case kFp16:
      return DType::f16;
    case kFp32:
      return DType::f32;
    case kInt16:
      return is_signed ? DType::i16 : DType::u16;
    case kInt32:
      return is_signed ? DType::i32 : DType::u32;
    case kBf16:
      return DType::bf16;
    default:
      return DType::b32;
  }
}

}  // namespace

bool CommandReader::require(bool holds, ErrorId rule, const Named& named) {
  if (!holds && !error_) error_ = field_error(rule, named.field, named.value);
  return holds;
}

bool CommandReader::supports(bool holds, const Named& named, std::string_view why) {
  if (!holds && !error_ && !why.empty())
    error_ = field_error(errors::isa_stream_unsupported, named.field, named.value)
                 .detail(std::string(why));
  return require(holds, errors::isa_stream_unsupported, named);
}

void CommandReader::unconfirmed(bool is_form, const Named& named, std::string_view meaning) {
  if (is_form) notes_.push_back({named, meaning});
}

std::vector<UnconfirmedForm> CommandReader::forms(std::string_view command) const {
  std::vector<UnconfirmedForm> list;
  for (const Note& note : notes_)
    list.push_back({.command = std::string(command),
                    .field = note.named.field,
                    .meaning = note.meaning,
                    .value = note.named.value});
  return list;
}

DType CommandReader::type(const Named& code, bool is_signed) {
  const DType type = dtype_of(code.value, is_signed);
  return require(type != DType::b32, errors::isa_stream_type, code) ? type : DType::i8;
}
DType CommandReader::float_type(const Named& code) {
  const DType dtype = type(code, false);
  return require(is_float(dtype), errors::isa_stream_type, code) ? dtype : DType::f32;
}
DType CommandReader::int_type(const Named& code, bool is_signed) {
  const DType dtype = type(code, is_signed);
  return require(!is_float(dtype), errors::isa_stream_type, code) ? dtype : DType::i8;
}
DType CommandReader::bits_type(const Named& code) {
  const DType dtype = type(code, false);
  return dtype == DType::f32 ? DType::u32 : is_half(dtype) ? DType::u16 : dtype;
}

Rounding CommandReader::rounding(const Named& code) {
  const bool known = code.value <= static_cast<uint64_t>(Rounding::half_down);
  return require(known, errors::isa_stream_rounding, code) ? static_cast<Rounding>(code.value)
                                                           : Rounding::half_even;
}

uint32_t CommandReader::extent(const Named& named) {
  return require(named.value != 0, errors::isa_stream_extent, named)
             ? static_cast<uint32_t>(named.value)
             : 1;
}

Shape CommandReader::shape(const Named& n, const Named& c, const Named& h, const Named& w) {
  return {extent(n), extent(c), extent(h), extent(w)};
}

bool CommandReader::in_local(const Named& address) {
  return require(address.value < chip_.local_bytes(), errors::isa_stream_address, address);
}

TensorView CommandReader::dense(const Named& address, const Shape& shape, DType dtype,
                                bool is_aligned, uint8_t pack) {
  if (!in_local(address)) return {.dtype = dtype, .pack = pack, .shape = shape};
  const uint64_t start = address.value / chip_.lane_bytes;
  const Shape cells = cells_of(shape, pack);
  TensorView view{
      .dtype = dtype,
      .pack = pack,
      .plane_stride = plane_stride_of(dtype),
      .address = address.value,
      .shape = shape,
      .stride = lane_stride(chip_, cells, start, pack * element_bytes(dtype), is_aligned)};
  drop_meaningless(view.stride, cells, ceil_div(start + shape.c, uint64_t{chip_.lanes}));
  return view;
}

TensorView CommandReader::aligned(const Named& address, const Shape& shape, DType dtype) {
  return dense(address, shape, dtype, /*is_aligned=*/true);
}
TensorView CommandReader::compact(const Named& address, const Shape& shape, DType dtype) {
  return dense(address, shape, dtype, /*is_aligned=*/false);
}

TensorView CommandReader::line_aligned(const Named& address, const Shape& shape, DType dtype) {
  const uint32_t bytes = element_bytes(dtype);
  // A row padded to whole units is a row of the aligned layout.
  const Shape padded{shape.n, shape.c, shape.h, align_up(shape.w * bytes, chip_.eu_bytes) / bytes};
  TensorView view = aligned(address, padded, dtype);
  view.shape = shape;
  view.stride.w = bytes;
  drop_meaningless(view.stride, shape, UINT64_MAX);
  return view;
}

TensorView CommandReader::per_channel(const Named& address, const Shape& shape, DType dtype) {
  TensorView view = compact(address, {1, shape.c, 1, 1}, dtype);
  view.shape = shape;
  view.stride.n = view.stride.h = view.stride.w = 0;
  return view;
}

// Converts strides to bytes. Fails if one exceeds 32 bits.
Stride CommandReader::bytes_of(const ElementStrides& s, uint32_t bytes, const Named& address) {
  const uint64_t most = UINT32_MAX / bytes;
  require(s.n <= most && s.c <= most && s.h <= most && s.w <= most, errors::isa_stream_address,
          address);
  return {static_cast<uint32_t>(s.n * bytes), static_cast<uint32_t>(s.c * bytes),
          static_cast<uint32_t>(s.h * bytes), static_cast<uint32_t>(s.w * bytes)};
}

TensorView CommandReader::placed(const Named& address, const Named& layout, const Shape& shape,
                                 DType dtype, const ElementStrides& strides, uint8_t pack) {
  switch (layout.value) {
    case kAligned:
      return dense(address, shape, dtype, /*is_aligned=*/true, pack);
    case kCompact:
      return dense(address, shape, dtype, /*is_aligned=*/false, pack);
    case kPerChannel:
      return per_channel(address, shape, dtype);
    case kStrided: {
      TensorView view = dense(address, shape, dtype, /*is_aligned=*/false, pack);
      view.stride = bytes_of(strides, pack * element_bytes(dtype), address);
      // Byte addresses of a lane wrap. Some compilers write lane_bytes + 2 for a stride of 2.
      for (uint32_t* step : {&view.stride.n, &view.stride.c, &view.stride.h, &view.stride.w})
        *step %= chip_.lane_bytes;
      const uint64_t start = address.value / chip_.lane_bytes;
      drop_meaningless(view.stride, cells_of(shape, pack),
                       ceil_div(start + shape.c, uint64_t{chip_.lanes}));
      return view;
    }
    default:
      require(false, errors::isa_stream_layout, layout);
      return {};
  }
}

TensorView CommandReader::per_lane(const Named& address, uint32_t len, DType dtype,
                                   const TensorView& other) {
  const bool same_lane = address.value / chip_.lane_bytes == other.address / chip_.lane_bytes;
  supports(same_lane, address, "coefficients must start in the lane of the other operand");
  return aligned({address.field, address.value % chip_.lane_bytes}, {1, chip_.lanes, 1, len},
                 dtype);
}

MatrixView CommandReader::lane_matrix(const Named& address, uint32_t rows, uint32_t channels,
                                      uint32_t per_channel, DType dtype) {
  return {aligned(address, {rows, channels, 1, per_channel}, dtype), rows, channels * per_channel};
}

TensorView CommandReader::side(const Named& address, const Shape& shape, DType dtype,
                               const ElementStrides* strides) {
  const uint32_t bytes = element_bytes(dtype);
  const bool is_local = address.value - chip_.local_base < chip_.local_bytes();
  TensorView view;
  if (is_local) {
    view = aligned({address.field, address.value - chip_.local_base}, shape, dtype);
  } else {
    const bool in_l2 = address.value - chip_.l2.base < chip_.l2.bytes + chip_.l2_tables;
    if (!require(in_l2 || address.value >= chip_.global_base, errors::isa_stream_address, address))
      return {.dtype = dtype, .shape = shape};
    uint64_t at = address.value;
    if (!in_l2 && options_ != nullptr && options_->relocate) at = options_->relocate(at);
    view = {.space = in_l2 ? Space::l2 : Space::global,
            .dtype = dtype,
            .plane_stride = plane_stride_of(dtype),
            .address = at - (in_l2 ? chip_.l2.base : chip_.global_base),
            .shape = shape,
            .stride = system_stride(shape, bytes)};
  }
  if (strides != nullptr) view.stride = bytes_of(*strides, bytes, address);
  const uint64_t start = is_local ? view.address / chip_.lane_bytes : 0;
  drop_meaningless(view.stride, shape,
                   is_local ? ceil_div(start + shape.c, uint64_t{chip_.lanes}) : shape.c);
  return view;
}

uint32_t element_bits(uint64_t bits, DType dtype) {
  switch (dtype) {
    case DType::u8:
      return static_cast<uint8_t>(bits);
    case DType::i8:
      return static_cast<uint32_t>(signed_byte(bits));
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return static_cast<uint16_t>(bits);
    case DType::i16:
      return static_cast<uint32_t>(signed_half(bits));
    default:
      return static_cast<uint32_t>(bits);
  }
}

}  // namespace tputwin::isa
