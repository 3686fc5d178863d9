// The frame of every tpu_* call. It checks the rules that only the arguments show; check() of the
// operation checks the others.
//
//   void tpu_bdc_abs(local_addr_t dst_addr, ..., data_type_t dtype) {
//     Call call(__func__);
//     const Shape s = call.shape(shape);
//     const DType type = call.type("dtype", dtype, kSigned | kFloats);
//     call.issue(Unary{.kind = Unary::Kind::abs,
//                      .out = call.lanes("dst_addr", dst_addr, s, dst_stride, type),
//                      .in = call.lanes("src_addr", src_addr, s, src_stride, type)});
//   }                         // nothing happens if a rule was broken
#pragma once

#include <tpu_kernel.h>

#include "numerics/rounding.h"
#include "ops/contract/source.h"
#include "sdk/okkernel/kernel_call.h"

namespace tputwin::tpu {

using okk::Hex;
using okk::Session;

// Sets of data types, one bit for each type.
using Types = uint32_t;
constexpr Types of(DType type) { return 1u << static_cast<unsigned>(type); }
inline constexpr Types kU8 = of(DType::u8), kI8 = of(DType::i8), kU16 = of(DType::u16),
                       kI16 = of(DType::i16), kU32 = of(DType::u32), kI32 = of(DType::i32),
                       kF16 = of(DType::f16), kBf16 = of(DType::bf16), kF32 = of(DType::f32);
inline constexpr Types k8Bit = kU8 | kI8, k16Bit = kU16 | kI16, k32Bit = kU32 | kI32,
                       kInts = k8Bit | k16Bit | k32Bit, kSignedInts = kI8 | kI16 | kI32,
                       kUnsignedInts = kU8 | kU16 | kU32, kFloat16 = kF16 | kBf16,
                       kFloats = kFloat16 | kF32, kAll = kInts | kFloats;

// Returns the chip of the calling thread's kernel; outside kernels the chip of the process.
inline const Chip& chip_in_use() { return okk::chip_in_use(ChipFamily::bm1684x); }

class Call : public okk::KernelCall {
 public:
  // `name` must outlive the call (__func__). Outside a kernel the call fails.
  explicit Call(std::string_view name);

  const Chip& chip() const { return in_kernel() ? session().chip() : chip_in_use(); }
  const okk::Quirks& quirks() const {
    return in_kernel() ? session().quirks() : okk::Quirks::of_process();
  }

  // Returns the type that an argument names; i8 if it is not allowed.
  DType type(std::string_view argument, data_type_t dtype, Types allowed);
  // Accepts all seven modes, or the five of floating-point conversions.
  Rounding rounding(rounding_mode_t mode, bool of_floats = false,
                    std::string_view argument = "rounding_mode");
  // Extents must be 1 to the chip's limit. Returns (1,1,1,1) if the rule is broken.
  Shape shape(const dim4* shape, std::string_view argument = "shape");

  // A tensor in local memory with the given strides; without strides the 64-byte aligned layout.
  TensorView lanes(std::string_view argument, local_addr_t address, const Shape& shape,
                   const dim4* stride, DType dtype);
  // The 64-byte aligned layout.
  TensorView aligned(std::string_view argument, local_addr_t address, const Shape& shape,
                     DType dtype);
  // The compact layout. `alignment` of the address counts bytes; 0 means the size of an element.
  TensorView compact(std::string_view argument, local_addr_t address, const Shape& shape,
                     DType dtype, uint32_t alignment = 0);
  // Rows start at multiples of 64 bytes.
  TensorView line_aligned(std::string_view argument, local_addr_t address, const Shape& shape,
                          DType dtype);
  // One element per channel, [1,C,1,1] in the compact layout at a multiple of 64. The view has the
  // whole shape and repeats the element.
  TensorView per_channel(std::string_view argument, local_addr_t address, const Shape& shape,
                         DType dtype);
  // `len` elements, equal in every NPU: NPU 0, [1, NPU_NUM, 1, len], 64-byte aligned.
  TensorView per_npu(std::string_view argument, local_addr_t address, uint32_t len, DType dtype);
  // A matrix in local memory, `per_channel` columns in a channel, 64-byte aligned.
  MatrixView lane_matrix(std::string_view argument, local_addr_t address, uint32_t rows,
                         uint32_t cols, uint32_t per_channel, DType dtype);
  // A tensor in global memory or L2-SRAM; without strides the continuous layout.
  TensorView system(std::string_view argument, system_addr_t address, const Shape& shape,
                    const dim4* stride, DType dtype);
  // `len` consecutive elements.
  TensorView system_row(std::string_view argument, system_addr_t address, uint32_t len,
                        DType dtype) {
    return system(argument, address, {1, 1, 1, len}, nullptr, dtype);
  }

 private:
  TensorView dense(std::string_view argument, local_addr_t address, const Shape& shape, DType dtype,
                   bool is_aligned);
};

// Returns the bits of a scalar as an element of a type, sign or zero extended.
uint32_t bits_of(scalar_t value, DType dtype);
inline Source constant(scalar_t value, DType dtype) {
  return Source::value(bits_of(value, dtype), dtype);
}
inline Source constant(float value) { return Source::value(f32::bits(value), DType::f32); }

// A tensor argument: address and strides.
struct Place {
  local_addr_t address;
  const dim4* stride;
};

}  // namespace tputwin::tpu
