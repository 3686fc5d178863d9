// Transcendental functions and activations of floating-point tensors.
#include "sdk/tpukernel/function.h"

#include <cmath>

#include "base/errors/tpukernel.h"

namespace tputwin::tpu {
namespace {

void add_exp_tables(Call& call, FloatFunction& op, Named coeff, Named table) {
  op.exp_coeff = call.per_npu(coeff.name, coeff.address, function32::kExpTerms, DType::f32);
  op.exp_table = call.per_npu(table.name, table.address, function32::kExpEntries, DType::f32);
  const auto dst_addr = static_cast<local_addr_t>(op.out.address);
  op.entries = call.aligned("dst_addr", dst_addr, op.out.shape, DType::u16);
}

// Number of coefficients of a series that are loaded.
constexpr uint32_t kSeriesWords = 32;

void add_series(Call& call, FloatFunction& op, Named coeff, uint32_t words = kSeriesWords) {
  op.coeff = call.per_npu(coeff.name, coeff.address, words, DType::f32);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_bdc_fp32_softsign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape) {
  Call call(__func__);
  call.issue(aligned(call, FloatFunction::Kind::softsign, dst_addr, src_addr, shape));
}

// Functions of the exponential. `set` sets the parameters of the operation, which precede shape.
#define TPU_EXPONENTIAL(kind, set, ...)                                                           \
  void tpu_bdc_fp32_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr, \
                           local_addr_t work1_addr, local_addr_t coeff_addr,                      \
                           local_addr_t table_addr,                                               \
                           __VA_ARGS__ __VA_OPT__(, ) const dim4* shape) {                        \
    Call call(__func__);                                                                          \
    FloatFunction op = aligned(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape,        \
                               {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});                   \
    add_exp_tables(call, op, TPU_NAMED(coeff_addr), TPU_NAMED(table_addr));                       \
    set;                                                                                          \
    call.issue(op);                                                                               \
  }
TPU_EXPONENTIAL(exp, )
TPU_EXPONENTIAL(expm1, )
TPU_EXPONENTIAL(sigmoid, )
TPU_EXPONENTIAL(sinh, )
TPU_EXPONENTIAL(cosh, )
TPU_EXPONENTIAL(tanh, )
TPU_EXPONENTIAL(gelu_fast, )
TPU_EXPONENTIAL(mish, )
TPU_EXPONENTIAL(silu, )
TPU_EXPONENTIAL(selu, )
TPU_EXPONENTIAL(elu, op.parameters.alpha = alpha, float alpha)
TPU_EXPONENTIAL(swish, op.parameters.beta = beta, float beta)

#define TPU_ERROR_FUNCTION(kind)                                                                  \
  void tpu_bdc_fp32_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr, \
                           local_addr_t work1_addr, local_addr_t work2_addr,                      \
                           local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,              \
                           local_addr_t exp_table_addr, const dim4* shape) {                      \
    Call call(__func__);                                                                          \
    FloatFunction op =                                                                            \
        aligned(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape,                       \
                {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr), TPU_NAMED(work2_addr)});           \
    add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));               \
    add_series(call, op, TPU_NAMED(erf_coeff_addr), function32::kErfTerms);                       \
    call.issue(op);                                                                               \
  }
TPU_ERROR_FUNCTION(erf)
TPU_ERROR_FUNCTION(erfc)

void tpu_bdc_fp32_gelu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t work3_addr,
                       local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,
                       local_addr_t exp_table_addr, const dim4* shape) {
  Call call(__func__);
  FloatFunction op = aligned(
      call, FloatFunction::Kind::gelu, dst_addr, src_addr, shape,
      {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr), TPU_NAMED(work2_addr), TPU_NAMED(work3_addr)});
  add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));
  add_series(call, op, TPU_NAMED(erf_coeff_addr), function32::kErfTerms);
  call.issue(op);
}

void tpu_bdc_fp32_softplus(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                           local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                           local_addr_t log_coeff_addr, local_addr_t exp_table_addr,
                           const dim4* shape, float beta) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::softplus, dst_addr, src_addr, shape,
                             {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});
  add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));
  add_series(call, op, TPU_NAMED(log_coeff_addr));
  op.parameters.beta = beta;
  call.issue(op);
}

void tpu_bdc_fp32_log_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                              local_addr_t work1_addr, local_addr_t coeff_addr,
                              local_addr_t table_addr, local_addr_t ln_coeff_addr,
                              const dim4* shape) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::log_sigmoid, dst_addr, src_addr, shape,
                             {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});
  add_exp_tables(call, op, TPU_NAMED(coeff_addr), TPU_NAMED(table_addr));
  add_series(call, op, TPU_NAMED(ln_coeff_addr));
  call.issue(op);
}

void tpu_bdc_fp32_pow(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      local_addr_t work0_addr, local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                      local_addr_t log_coeff_addr, local_addr_t exp_table_addr, const dim4* shape) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::pow, dst_addr, src0_addr, shape,
                             {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});
  op.b = Source::tensor(call.aligned("src1_addr", src1_addr, op.out.shape, DType::f32));
  add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));
  add_series(call, op, TPU_NAMED(log_coeff_addr));
  call.issue(op);
}

void tpu_bdc_fp32_pow_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t log_coeff_addr, local_addr_t exp_table_addr, float C,
                        const dim4* shape) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::pow, dst_addr, src_addr, shape,
                             {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});
  op.b = constant(C);
  add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));
  add_series(call, op, TPU_NAMED(log_coeff_addr));
  call.issue(op);
}

