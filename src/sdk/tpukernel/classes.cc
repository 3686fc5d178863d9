// tpu_bdc_fp_isnan, _isinf, _isposinf, _isneginf: classification of floating-point numbers.
#include "numerics/float16.h"
#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/select.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

using Compare = Select::Compare;

constexpr uint32_t kInfinityF32 = 0x7f800000;

// The operands of these functions. `work` may be overwritten.
struct Operands {
  TensorView dst, src, work;
  DType type;

  Source bits(uint32_t f32_bits, bool is_negative = false) const {
    const float value = f32::from_bits(f32_bits);
    return Source::value(float_bits(is_negative ? -value : value, type), type);
  }
  // dst = holds(a, b) ? 1 : 0
  Select choose(Compare compare, const Source& a, const Source& b) const {
    return {.compare = compare,
            .out = dst,
            .a = a,
            .b = b,
            .if_true = Source::value(float_bits(1.0f, type), type),
            .if_false = Source::value(0u, type),
            .type = type};
  }
};

Operands operands(Call& call, local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                  const dim4* shape, data_type_t dtype) {
  const DType type = call.type("dtype", dtype, kFloats);
  const Shape s = call.shape(shape);
  return {call.aligned("dst_addr", dst_addr, s, type), call.aligned("src_addr", src_addr, s, type),
          call.aligned("work0_addr", work0_addr, s, type), type};
}

// Returns a view of the same elements as integers of their width.
TensorView as_bits(TensorView view) {
  view.dtype = view.dtype == DType::f32 ? DType::u32 : DType::u16;
  view.plane_stride = okk::plane_stride_of(view.dtype);
  return view;
}

// work = the bits of src without the sign
void drop_sign(Call& call, const Operands& o) {
  const TensorView work = as_bits(o.work);
  const uint32_t all_but_sign = o.type == DType::f32 ? 0x7fffffff : 0x7fff;
  call.issue(Bitwise{.kind = Bitwise::Kind::bit_and,
                     .out = work,
                     .a = Source::tensor(as_bits(o.src)),
                     .b = Source::value(all_but_sign, work.dtype)});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// Compares as integers: without the sign, the bits of a NaN are larger than those of an infinity. A
// comparison of floats cannot detect a NaN, because on the chip a NaN equals itself.
void tpu_bdc_fp_isnan(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  const Operands o = operands(call, dst_addr, src_addr, work0_addr, shape, dtype);
  drop_sign(call, o);
  const TensorView work = as_bits(o.work);
  Select op = o.choose(Compare::greater, Source::tensor(work),
                       Source::value(o.bits(kInfinityF32).constant, work.dtype));
  op.type = work.dtype;
  call.issue(op);
}

// Without its sign an infinity is the positive one.
void tpu_bdc_fp_isinf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  const Operands o = operands(call, dst_addr, src_addr, work0_addr, shape, dtype);
  drop_sign(call, o);
  call.issue(o.choose(Compare::equal_value, Source::tensor(o.work), o.bits(kInfinityF32)));
}

void tpu_bdc_fp_isposinf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  const Operands o = operands(call, dst_addr, src_addr, work0_addr, shape, dtype);
  call.issue(o.choose(Compare::equal_value, Source::tensor(o.src), o.bits(kInfinityF32)));
}

void tpu_bdc_fp_isneginf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype) {
  Call call(__func__);
  const Operands o = operands(call, dst_addr, src_addr, work0_addr, shape, dtype);
  call.issue(o.choose(Compare::equal_value, Source::tensor(o.src),
                      o.bits(kInfinityF32, /*is_negative=*/true)));
}
