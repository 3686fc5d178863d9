// okk_bdc_add ... okk_bdc_min, okk_bdc_*_select_value, okk_bdc_*_select: arithmetic on two fp32
// operands, and selection by comparing them.
#include <okk.h>

#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

// A tensor argument: address and strides.
struct Place {
  local_addr_t address;
  const dim4* stride;
};

struct Operands {
  TensorView out;
  Source a, b;
};

Operands tensors(Call& call, const dim4* shape, Place dst, Place src0, Place src1,
                 Channels channels = Channels::documented) {
  const Shape s = call.shape(shape, "shape", channels);
  return {call.lanes("dst_addr", dst.address, s, dst.stride, DType::f32),
          Source::tensor(call.lanes("src0_addr", src0.address, s, src0.stride, DType::f32)),
          Source::tensor(call.lanes("src1_addr", src1.address, s, src1.stride, DType::f32))};
}

// The tensor is the first operand.
Operands tensor_and_constant(Call& call, const dim4* shape, Place dst, Place src, float C) {
  const Shape s = call.shape(shape);
  return {call.lanes("dst_addr", dst.address, s, dst.stride, DType::f32),
          Source::tensor(call.lanes("src_addr", src.address, s, src.stride, DType::f32)),
          Source::value(C)};
}

Operands constant_and_tensor(Call& call, const dim4* shape, Place dst, Place src, float C) {
  Operands operands = tensor_and_constant(call, shape, dst, src, C);
  std::swap(operands.a, operands.b);
  return operands;
}

void arithmetic(Call& call, FloatArithmetic::Kind kind, const Operands& operands) {
  call.issue(FloatArithmetic{.kind = kind, .out = operands.out, .a = operands.a, .b = operands.b});
}

void select_value(Call& call, Select::Compare compare, const Operands& operands, x32 value) {
  call.issue(Select{.compare = compare,
                    .out = operands.out,
                    .a = operands.a,
                    .b = operands.b,
                    .if_true = Source::value(value.u32),
                    .if_false = Source::value(0u)});
}

uint32_t bits_of(float value) { return f32::bits(value); }
uint32_t bits_of(x32 value) { return value.u32; }

// The functions below take only the aligned layout.
TensorView aligned(Call& call, std::string_view argument, local_addr_t address,
                   const Shape& shape) {
  call.require(address % call.chip().eu_bytes == 0, errors::okk_address_128, argument,
               Hex{address});
  return call.dense(argument, address, shape, /*aligned=*/true, DType::f32);
}

// A tensor or a constant.
template <class ValueOrAddress>
Source operand(Call& call, std::string_view argument, const ValueOrAddress* from,
               const Shape& shape) {
  if (!call.present(from, argument)) return {};
  if (!from->is_addr) return Source::value(bits_of(from->context.val));
  return Source::tensor(aligned(call, argument, from->context.addr, shape));
}

void select(std::string_view name, Select::Compare compare, local_addr_t dst_addr,
            const fp32_or_addr_t* src0, const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
            const x32_or_addr_t* select1, const dim4* shape) {
  Call call(name);
  const Shape s = call.shape(shape);
  call.issue(Select{.compare = compare,
                    .out = aligned(call, "dst_addr", dst_addr, s),
                    .a = operand(call, "src0", src0, s),
                    .b = operand(call, "src1", src1, s),
                    .if_true = operand(call, "select0", select0, s),
                    .if_false = operand(call, "select1", select1, s)});
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

#define OKK_OF_TENSORS(kind)                                                                 \
  void okk_bdc_##kind(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                      const dim4* src1_stride) {                                             \
    Call call(__func__);                                                                     \
    arithmetic(call, FloatArithmetic::Kind::kind,                                            \
               tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},        \
                       {src1_addr, src1_stride}));                                           \
  }
#define OKK_WITH_CONSTANT(name, kind, operands)                                                 \
  void okk_bdc_##name(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape, \
                      const dim4* dst_stride, const dim4* src_stride) {                         \
    Call call(__func__);                                                                        \
    arithmetic(call, FloatArithmetic::Kind::kind,                                               \
               operands(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C));       \
  }

OKK_OF_TENSORS(add)
OKK_OF_TENSORS(sub)
OKK_OF_TENSORS(mul)
OKK_OF_TENSORS(div)
OKK_OF_TENSORS(mac)
OKK_OF_TENSORS(min)
OKK_WITH_CONSTANT(add_C, add, tensor_and_constant)
OKK_WITH_CONSTANT(sub_C, sub, tensor_and_constant)
OKK_WITH_CONSTANT(C_sub, sub, constant_and_tensor)
OKK_WITH_CONSTANT(mul_C, mul, tensor_and_constant)
OKK_WITH_CONSTANT(div_C, div, tensor_and_constant)
OKK_WITH_CONSTANT(C_div, div, constant_and_tensor)
OKK_WITH_CONSTANT(mac_C, mac, tensor_and_constant)
OKK_WITH_CONSTANT(max_C, max, tensor_and_constant)
OKK_WITH_CONSTANT(min_C, min, tensor_and_constant)

// A tensor combined with itself may have any number of channels.
void okk_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride) {
  Call call(__func__);
  const Channels channels = src0_addr == src1_addr ? Channels::all : Channels::documented;
  arithmetic(call, FloatArithmetic::Kind::max,
             tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},
                     {src1_addr, src1_stride}, channels));
}

#define OKK_SELECT_OF_TENSORS(name, compare)                                                 \
  void okk_bdc_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                      x32 select_val, const dim4* shape, const dim4* dst_stride,             \
                      const dim4* src0_stride, const dim4* src1_stride) {                    \
    Call call(__func__);                                                                     \
    select_value(call, Select::Compare::compare,                                             \
                 tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},      \
                         {src1_addr, src1_stride}),                                          \
                 select_val);                                                                \
  }
#define OKK_SELECT_WITH_CONSTANT(name, compare, operands)                                    \
  void okk_bdc_##name(local_addr_t dst_addr, local_addr_t src_addr, float C, x32 select_val, \
                      const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {   \
    Call call(__func__);                                                                     \
    select_value(call, Select::Compare::compare,                                             \
                 operands(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C),   \
                 select_val);                                                                \
  }

OKK_SELECT_OF_TENSORS(greater_select_value, greater)
OKK_SELECT_OF_TENSORS(equal_select_value, equal_bits)
OKK_SELECT_WITH_CONSTANT(greater_C_select_value, greater, tensor_and_constant)
OKK_SELECT_WITH_CONSTANT(C_greater_select_value, greater, constant_and_tensor)
OKK_SELECT_WITH_CONSTANT(equal_C_select_value, equal_bits, tensor_and_constant)

void okk_bdc_greater_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                            const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                            const x32_or_addr_t* select1, const dim4* shape) {
  select(__func__, Select::Compare::greater, dst_addr, src0, src1, select0, select1, shape);
}

void okk_bdc_equal_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                          const x32_or_addr_t* select1, const dim4* shape) {
  select(__func__, Select::Compare::equal, dst_addr, src0, src1, select0, select1, shape);
}
