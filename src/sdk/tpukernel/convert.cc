// tpu_bdc_cast, tpu_bdc_fp_round and similar functions; tpu_cast and the conversions of scalars.
#include "ops/elementwise/convert.h"

#include "base/last_error.h"
#include "numerics/convert.h"
#include "numerics/float_mode.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

void round_whole(std::string_view name, Place dst, Place src, const dim4* shape, data_type_t dtype,
                 rounding_mode_t mode) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kFloats);
  call.issue(Convert{.kind = Convert::Kind::whole,
                     .rounding = call.rounding(mode, /*of_floats=*/true, "mode"),
                     .out = call.lanes("dst_addr", dst.address, s, dst.stride, type),
                     .in = call.lanes("src_addr", src.address, s, src.stride, type)});
}

// Returns the bits of an element as a scalar; the other bits are 0.
scalar_t scalar_of(int32_t bits, DType dtype) {
  const uint32_t bytes = element_bytes(dtype);
  scalar_t value;
  value.u32 = static_cast<uint32_t>(bits) & (bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1);
  return value;
}

scalar_t cast(std::string_view name, scalar_t src, data_type_t dst_dtype, Types allowed_to,
              data_type_t src_dtype, Types allowed_from, rounding_mode_t mode) {
  Call call(name);
  const DType to = call.type("dst_dtype", dst_dtype, allowed_to);
  const DType from = call.type("src_dtype", src_dtype, allowed_from);
  const Rounding rounding = call.rounding(mode, /*of_floats=*/true, "mode");
  const ScopedFloatMode chip_mode;
  return scalar_of(convert(static_cast<int32_t>(bits_of(src, from)), from, to, rounding), to);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_bdc_cast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                  data_type_t src_dtype, rounding_mode_t mode) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType out = call.type("dst_dtype", dst_dtype, kAll);
  const DType in = call.type("src_dtype", src_dtype, kAll);
  // A rule of the call only: the command reads its source before it writes.
  call.require(dst_addr != src_addr || element_bytes(out) <= element_bytes(in),
               errors::tpu_cast_in_place, "dst_addr", okk::Hex{dst_addr});
  call.issue(Convert{.rounding = call.rounding(mode, /*of_floats=*/true, "mode"),
                     .out = call.lanes("dst_addr", dst_addr, s, dst_stride, out),
                     .in = call.lanes("src_addr", src_addr, s, src_stride, in)});
}

void tpu_bdc_fp_round(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                      rounding_mode_t mode) {
  round_whole(__func__, {dst_addr, dst_stride}, {src_addr, src_stride}, shape, dtype, mode);
}

void tpu_bdc_fp_floor(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {
  round_whole(__func__, {dst_addr, dst_stride}, {src_addr, src_stride}, shape, dtype, RM_DOWN);
}

void tpu_bdc_fp_ceil(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {
  round_whole(__func__, {dst_addr, dst_stride}, {src_addr, src_stride}, shape, dtype, RM_UP);
}

scalar_t tpu_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                  rounding_mode_t mode) {
  return cast(__func__, src, dst_dtype, kAll, src_dtype, kAll, mode);
}
scalar_t tpu_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                     rounding_mode_t mode) {
  return cast(__func__, src, dst_dtype, kFloats, src_dtype, kFloats, mode);
}
scalar_t tpu_fp_to_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode) {
  return cast(__func__, src, dst_dtype, kInts, src_dtype, kFloats, mode);
}
scalar_t tpu_int_to_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode) {
  return cast(__func__, src, dst_dtype, kFloats, src_dtype, kInts, mode);
}
scalar_t tpu_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype) {
  return cast(__func__, src, dst_dtype, kInts, src_dtype, kInts, RM_HALF_TO_EVEN);
}