void tpu_bdc_fp32_C_pow(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t exp_table_addr, float C, const dim4* shape) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::c_pow, dst_addr, src_addr, shape,
                             {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)});
  add_exp_tables(call, op, TPU_NAMED(exp_coeff_addr), TPU_NAMED(exp_table_addr));
  op.parameters.alpha = static_cast<float>(std::log(double{C}));
  call.issue(op);
}

// Functions of one series.
#define TPU_SERIES(kind)                                                                         \
  void tpu_bdc_fp32_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr, \
                           local_addr_t coeff_addr, const dim4* shape) {                         \
    Call call(__func__);                                                                         \
    FloatFunction op = aligned(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape,       \
                               {TPU_NAMED(work_addr)});                                          \
    add_series(call, op, TPU_NAMED(coeff_addr));                                                 \
    call.issue(op);                                                                              \
  }
TPU_SERIES(log)
TPU_SERIES(log1p)
TPU_SERIES(arcsinh)
TPU_SERIES(arccosh)
TPU_SERIES(arctanh)
TPU_SERIES(sin)
TPU_SERIES(cos)
TPU_SERIES(tan)
TPU_SERIES(cot)
TPU_SERIES(arcsin)
TPU_SERIES(arccos)

void tpu_bdc_fp32_logx(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                       local_addr_t coeff_addr, const dim4* shape, float x) {
  Call call(__func__);
  FloatFunction op =
      aligned(call, FloatFunction::Kind::logx, dst_addr, src_addr, shape, {TPU_NAMED(work_addr)});
  add_series(call, op, TPU_NAMED(coeff_addr));
  op.parameters.alpha = static_cast<float>(1 / std::log(double{x}));
  call.issue(op);
}

// Functions of every floating-point type.
void tpu_bdc_fp_taylor(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t coeff_addr,
                       const dim4* shape, int num, data_type_t dtype) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kFloats);
  FloatFunction op =
      aligned(call, FloatFunction::Kind::taylor, dst_addr, src_addr, shape, {}, type);
  const bool valid = call.require(num >= 2, errors::tpu_taylor_terms, "num", num) && num >= 2;
  op.coeff = call.per_npu("coeff_addr", coeff_addr, valid ? static_cast<uint32_t>(num) : 2, type);
  call.issue(op);
}

void tpu_bdc_fp_hsigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, float alpha, float beta, data_type_t dtype) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::hsigmoid, dst_addr, src_addr, shape,
                             {TPU_NAMED(work0_addr)}, call.type("dtype", dtype, kFloats));
  op.parameters.alpha = alpha;
  op.parameters.beta = beta;
  call.issue(op);
}

void tpu_bdc_fp_hswish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  call.issue(aligned(call, FloatFunction::Kind::hswish, dst_addr, src_addr, shape,
                     {TPU_NAMED(work0_addr)}, call.type("dtype", dtype, kFloats)));
}

void tpu_bdc_fp_isfinite(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  call.issue(aligned(call, FloatFunction::Kind::isfinite, dst_addr, src_addr, shape,
                     {TPU_NAMED(work0_addr)}, call.type("dtype", dtype, kFloats)));
}

// Later additions of the API: forms with a type argument. They take the powers of e from static
// memory. On the BM1684X the type must be fp32.
#define TPU_TYPED_EXPONENTIAL(kind)                                                               \
  void tpu_bdc_fp_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,   \
                         local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,     \
                         data_type_t dtype) {                                                     \
    Call call(__func__);                                                                          \
    FloatFunction op =                                                                            \
        aligned(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape,                       \
                {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr)}, call.type("dtype", dtype, kF32)); \
    op.exp_coeff = call.per_npu("coeff_addr", coeff_addr, function32::kExpTerms, DType::f32);     \
    call.issue(op);                                                                               \
  }
TPU_TYPED_EXPONENTIAL(exp)
TPU_TYPED_EXPONENTIAL(expm1)

#define TPU_TYPED_ERROR_FUNCTION(kind)                                                          \
  void tpu_bdc_fp_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr, \
                         local_addr_t work1_addr, local_addr_t work2_addr,                      \
                         local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,              \
                         const dim4* shape, data_type_t dtype) {                                \
    Call call(__func__);                                                                        \
    FloatFunction op =                                                                          \
        aligned(call, FloatFunction::Kind::kind, dst_addr, src_addr, shape,                     \
                {TPU_NAMED(work0_addr), TPU_NAMED(work1_addr), TPU_NAMED(work2_addr)},          \
                call.type("dtype", dtype, kF32));                                               \
    op.exp_coeff =                                                                              \
        call.per_npu("exp_coeff_addr", exp_coeff_addr, function32::kExpTerms, DType::f32);      \
    add_series(call, op, TPU_NAMED(erf_coeff_addr), function32::kErfTerms);                     \
    call.issue(op);                                                                             \
  }
TPU_TYPED_ERROR_FUNCTION(erf)
TPU_TYPED_ERROR_FUNCTION(erfc)

void tpu_bdc_fp_log(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                    local_addr_t coeff_addr, const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  FloatFunction op = aligned(call, FloatFunction::Kind::log, dst_addr, src_addr, shape,
                             {TPU_NAMED(work_addr)}, call.type("dtype", dtype, kF32));
  add_series(call, op, TPU_NAMED(coeff_addr));
  call.issue(op);
}
