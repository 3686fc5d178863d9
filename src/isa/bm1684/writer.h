// Common parts of the BM1684's encoders: they write types, extents and addresses of operands to
// fields. The first operand that no field can express becomes the error.
#pragma once

#include "isa/bm1684/decode.h"
#include "isa/streams/writer.h"

namespace tputwin::isa::bm1684_streams {

class TiuWriter {
 public:
  explicit TiuWriter(const Chip& chip) : chip_(chip) {}

  TiuCommand command;

  const Chip& chip() const { return chip_; }
  const std::optional<Error>& error() const { return error_; }
  bool require(bool holds, std::string_view operand, const std::string& value);

  void operation(uint8_t type, uint8_t code, uint64_t operands);
  void shape(const Shape& s);  // res0_n ... res0_w
  void type(const OperandFields& fields, DType dtype);
  void f32(std::initializer_list<const OperandFields*> operands);
  void constant(const OperandFields& fields, uint32_t bits);
  // Writes lane * lane_bytes + byte, from the base of local memory on.
  void address(const OperandFields& fields, const TensorView& view);

  // Writes an operand with its strides; `pack` elements form a cell.
  void strided(const OperandFields& fields, const TensorView& view, uint8_t pack = 1);
  // Writes a fixed-point constant, or a view with its strides. A view with pack 1 is one image: the
  // first element of each cell is used for all n.
  void packed(const OperandFields& fields, const Source& source, DType dtype);
  void word(const OperandFields& fields, const Source& source);
  // Writes the address of an operand that must have the layout of `expected`.
  void like(const OperandFields& fields, const TensorView& view, const TensorView& expected);
  void aligned(const OperandFields& fields, const TensorView& view);
  void aligned(const OperandFields& fields, const Source& source);
  void compact(const OperandFields& fields, const TensorView& view);
  bool is_aligned(const TensorView& view) const;
  void matrix(const OperandFields& fields, const MatrixView& m);

 private:
  TensorView dense(const TensorView& view, bool is_aligned) const;

  const Chip& chip_;
  std::optional<Error> error_;
};

// The commands of the operations; one overload each in encode_*.cc.
void encode(const FloatArithmetic&, TiuWriter&);
void encode(const FixedPoint&, TiuWriter&);
void encode(const Bitwise&, TiuWriter&);
void encode(const Select&, TiuWriter&);
void encode(const Copy&, TiuWriter&);
void encode(const UnaryF32&, TiuWriter&);
void encode(const Unary&, TiuWriter&);
void encode(const L2Function&, TiuWriter&);
void encode(const ChannelAffine&, TiuWriter&);
void encode(const Conv2dBm1684&, TiuWriter&);
void encode(const Conv2dBm1684Int8&, TiuWriter&);
void encode(const Winograd2dBm1684&, TiuWriter&);
void encode(const Depthwise2dBm1684&, TiuWriter&);
void encode(const Depthwise2dBm1684Int8&, TiuWriter&);
void encode(const Pool2dBm1684&, TiuWriter&);
void encode(const Pool2dBm1684Int8&, TiuWriter&);
void encode(const MatmulBm1684&, TiuWriter&);
void encode(const MatmulBm1684Int8&, TiuWriter&);

using GdmaWriter = GdmaCommandWriter<GdmaCommand>;

void encode(const Copy&, GdmaWriter&);
void encode(const Convert&, GdmaWriter&);
void encode(const CopyAdd&, GdmaWriter&);
void encode(const CopyMatrix&, GdmaWriter&);
void encode(const Rearrange&, GdmaWriter&);

}  // namespace tputwin::isa::bm1684_streams
