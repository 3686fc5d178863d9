// okk_bdc_rsqrt ... okk_bdc_relu, okk_bdc_fp32_to_int32, okk_bdc_lookup_*: unary functions.
#include <okk.h>

#include <algorithm>

#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

constexpr int kDefaultTerms = 32, kMaxTerms = 64;

// Functions of the aligned layout; the operation checks their addresses.
UnaryF32 aligned(Call& call, UnaryF32::Kind kind, local_addr_t dst_addr, local_addr_t src_addr,
                 const Shape& shape) {
  return {.kind = kind,
          .out = call.dense("dst_addr", dst_addr, shape, /*aligned=*/true, DType::f32),
          .in = call.dense("src_addr", src_addr, shape, /*aligned=*/true, DType::f32)};
}

void function(std::string_view name, UnaryF32::Kind kind, local_addr_t dst_addr,
              local_addr_t src_addr, const dim4* shape) {
  Call call(name);
  call.issue(aligned(call, kind, dst_addr, src_addr, call.shape(shape)));
}

uint32_t terms_of(Call& call, int num_series) {
  call.in_range(num_series, 1, kMaxTerms, errors::okk_num_series, "num_series");
  return static_cast<uint32_t>(std::clamp(num_series, 0, kMaxTerms));
}

void series(std::string_view name, UnaryF32::Kind kind, local_addr_t dst_addr,
            local_addr_t src_addr, local_addr_t work_addr, const dim4* shape, int num_series) {
  Call call(name);
  const Shape s = call.shape(shape);
  UnaryF32 op = aligned(call, kind, dst_addr, src_addr, s);
  op.work = call.dense("work_addr", work_addr, s, /*aligned=*/true, DType::f32);
  op.terms = terms_of(call, num_series);
  call.issue(op);
}

struct Strided {
  TensorView out, in;
};

Strided strided(Call& call, local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                const dim4* dst_stride, const dim4* src_stride,
                Channels channels = Channels::documented) {
  const Shape s = call.shape(shape, "shape", channels);
  return {call.lanes("dst_addr", dst_addr, s, dst_stride, DType::f32),
          call.lanes("src_addr", src_addr, s, src_stride, DType::f32)};
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

#define OKK_FUNCTION(name, kind)                                                         \
  void okk_bdc_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape) { \
    function(__func__, UnaryF32::Kind::kind, dst_addr, src_addr, shape);                 \
  }
#define OKK_SERIES(kind)                                                                         \
  void okk_bdc_##kind(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,      \
                      const dim4* shape) {                                                       \
    series(__func__, UnaryF32::Kind::kind, dst_addr, src_addr, work_addr, shape, kDefaultTerms); \
  }                                                                                              \
  void okk_bdc_##kind##_tunable(local_addr_t dst_addr, local_addr_t src_addr,                    \
                                local_addr_t work_addr, const dim4* shape, int num_series) {     \
    series(__func__, UnaryF32::Kind::kind, dst_addr, src_addr, work_addr, shape, num_series);    \
  }

OKK_FUNCTION(rsqrt, rsqrt)
OKK_FUNCTION(sqrt, sqrt)
OKK_FUNCTION(lookup_exp, lookup_exp)
OKK_FUNCTION(lookup_int32_to_fp32, lookup_int8)
OKK_FUNCTION(fp32_to_int32, to_int32)
OKK_SERIES(exp)
OKK_SERIES(sigmoid)
OKK_SERIES(tanh)

void okk_bdc_taylor_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        int num_series) {
  Call call(__func__);
  UnaryF32 op = aligned(call, UnaryF32::Kind::taylor_exp, dst_addr, src_addr, call.shape(shape));
  op.terms = terms_of(call, num_series);
  call.issue(op);
}

void okk_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  const auto [out, in] =
      strided(call, dst_addr, src_addr, shape, dst_stride, src_stride, Channels::all);
  call.issue(UnaryF32{.kind = UnaryF32::Kind::relu, .out = out, .in = in});
}

void okk_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  const auto [out, in] = strided(call, dst_addr, src_addr, shape, dst_stride, src_stride);
  call.issue(FloatArithmetic{.kind = FloatArithmetic::Kind::sub,
                             .out = out,
                             .a = Source::value(0.0f),
                             .b = Source::tensor(in)});
}

void okk_bdc_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride) {
  Call call(__func__);
  const auto [out, in] = strided(call, dst_addr, src_addr, shape, dst_stride, src_stride);
  call.issue(FloatArithmetic{.kind = FloatArithmetic::Kind::div,
                             .out = out,
                             .a = Source::value(1.0f),
                             .b = Source::tensor(in)});
}
