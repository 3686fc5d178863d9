// okk_bdc_32bit_and ... okk_bdc_32bit_C_logical_shift: logic and shifts of 32-bit elements.
#include <okk.h>

#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

// A tensor argument, or a constant instead of it.
struct Operand32 {
  std::string_view name;
  local_addr_t address = 0;
  const dim4* stride = nullptr;
  std::optional<uint32_t> constant = {};
};

Operand32 constant(uint32_t bits) { return {.name = "C", .constant = bits}; }

void bitwise(std::string_view name, Bitwise::Kind kind, const dim4* shape, const Operand32& dst,
             const Operand32& a, const Operand32& b) {
  Call call(name);
  const Shape s = call.shape(shape);
  auto view = [&](const Operand32& operand) {
    return call.lanes(operand.name, operand.address, s, operand.stride, DType::b32);
  };
  auto source = [&](const Operand32& operand) {
    return operand.constant ? Source::value(*operand.constant) : Source::tensor(view(operand));
  };
  const bool shifts =
      kind == Bitwise::Kind::arithmetic_shift || kind == Bitwise::Kind::logical_shift;
  if (shifts && b.constant)
    call.in_range(static_cast<int32_t>(*b.constant), -32, 32, errors::okk_shift_32, "C");
  call.issue(Bitwise{.kind = kind,
                     .out = view(dst),
                     .a = source(a),
                     .b = source(b),
                     .keeps_at_32 = call.quirks().shift32});
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

// The three forms: tensor by tensor, tensor by constant, constant by tensor.
#define OKK_TENSOR_BY_TENSOR(function, kind)                                                       \
  void okk_bdc_32bit_##function(local_addr_t dst_addr, local_addr_t src0_addr,                     \
                                local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride, \
                                const dim4* src0_stride, const dim4* src1_stride) {                \
    bitwise(__func__, Bitwise::Kind::kind, shape, {"dst_addr", dst_addr, dst_stride},              \
            {"src0_addr", src0_addr, src0_stride}, {"src1_addr", src1_addr, src1_stride});         \
  }
#define OKK_TENSOR_BY_CONSTANT(function, kind, type, bits)                                \
  void okk_bdc_32bit_##function##_C(local_addr_t dst_addr, local_addr_t src_addr, type C, \
                                    const dim4* shape, const dim4* dst_stride,            \
                                    const dim4* src_stride) {                             \
    bitwise(__func__, Bitwise::Kind::kind, shape, {"dst_addr", dst_addr, dst_stride},     \
            {"src_addr", src_addr, src_stride}, constant(bits));                          \
  }
#define OKK_CONSTANT_BY_TENSOR(function, kind, type)                                    \
  void okk_bdc_32bit_C_##function(local_addr_t dst_addr, local_addr_t src_addr, type C, \
                                  const dim4* shape, const dim4* dst_stride,            \
                                  const dim4* src_stride) {                             \
    bitwise(__func__, Bitwise::Kind::kind, shape, {"dst_addr", dst_addr, dst_stride},   \
            constant(static_cast<uint32_t>(C)), {"src_addr", src_addr, src_stride});    \
  }

#define OKK_LOGIC(function)                      \
  OKK_TENSOR_BY_TENSOR(function, bit_##function) \
  OKK_TENSOR_BY_CONSTANT(function, bit_##function, x32, C.u32)
#define OKK_SHIFT(function, type)                                           \
  OKK_TENSOR_BY_TENSOR(function, function)                                  \
  OKK_TENSOR_BY_CONSTANT(function, function, int, static_cast<uint32_t>(C)) \
  OKK_CONSTANT_BY_TENSOR(function, function, type)

OKK_LOGIC(and)
OKK_LOGIC(or)
OKK_LOGIC(xor)
OKK_SHIFT(arithmetic_shift, int)
OKK_SHIFT(logical_shift, unsigned)
