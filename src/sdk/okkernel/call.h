// The frame of every okk_* call. Rules are checked one after the other; the first broken rule makes
// the call fail, and its error sticks to the launch. The frame checks the rules that only the
// arguments show; check() of the operation checks the others.
//
//   void okk_bdc_neg(local_addr_t dst_addr, ...) {
//     Call call(__func__);
//     const Shape s = call.shape(shape);
//     TensorView out = call.lanes("dst_addr", dst_addr, s, dst_stride, DType::f32);
//     ...
//     call.issue(FloatArithmetic{...});   // nothing happens if a rule was broken
//   }
#pragma once

#include <okk.h>

#include "ops/rules/bm1684.h"
#include "sdk/okkernel/kernel_call.h"

namespace tputwin::okk {

// Returns the chip of the calling thread's kernel; outside kernels the chip of the process.
inline const Chip& chip_in_use() { return chip_in_use(ChipFamily::bm1684); }

class Call : public KernelCall {
 public:
  // `name` must outlive the call (__func__). Outside a kernel the call fails.
  explicit Call(std::string_view name);

  const Chip& chip() const;
  const Quirks& quirks() const;

  // Returns the shape that an argument points at; (1,1,1,1) if a rule is broken. BDC: extents are 1
  // to the chip's limits. With Channels::all, c may exceed its limit, for functions whose
  // operations warn of it. GDMA: all extents from 1 on.
  Shape shape(const dim4* shape, std::string_view argument = "shape",
              Channels channels = Channels::documented);
  Shape dma_shape(const dim4* shape, std::string_view argument = "shape");

  // A tensor in local memory. A stride of NULL means the 128-byte aligned layout. `pack` counts the
  // elements of a cell, 4 for 8-bit and 2 for 16-bit elements in fixed point functions. Strides
  // count cells.
  TensorView lanes(std::string_view argument, local_addr_t address, const Shape& shape,
                   const dim4* stride, DType dtype, uint8_t pack = 1);
  // As lanes() with dense strides: aligned or compact.
  TensorView dense(std::string_view argument, local_addr_t address, const Shape& shape,
                   bool aligned, DType dtype, uint8_t pack = 1);
  // A matrix of 32-bit elements with `per_channel` columns in a channel.
  MatrixView lane_matrix(std::string_view argument, local_addr_t address, uint32_t rows,
                         uint32_t cols, uint32_t per_channel, DType dtype = DType::f32);
  // A tensor in global memory, L2-SRAM or DTCM. A stride of NULL means continuous.
  TensorView system(std::string_view argument, system_addr_t address, const Shape& shape,
                    const dim4* stride, DType dtype);
};

}  // namespace tputwin::okk
