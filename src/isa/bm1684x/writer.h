// Common parts of the BM1684X's encoders: they write types, extents and addresses of operands to
// fields. The first operand that no field can express becomes the error.
#pragma once

#include "isa/bm1684x/operations.h"

namespace tputwin::isa::bm1684x_streams {

// The fields of an operand of the tensor engine; nullptr: it has no such field.
struct OperandFields {
  std::string_view name;
  uint64_t TiuCommand::*address;
  uint64_t TiuCommand::*type = nullptr;
  uint64_t TiuCommand::*sign = nullptr;
  uint64_t TiuCommand::*is_constant = nullptr;
  uint64_t TiuCommand::*layout = nullptr;
  uint64_t TiuCommand::*strides[4] = {};  // n, c, h, w
};
inline constexpr OperandFields kRes0{"res0",
                                     &TiuCommand::res0_addr,
                                     &TiuCommand::res0_prec,
                                     nullptr,
                                     nullptr,
                                     &TiuCommand::res0_str,
                                     {&TiuCommand::res0_n_str, &TiuCommand::res0_c_str,
                                      &TiuCommand::res0_h_str, &TiuCommand::res0_w_str}};
inline constexpr OperandFields kOpd0{"opd0",
                                     &TiuCommand::opd0_addr,
                                     &TiuCommand::opd0_prec,
                                     &TiuCommand::opd0_sign,
                                     &TiuCommand::opd0_const,
                                     &TiuCommand::opd0_str,
                                     {&TiuCommand::opd0_n_str, &TiuCommand::opd0_c_str,
                                      &TiuCommand::opd0_h_str, &TiuCommand::opd0_w_str}};
inline constexpr OperandFields kOpd1{"opd1",
                                     &TiuCommand::opd1_addr,
                                     &TiuCommand::opd1_prec,
                                     &TiuCommand::opd1_sign,
                                     &TiuCommand::opd1_const,
                                     &TiuCommand::opd1_str,
                                     {&TiuCommand::opd1_n_str, &TiuCommand::opd1_c_str,
                                      &TiuCommand::opd1_h_str, &TiuCommand::opd1_w_str}};
inline constexpr OperandFields kOpd2{"opd2", &TiuCommand::opd2_addr, &TiuCommand::opd2_prec,
                                     &TiuCommand::opd2_sign, &TiuCommand::opd2_const};
inline constexpr OperandFields kOpd3{"opd3", &TiuCommand::opd3_addr, nullptr, nullptr,
                                     &TiuCommand::opd3_const};

// A function that returns the view of a layout.
using Placement = TensorView (CommandReader::*)(const Named&, const Shape&, DType);

class TiuWriter {
 public:
  explicit TiuWriter(const Chip& chip) : chip_(chip) {}

  TiuCommand command;

  const Chip& chip() const { return chip_; }
  bool ok() const { return !error_; }
  const std::optional<Error>& error() const { return error_; }
  bool require(bool holds, std::string_view operand, const std::string& value);

  // Writes class and code of the first row of the class that uses `decode` and `matches`.
  template <class Matches>
  void operation(uint8_t type, TiuDecoder decode, const Matches& matches) {
    for (const TiuRow& row : tiu_rows())
      if (row.type == type && row.decode == decode && matches(row.variant)) {
        command.tsk_typ = row.type;
        command.tsk_eu_typ = row.code;
        return;
      }
    require(false, "operation", "");
  }
  void operation(uint8_t type, TiuDecoder decode) {
    operation(type, decode, [](const TiuVariant&) { return true; });
  }

  void shape(const Shape& s);  // res0_n ... res0_w
  // Writes type and sign.
  void type(const OperandFields& fields, DType dtype);
  // Writes an operand with its layout code: aligned if possible, else strided.
  void place(const OperandFields& fields, const TensorView& view);
  // Writes a tensor as place() does, or a constant.
  void source(const OperandFields& fields, const Source& source);
  // Writes an operand without a layout code. Its layout must be the one that `by` returns for
  // `shape`.
  void fixed(const OperandFields& fields, const TensorView& view, const Shape& shape, Placement by);
  void aligned(const OperandFields& fields, const TensorView& view);
  // Writes one element per channel, as a view of the whole shape.
  void per_channel(const OperandFields& fields, const TensorView& view);
  void constant(const OperandFields& fields, uint32_t bits);

 private:
  const Chip& chip_;
  std::optional<Error> error_;
};

// Returns the code of a type. It does not include signedness.
uint64_t type_code(DType dtype);

// The commands of the operations; one overload each in encode_*.cc.
void encode(const FloatArithmetic&, TiuWriter&);
void encode(const IntArithmetic&, TiuWriter&);
void encode(const Bitwise&, TiuWriter&);
void encode(const Select&, TiuWriter&);
void encode(const Convert&, TiuWriter&);
void encode(const Unary&, TiuWriter&);
void encode(const FloatFunction&, TiuWriter&);
void encode(const Sequence&, TiuWriter&);
void encode(const Copy&, TiuWriter&);
void encode(const Requantize&, TiuWriter&);
void encode(const Rearrange&, TiuWriter&);
void encode(const LoadTable&, TiuWriter&);
void encode(const Gather&, TiuWriter&);
void encode(const Scatter&, TiuWriter&);
void encode(const TableLookup&, TiuWriter&);
void encode(const MaskSelect&, TiuWriter&);
void encode(const Conv2dBm1684xFloat&, TiuWriter&);
void encode(const Conv2dBm1684xInt8&, TiuWriter&);
void encode(const Depthwise2dBm1684xFloat&, TiuWriter&);
void encode(const Depthwise2dBm1684xInt8&, TiuWriter&);
void encode(const Pool2dBm1684xFloat&, TiuWriter&);
void encode(const Pool2dBm1684xInt8&, TiuWriter&);
void encode(const MatmulBm1684xFp32&, TiuWriter&);
void encode(const MatmulBm1684xHalf&, TiuWriter&);
void encode(const MatmulBm1684xInt&, TiuWriter&);

}  // namespace tputwin::isa::bm1684x_streams
