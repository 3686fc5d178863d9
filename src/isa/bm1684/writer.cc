// Writes types, extents and addresses of operands to the fields of BM1684 commands.
#include "isa/bm1684/writer.h"

#include "base/bits.h"
#include "memory/layout.h"
#include "memory/normal_stride.h"

namespace tputwin::isa::bm1684_streams {
namespace {

uint64_t code_of(DType dtype) {
  switch (element_bytes(dtype)) {
    case 1:
      return kInt8;
    case 2:
      return kInt16;
    default:
      return dtype == DType::f32 ? kFp32 : kInt32;
  }
}

}  // namespace

bool TiuWriter::require(bool holds, std::string_view operand, const std::string& value) {
  if (!holds && !error_) error_ = Error(errors::isa_stream_no_command).argument(operand, value);
  return holds;
}

void TiuWriter::operation(uint8_t type, uint8_t code, uint64_t operands) {
  command.tsk_typ = type;
  command.tsk_eu_typ = code;
  command.tsk_opd_num = operands;
}

void TiuWriter::shape(const Shape& s) {
  command.res0_n = s.n;
  command.res0_c = s.c;
  command.res0_h = s.h;
  command.res0_w = s.w;
  command.opd0_n = command.opd0_c = command.opd0_h = command.opd0_w = 1;
  command.opd1_n = command.opd1_c = command.opd1_h = command.opd1_w = 1;
}

void TiuWriter::type(const OperandFields& fields, DType dtype) {
  fields.type.set(command, code_of(dtype));
  fields.sign.set(command, is_signed(dtype) ? 1 : 0);
}

void TiuWriter::f32(std::initializer_list<const OperandFields*> operands) {
  for (const OperandFields* fields : operands) fields->type.set(command, kFp32);
}

void TiuWriter::constant(const OperandFields& fields, uint32_t bits) {
  fields.is_constant.set(command, 1);
  fields.address.set(command, bits);
}

void TiuWriter::address(const OperandFields& fields, const TensorView& view) {
  require(view.space == Space::local, fields.address.name, describe(view));
  fields.address.set(command, chip_.local_base + view.address);
}

TensorView TiuWriter::dense(const TensorView& view, bool is_aligned) const {
  CommandReader reader(chip_);
  TensorView expected =
      reader.dense({"", view.address}, view.shape, view.dtype, is_aligned, view.pack);
  expected.plane_stride = view.plane_stride;
  return expected;
}

bool TiuWriter::is_aligned(const TensorView& view) const { return dense(view, true) == view; }

void TiuWriter::strided(const OperandFields& fields, const TensorView& view, uint8_t pack) {
  address(fields, view);
  const uint32_t bytes = pack * element_bytes(view.dtype);
  fields.layout.set(command, kStrided);
  for (const auto& [field, stride] :
       {std::pair{fields.n, view.stride.n}, std::pair{fields.c, view.stride.c},
        std::pair{fields.h, view.stride.h}, std::pair{fields.w, view.stride.w}}) {
    // Strides are read modulo the lane, so whole lanes would be lost.
    require(stride % bytes == 0 && stride < chip_.lane_bytes, fields.address.name, describe(view));
    field.set(command, stride / bytes);
  }
}

void TiuWriter::word(const OperandFields& fields, const Source& source) {
  if (source.is_constant) return constant(fields, source.constant);
  strided(fields, source.view);
}

void TiuWriter::packed(const OperandFields& fields, const Source& source, DType dtype) {
  type(fields, dtype);
  if (source.is_constant) return constant(fields, source.constant);
  TensorView view = source.view;
  const bool one_image = view.pack == 1;
  fields.one_image.set(command, one_image ? 1 : 0);
  require(one_image || view.pack == pack_of(dtype), fields.address.name, describe(view));
  view.pack = 1;
  view.dtype = DType::b32;  // strides count cells
  strided(fields, view);
}

void TiuWriter::like(const OperandFields& fields, const TensorView& view,
                     const TensorView& expected) {
  address(fields, view);
  require(view == expected, fields.address.name, describe(view));
}

void TiuWriter::aligned(const OperandFields& fields, const TensorView& view) {
  like(fields, view, dense(view, /*is_aligned=*/true));
}
void TiuWriter::aligned(const OperandFields& fields, const Source& source) {
  if (source.is_constant) return constant(fields, source.constant);
  aligned(fields, source.view);
}
void TiuWriter::compact(const OperandFields& fields, const TensorView& view) {
  like(fields, view, dense(view, /*is_aligned=*/false));
}

void TiuWriter::matrix(const OperandFields& fields, const MatrixView& m) {
  type(fields, m.tensor.dtype);
  aligned(fields, m.tensor);
}

}  // namespace tputwin::isa::bm1684_streams
