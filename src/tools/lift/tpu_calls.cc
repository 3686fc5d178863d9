// The rows of tpu_calls.def, tried one after the other.
#include <tpu_kernel.h>

#include "tools/lift/calls.h"

namespace tputwin::lift {
namespace {

data_type_t code_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return DT_UINT8;
    case DType::i8:
      return DT_INT8;
    case DType::u16:
      return DT_UINT16;
    case DType::i16:
      return DT_INT16;
    case DType::u32:
      return DT_UINT32;
    case DType::i32:
      return DT_INT32;
    case DType::f16:
      return DT_FP16;
    case DType::bf16:
      return DT_BFP16;
    case DType::f32:
      return DT_FP32;
    default:
      return DT_INT4;  // no call takes it
  }
}

struct TpuApi : CommonApi {
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

// The roles, whose names stand bare in the rows, and a function for each row.
struct Rows : Roles {
#define TW_CALL(Operation_, call, ...)                   \
  void Operation_##_##call(Search& search) const {       \
    attempt<TpuApi>(search, #call, ::call, __VA_ARGS__); \
  }
#include "tools/lift/tpu_calls.def"
#undef TW_CALL
};

constexpr Row<Rows> kRows[] = {
#define TW_CALL(Operation_, call, ...)                                                \
  {#call, [](const Operation& op) { return std::holds_alternative<Operation_>(op); }, \
   &Rows::Operation_##_##call},
#include "tools/lift/tpu_calls.def"
#undef TW_CALL
};

}  // namespace

Lifted tpu_call_of(const Instruction& instruction, Recorder& recorder) {
  return find_call<Rows>(instruction, recorder, kRows);
}

std::vector<std::string_view> tpu_functions() { return functions_of<Rows>(kRows); }

}  // namespace tputwin::lift
