// The fields of operands of the BM1684's tensor engine, for decoders and encoders.
#pragma once

#include "isa/bm1684/command.h"
#include "isa/streams/reader.h"

namespace tputwin::isa::bm1684_streams {

struct TiuField {
  std::string_view name;
  uint64_t TiuCommand::*member = nullptr;  // nullptr: the operand has no such field

  Named of(const TiuCommand& c) const { return {name, member != nullptr ? c.*member : 0}; }
  void set(TiuCommand& c, uint64_t value) const {
    if (member != nullptr) c.*member = value;
  }
};
#define TW_TIU_FIELD(field) \
  TiuField { #field, &TiuCommand::field }

struct OperandFields {
  TiuField address, type, sign, is_constant, layout;
  TiuField n, c, h, w;  // strides
  TiuField one_image;   // N = 1
};

inline constexpr OperandFields kRes0{.address = TW_TIU_FIELD(res0_addr),
                                     .type = TW_TIU_FIELD(opt_res0_prec),
                                     .sign = {},
                                     .is_constant = {},
                                     .layout = TW_TIU_FIELD(short_res0_str),
                                     .n = TW_TIU_FIELD(res0_n_str),
                                     .c = TW_TIU_FIELD(res0_c_str),
                                     .h = TW_TIU_FIELD(res0_h_str),
                                     .w = TW_TIU_FIELD(res0_w_str),
                                     .one_image = {}};
#define TW_OPERAND(opd, one_image_field)                                                    \
  {                                                                                         \
    .address = TW_TIU_FIELD(opd##_addr), .type = TW_TIU_FIELD(opt_##opd##_prec),            \
    .sign = TW_TIU_FIELD(opt_##opd##_sign), .is_constant = TW_TIU_FIELD(opt_##opd##_const), \
    .layout = TW_TIU_FIELD(short_##opd##_str), .n = TW_TIU_FIELD(opd##_n_str),              \
    .c = TW_TIU_FIELD(opd##_c_str), .h = TW_TIU_FIELD(opd##_h_str),                         \
    .w = TW_TIU_FIELD(opd##_w_str), .one_image = one_image_field                            \
  }
inline constexpr OperandFields kOpd0 TW_OPERAND(opd0, TW_TIU_FIELD(opd0_neq1));
inline constexpr OperandFields kOpd1 TW_OPERAND(opd1, TW_TIU_FIELD(opd1_neq1));
inline constexpr OperandFields kOpd2 TW_OPERAND(opd2, TiuField{});
#undef TW_OPERAND
inline constexpr OperandFields kOpd3{.address = TW_TIU_FIELD(opd3_addr),
                                     .type = {},
                                     .sign = {},
                                     .is_constant = TW_TIU_FIELD(opt_opd3_const),
                                     .layout = {},
                                     .n = {},
                                     .c = {},
                                     .h = {},
                                     .w = {},
                                     .one_image = {}};
// The second result of a choice between two values.
inline constexpr OperandFields kRes1{.address = TW_TIU_FIELD(res1_addr),
                                     .type = {},
                                     .sign = {},
                                     .is_constant = {},
                                     .layout = {},
                                     .n = {},
                                     .c = {},
                                     .h = {},
                                     .w = {},
                                     .one_image = {}};

}  // namespace tputwin::isa::bm1684_streams
