// Quotients, reciprocals and roots of floating-point tensors, by Newton's iteration.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/function.h"

namespace tputwin::tpu {
namespace {

constexpr int kIterations = 3;  // of the functions without num_iter

Source tensor(Call& call, std::string_view name, Place place, const Shape& shape, DType type) {
  return Source::tensor(call.lanes(name, place.address, shape, place.stride, type));
}

uint32_t at_least_1(Call& call, std::string_view argument, int count) {
  return call.require(count >= 1, errors::tpu_iterations, argument, count)
             ? static_cast<uint32_t>(count)
             : 1;
}

// Divides with any strides; one operand may be constant.
void divide(Call& call, const Shape& shape, Place dst, const Source& a, const Source& b, DType type,
            int num_iter) {
  FloatFunction op{.kind = FloatFunction::Kind::div, .a = a, .b = b};
  op.out = call.lanes("dst_addr", dst.address, shape, dst.stride, type);
  op.parameters.iterations = at_least_1(call, "num_iter", num_iter);
  call.issue(op);
}

Source value(float c, DType) { return constant(c); }
Source value(scalar_t c, DType type) { return constant(c, type); }

void root(Call& call, FloatFunction::Kind kind, local_addr_t dst_addr, local_addr_t src_addr,
          const dim4* shape, DType type, int num_iter) {
  FloatFunction op = aligned(call, kind, dst_addr, src_addr, shape, {}, type);
  op.parameters.iterations = at_least_1(call, "num_iter", num_iter);
  call.issue(op);
}

void compensated_reciprocal(Call& call, local_addr_t dst_addr, Place src,
                            std::initializer_list<Named> work, const dim4* shape, int num_iter,
                            int num_comp) {
  FloatFunction op = aligned(call, FloatFunction::Kind::compensated_reciprocal, dst_addr,
                             src.address, shape, work);
  op.a = tensor(call, "src_addr", src, op.out.shape, DType::f32);
  op.parameters.iterations = at_least_1(call, "num_iter", num_iter);
  op.parameters.corrections = at_least_1(call, "num_comp", num_comp);
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// Defines the function family `prefix`; its further parameters follow.
#define TPU_QUOTIENTS(prefix, scalar, dtype_of, num_iter_of, ...)                               \
  void tpu_bdc_##prefix##div(local_addr_t dst_addr, local_addr_t src0_addr,                     \
                             local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride, \
                             const dim4* src0_stride,                                           \
                             const dim4* src1_stride __VA_OPT__(, ) __VA_ARGS__) {              \
    Call call(__func__);                                                                        \
    const Shape s = call.shape(shape);                                                          \
    const DType type = dtype_of;                                                                \
    divide(call, s, {dst_addr, dst_stride},                                                     \
           tensor(call, "src0_addr", {src0_addr, src0_stride}, s, type),                        \
           tensor(call, "src1_addr", {src1_addr, src1_stride}, s, type), type, num_iter_of);    \
  }                                                                                             \
  void tpu_bdc_##prefix##div_C(local_addr_t dst_addr, local_addr_t src_addr, scalar C,          \
                               const dim4* shape, const dim4* dst_stride,                       \
                               const dim4* src_stride __VA_OPT__(, ) __VA_ARGS__) {             \
    Call call(__func__);                                                                        \
    const Shape s = call.shape(shape);                                                          \
    const DType type = dtype_of;                                                                \
    divide(call, s, {dst_addr, dst_stride},                                                     \
           tensor(call, "src_addr", {src_addr, src_stride}, s, type), value(C, type), type,     \
           num_iter_of);                                                                        \
  }                                                                                             \
  void tpu_bdc_##prefix##C_div(local_addr_t dst_addr, local_addr_t src_addr, scalar C,          \
                               const dim4* shape, const dim4* dst_stride,                       \
                               const dim4* src_stride __VA_OPT__(, ) __VA_ARGS__) {             \
    Call call(__func__);                                                                        \
    const Shape s = call.shape(shape);                                                          \
    const DType type = dtype_of;                                                                \
    divide(call, s, {dst_addr, dst_stride}, value(C, type),                                     \
           tensor(call, "src_addr", {src_addr, src_stride}, s, type), type, num_iter_of);       \
  }                                                                                             \
  void tpu_bdc_##prefix##reciprocal(local_addr_t dst_addr, local_addr_t src_addr,               \
                                    const dim4* shape, const dim4* dst_stride,                  \
                                    const dim4* src_stride __VA_OPT__(, ) __VA_ARGS__) {        \
    Call call(__func__);                                                                        \
    const Shape s = call.shape(shape);                                                          \
    const DType type = dtype_of;                                                                \
    divide(call, s, {dst_addr, dst_stride}, constant(1.0f),                                     \
           tensor(call, "src_addr", {src_addr, src_stride}, s, type), type, num_iter_of);       \
  }
#define TPU_ROOT(prefix, kind, dtype_of, num_iter_of, ...)                               \
  void tpu_bdc_##prefix##kind(local_addr_t dst_addr, local_addr_t src_addr,              \
                              const dim4* shape __VA_OPT__(, ) __VA_ARGS__) {            \
    Call call(__func__);                                                                 \
    const DType type = dtype_of;                                                         \
    root(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape, type, num_iter_of); \
  }
#define TPU_NEWTON(prefix, scalar, ...)      \
  TPU_QUOTIENTS(prefix, scalar, __VA_ARGS__) \
  TPU_ROOT(prefix, rsqrt, __VA_ARGS__)       \
  TPU_ROOT(prefix, sqrt, __VA_ARGS__)

TPU_NEWTON(fp32_, float, DType::f32, kIterations)
TPU_NEWTON(fp32_tunable_, float, DType::f32, num_iter, int num_iter)
TPU_NEWTON(fp_, scalar_t, call.type("dtype", dtype, kF32), kIterations, data_type_t dtype)
TPU_NEWTON(fp_tunable_, scalar_t, call.type("dtype", dtype, kF32), num_iter, data_type_t dtype,
           int num_iter)

void tpu_bdc_fp32_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                        local_addr_t work0_addr, local_addr_t work1_addr,
                                        local_addr_t work2_addr, const dim4* shape,
                                        const dim4* src_stride, int num_comp) {
  Call call(__func__);
  compensated_reciprocal(call, dst_addr, {src_addr, src_stride},
                         {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr), TPU_NAMED(work2_addr)},
                         shape, kIterations, num_comp);
}

void tpu_bdc_fp32_tunable_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                                local_addr_t work0_addr, local_addr_t work1_addr,
                                                local_addr_t work2_addr, const dim4* shape,
                                                const dim4* src_stride, int num_iter,
                                                int num_comp) {
  Call call(__func__);
  compensated_reciprocal(call, dst_addr, {src_addr, src_stride},
                         {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr), TPU_NAMED(work2_addr)},
                         shape, num_iter, num_comp);
}
