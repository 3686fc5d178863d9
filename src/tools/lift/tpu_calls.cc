// Lookup in tpu_calls.def: its rows are tried one after the other.
#include <tpu_kernel.h>

#include "tools/lift/calls.h"

namespace tputwin::lift {
namespace {

data_type_t code_of(DType dtype) {
  switch (dtype) {
#define TW_TYPE(type, name, code) \
  case DType::type:               \
    return code;
#include "tools/lift/types.def"
    default:
      return DT_INT4;  // no call takes it
  }
}

struct Api : CommonApi {
  using CommonApi::pass;
  static bool pass(const DType& from, data_type_t& to) {
    to = code_of(from);
    return true;
  }
  static bool pass(const Rounding& from, rounding_mode_t& to) {
    to = static_cast<rounding_mode_t>(from);
    return true;
  }
  static bool pass(const Constant& from, scalar_t& to) {
    to = scalar_t{.u32 = from.bits};
    return true;
  }
  static bool pass(const Variable& from, std::optional<variable_t>& to) {
    using Kind = Variable::Kind;
    variable_t value{};
    value.type = from.kind == Kind::scalar ? SCALAR : from.kind == Kind::vector ? VECTOR : TENSOR;
    if (from.kind == Kind::scalar)
      value.context.scalar.u32 = from.constant.bits;
    else
      value.context.addr = static_cast<local_addr_t>(from.address.at);
    to = value;
    return true;
  }
};

#define TW_CALLS "tools/lift/tpu_calls.def"
#include "tools/lift/call_rows.inc"

}  // namespace

Lifted tpu_call_of(const Instruction& instruction, Recorder& recorder) {
  return find_call<Rows>(instruction, recorder, kRows);
}

std::vector<std::string_view> tpu_functions() { return functions_of<Rows>(kRows); }

}  // namespace tputwin::lift
