// Writes types, extents and addresses of operands to the fields of BM1684X commands.
#include "isa/bm1684x/writer.h"

namespace tputwin::isa::bm1684x_streams {

uint64_t type_code(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return kInt8;
    case DType::f16:
      return kFp16;
    case DType::f32:
      return kFp32;
    case DType::u16:
    case DType::i16:
      return kInt16;
    case DType::bf16:
      return kBf16;
    default:
      return kInt32;
  }
}

bool TiuWriter::require(bool holds, std::string_view operand, const std::string& value) {
  if (!holds && !error_) error_ = Error(errors::isa_stream_no_command).argument(operand, value);
  return holds;
}

void TiuWriter::shape(const Shape& s) {
  command.res0_n = s.n;
  command.res0_c = s.c;
  command.res0_h = s.h;
  command.res0_w = s.w;
}

void TiuWriter::type(const OperandFields& fields, DType dtype) {
  if (fields.type != nullptr) command.*fields.type = type_code(dtype);
  if (fields.sign != nullptr && is_signed(dtype)) command.*fields.sign = 1;
}

void TiuWriter::constant(const OperandFields& fields, uint32_t bits) {
  command.*fields.is_constant = 1;
  command.*fields.address = bits;
}

void TiuWriter::place(const OperandFields& fields, const TensorView& view) {
  type(fields, view.dtype);
  command.*fields.address = view.address;
  CommandReader reader(chip_);
  if (reader.aligned({fields.name, view.address}, view.shape, view.dtype) == view) return;
  const uint32_t bytes = element_bytes(view.dtype);
  const uint32_t strides[] = {view.stride.n, view.stride.c, view.stride.h, view.stride.w};
  command.*fields.layout = kStrided;
  for (size_t i = 0; i < 4; ++i) {  // strides are read modulo the lane
    require(strides[i] % bytes == 0 && strides[i] < chip_.lane_bytes, fields.name, describe(view));
    command.*fields.strides[i] = strides[i] / bytes;
  }
}

void TiuWriter::source(const OperandFields& fields, const Source& source) {
  if (!source.is_constant) return place(fields, source.view);
  type(fields, source.view.dtype);
  constant(fields, source.constant);
}

void TiuWriter::fixed(const OperandFields& fields, const TensorView& view, const Shape& shape,
                      Placement by) {
  command.*fields.address = view.address;
  CommandReader reader(chip_);
  TensorView expected = (reader.*by)({fields.name, view.address}, shape, view.dtype);
  expected.shape = view.shape;
  require(expected == view, fields.name, describe(view));
}

void TiuWriter::aligned(const OperandFields& fields, const TensorView& view) {
  type(fields, view.dtype);
  fixed(fields, view, view.shape, &CommandReader::aligned);
}

void TiuWriter::per_channel(const OperandFields& fields, const TensorView& view) {
  fixed(fields, view, view.shape, &CommandReader::per_channel);
}

}  // namespace tputwin::isa::bm1684x_streams
