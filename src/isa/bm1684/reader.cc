// Reads views of operands from the fields of BM1684 commands.
#include "isa/bm1684/reader.h"

#include <algorithm>

namespace tputwin::isa::bm1684_streams {

void Reader::only(const TiuField& field, std::initializer_list<uint64_t> values) {
  const Named named = field.of(command_);
  supports(std::find(values.begin(), values.end(), named.value) != values.end(), named);
}

DType Reader::data_type(const OperandFields& fields) {
  const DType dtype = type(fields.type.of(command_), fields.sign.of(command_).value != 0);
  require(chip().types.has(dtype), errors::isa_stream_type, fields.type.of(command_));
  return dtype;
}

DType Reader::word_type(const OperandFields& fields) {
  require(element_bytes(data_type(fields)) == 4, errors::isa_stream_type, fields.type.of(command_));
  return DType::b32;
}

void Reader::all_f32(std::initializer_list<const OperandFields*> operands) {
  for (const OperandFields* fields : operands)
    require(fields->type.of(command_).value == kFp32, errors::isa_stream_type,
            fields->type.of(command_));
}

bool Reader::is_constant(const OperandFields& fields) const {
  return fields.is_constant.of(command_).value != 0;
}

Shape Reader::result_shape() {
  const TiuCommand& c = command_;
  return shape(TW_OF(c, res0_n), TW_OF(c, res0_c), TW_OF(c, res0_h), TW_OF(c, res0_w));
}

Named Reader::lanes(const OperandFields& fields, bool may_lack_base) {
  const Named address = fields.address.of(command_);
  if (may_lack_base && address.value < chip().local_bytes()) return address;
  require(address.value - chip().local_base < chip().local_bytes(), errors::isa_stream_address,
          address);
  return {address.field, address.value - chip().local_base};
}

TensorView Reader::aligned(const OperandFields& fields, const Shape& shape, DType dtype,
                           uint8_t pack) {
  return dense(lanes(fields), shape, dtype, /*is_aligned=*/true, pack);
}

TensorView Reader::compact(const OperandFields& fields, const Shape& shape, DType dtype,
                           uint8_t pack) {
  return dense(lanes(fields), shape, dtype, /*is_aligned=*/false, pack);
}

TensorView Reader::per_channel(const OperandFields& fields, uint32_t channels, DType dtype) {
  return compact(fields, {1, channels, 1, 1}, dtype);
}

TensorView Reader::placed(const OperandFields& fields, const Shape& shape, DType dtype,
                          uint8_t pack, bool may_lack_base) {
  const TiuCommand& c = command_;
  const Named layout = fields.layout.of(c);
  supports(layout.value == kAligned || layout.value == kStrided, layout);
  return CommandReader::placed(
      lanes(fields, may_lack_base), layout, shape, dtype,
      {fields.n.of(c).value, fields.c.of(c).value, fields.h.of(c).value, fields.w.of(c).value},
      pack);
}

TensorView Reader::packed(const OperandFields& fields, const Shape& shape, DType dtype) {
  TensorView view = placed(fields, shape, dtype, pack_of(dtype), /*may_lack_base=*/true);
  if (fields.one_image.of(command_).value == 0) return view;
  view.pack = 1;
  view.stride.n = 0;
  return view;
}

MatrixView Reader::matrix(const OperandFields& fields, uint32_t rows, uint32_t channels,
                          uint32_t per_channel, DType dtype) {
  return lane_matrix(lanes(fields), rows, channels, per_channel, dtype);
}

TensorView Reader::table(const OperandFields& fields, uint32_t count) {
  const Named offset = fields.address.of(command_);
  const uint64_t from = kL2Start + offset.value, base = chip().l2.base;
  const uint64_t bytes = uint64_t{count} * 4, end = base + chip().l2.bytes + chip().l2_tables;
  const bool inside = offset.value >= kFirstTable && offset.value % 4 == 0 && from + bytes <= end;
  require(inside, errors::isa_stream_address, offset);
  return {.space = Space::l2,
          .dtype = DType::b32,
          .address = inside ? from - base : 0,
          .shape = {1, 1, 1, count},
          .stride = {0, 0, 0, count == 1 ? 0u : 4u}};
}

}  // namespace tputwin::isa::bm1684_streams
