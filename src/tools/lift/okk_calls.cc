// Lookup in okk_calls.def: its rows are tried one after the other.
#include <okk.h>

#include "tools/lift/calls.h"

namespace tputwin::lift {
namespace {

struct Api : CommonApi {
  using CommonApi::pass;
  static bool pass(const Constant& from, x32& to) {
    to.u32 = from.bits;
    return true;
  }
  static bool pass(const Constant& from, x16& to) {
    to.u16 = static_cast<unsigned short>(from.bits);
    return element_bytes(from.dtype) == sizeof to;
  }
  static bool pass(const Constant& from, x8& to) {
    to.u8 = static_cast<unsigned char>(from.bits);
    return element_bytes(from.dtype) == sizeof to;
  }
  static bool pass(const PackedTypes& from, op_type_t& to) {
    to = static_cast<op_type_t>(OP_TYPE(element_bytes(from.a) == 1, is_signed(from.a),
                                        is_signed(from.b), element_bytes(from.out) == 1,
                                        is_signed(from.out)));
    return element_bytes(from.a) == element_bytes(from.b);
  }
  static bool pass(const Variable& from, std::optional<fp32_or_addr_t>& to) {
    fp32_or_addr_t value{};
    value.is_addr = from.kind == Variable::Kind::tensor;
    if (value.is_addr)
      value.context.addr = static_cast<local_addr_t>(from.address.at);
    else
      value.context.val = f32::from_bits(from.constant.bits);
    to = value;
    return from.kind != Variable::Kind::vector;
  }
  static bool pass(const Variable& from, std::optional<x32_or_addr_t>& to) {
    x32_or_addr_t value{};
    value.is_addr = from.kind == Variable::Kind::tensor;
    if (value.is_addr)
      value.context.addr = static_cast<local_addr_t>(from.address.at);
    else
      value.context.val.u32 = from.constant.bits;
    to = value;
    return from.kind != Variable::Kind::vector;
  }
};

#define TW_CALLS "tools/lift/okk_calls.def"
#include "tools/lift/call_rows.inc"

}  // namespace

Lifted okk_call_of(const Instruction& instruction, Recorder& recorder) {
  return find_call<Rows>(instruction, recorder, kRows);
}

std::vector<std::string_view> okk_functions() { return functions_of<Rows>(kRows); }

}  // namespace tputwin::lift
