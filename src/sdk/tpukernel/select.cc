// tpu_bdc_greater ... tpu_bdc_vc_not_equal, tpu_bdc_*_select: comparison and selection.
#include "ops/elementwise/select.h"
#include "base/errors/tpukernel.h"

#include "sdk/tpukernel/elementwise.h"

namespace tputwin::tpu {
namespace {

using Compare = Select::Compare;

// The result may have any type that is not wider than the compared type.
BinaryTypes types(Call& call, data_type_t dst_dtype, data_type_t src_dtype) {
  const DType out = call.type("dst_dtype", dst_dtype, kAll);
  const DType in = call.type("src_dtype", src_dtype, kAll);
  call.require(element_bytes(out) <= element_bytes(in), errors::tpu_dtype_pair, "dst_dtype",
               static_cast<int>(dst_dtype));
  return {out, in, in};
}

// true_val if the condition holds, else 0.
void compare(Call& call, Compare condition, const Binary& operands, scalar_t true_val,
             const BinaryTypes& t) {
  call.issue(Select{.compare = condition,
                    .out = operands.out,
                    .a = operands.a,
                    .b = operands.b,
                    .if_true = constant(true_val, t.out),
                    .if_false = Source::value(0u, t.out),
                    .type = t.a});
}

// Returns a variable_t as an operand. A VECTOR has one element in every NPU, which all channels
// there share.
Source operand(Call& call, std::string_view argument, const variable_t* from, const Shape& shape,
               DType dtype, var_type_t vector = VECTOR) {
  if (!call.present(from, argument)) return {};
  if (from->type == SCALAR) return constant(from->context.scalar, dtype);
  if (from->type == TENSOR || (from->type == VECTOR && vector == TENSOR))
    return Source::tensor(call.aligned(argument, from->context.addr, shape, dtype));
  call.require(from->type == VECTOR, errors::tpu_variable_type, argument,
               static_cast<int>(from->type));
  TensorView view = call.per_channel(argument, from->context.addr, shape, dtype);
  view.stride.c = 0;
  return Source::tensor(view);
}

// Chosen values are moved as bits. If integers are compared, they must be as wide or wider; if
// floats are, as wide.
void check_choice(Call& call, DType compared, DType chosen, data_type_t dtype) {
  const uint32_t bytes = element_bytes(compared), wide = element_bytes(chosen);
  const bool fits = is_float(compared) ? wide == bytes : wide >= bytes;
  call.require(fits, errors::tpu_dtype_pair, "dst_dtype", static_cast<int>(dtype));
}

struct Variables {
  const variable_t *src0, *src1, *src2, *src3;
};

Select choice(Call& call, Compare condition, local_addr_t dst_addr, const Variables& v,
              const Shape& s, data_type_t compared_dtype, data_type_t chosen_dtype) {
  const DType compared = call.type("src0_src1_dtype", compared_dtype, kAll);
  const DType chosen = call.type("dst_dtype", chosen_dtype, kAll);
  check_choice(call, compared, chosen, chosen_dtype);
  const var_type_t vector = call.quirks().ignored ? TENSOR : VECTOR;  // of the chosen values
  return {.compare = condition,
          .out = call.aligned("dst_addr", dst_addr, s, chosen),
          .a = operand(call, "src0", v.src0, s, compared),
          .b = operand(call, "src1", v.src1, s, compared),
          .if_true = operand(call, "src2", v.src2, s, chosen, vector),
          .if_false = operand(call, "src3", v.src3, s, chosen, vector),
          .type = compared};
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TPU_COMPARE(name, condition)                                                               \
  void tpu_bdc_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,       \
                      scalar_t true_val, const dim4* shape, const dim4* dst_stride,                \
                      const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,     \
                      data_type_t src_dtype) {                                                     \
    Call call(__func__);                                                                           \
    const BinaryTypes t = types(call, dst_dtype, src_dtype);                                       \
    compare(call, Compare::condition,                                                              \
            tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},                 \
                    {src1_addr, src1_stride}, t),                                                  \
            true_val, t);                                                                          \
  }                                                                                                \
  void tpu_bdc_##name##_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,                \
                          scalar_t true_val, const dim4* shape, const dim4* dst_stride,            \
                          const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype) {  \
    Call call(__func__);                                                                           \
    const BinaryTypes t = types(call, dst_dtype, src_dtype);                                       \
    compare(                                                                                       \
        call, Compare::condition,                                                                  \
        tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C, t),    \
        true_val, t);                                                                              \
  }                                                                                                \
  void tpu_bdc_vc_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,    \
                         scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,  \
                         int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype) { \
    Call call(__func__);                                                                           \
    const BinaryTypes t = types(call, dst_dtype, src_dtype);                                       \
    compare(call, Compare::condition,                                                              \
            vectors(call,                                                                          \
                    {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel,     \
                     src1_len_per_channel},                                                        \
                    t),                                                                            \
            true_val, t);                                                                          \
  }

TPU_COMPARE(greater, greater)
TPU_COMPARE(less, less)
TPU_COMPARE(equal, equal_value)
TPU_COMPARE(greater_equal, at_least)
TPU_COMPARE(less_equal, at_most)
TPU_COMPARE(not_equal, not_equal)

#define TPU_SELECT(name, condition)                                                          \
  void tpu_bdc_##name(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1, \
                      const variable_t* src2, const variable_t* src3, const dim4* shape,     \
                      data_type_t src0_src1_dtype, data_type_t dst_dtype) {                  \
    Call call(__func__);                                                                     \
    call.issue(choice(call, Compare::condition, dst_addr, {src0, src1, src2, src3},          \
                      call.shape(shape), src0_src1_dtype, dst_dtype));                       \
  }

TPU_SELECT(greater_select, greater)
TPU_SELECT(less_select, less)
TPU_SELECT(equal_select, equal_value)

#define TPU_SELECT_EXTREME(name, condition)                                                   \
  void tpu_bdc_##name(local_addr_t dst0_addr, local_addr_t dst1_addr, const variable_t* src0, \
                      const variable_t* src1, const variable_t* src2, const variable_t* src3, \
                      const dim4* shape, data_type_t dst0_dtype, data_type_t dst1_dtype) {    \
    Call call(__func__);                                                                      \
    const Shape s = call.shape(shape);                                                        \
    Select op = choice(call, Compare::condition, dst1_addr, {src0, src1, src2, src3}, s,      \
                       dst0_dtype, dst1_dtype);                                               \
    op.extreme = call.aligned("dst0_addr", dst0_addr, s, op.type);                            \
    call.issue(op);                                                                           \
  }

TPU_SELECT_EXTREME(maximum_greater_select, greater)
TPU_SELECT_EXTREME(minimum_less_select, less)
