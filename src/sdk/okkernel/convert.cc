// okk_bdc_4N_int8_to_fp32, okk_bdc_int8_to_fp32: conversion of 8-bit integers to fp32.
#include <okk.h>

#include "base/bits.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

struct Arguments {
  local_addr_t dst_addr, src_addr, work_addr;
  bool is_signed, is_aligned_layout;
};

// `words` is the shape of the source counted in 32-bit words. The caller sets its elements.
Int8ToF32 conversion(Call& call, const Arguments& arguments, const Shape& shape,
                     const Shape& words) {
  auto tensor = [&](std::string_view argument, local_addr_t address, const Shape& s, DType dtype) {
    return arguments.is_aligned_layout ? call.lanes(argument, address, s, /*stride=*/nullptr, dtype)
                                       : call.dense(argument, address, s, /*aligned=*/false, dtype);
  };
  Int8ToF32 op{.out = tensor("dst_addr", arguments.dst_addr, shape, DType::f32),
               .words = tensor("src_addr", arguments.src_addr, words, DType::b32),
               .work = tensor("work_addr", arguments.work_addr, words, DType::b32)};
  op.in = op.words;
  op.in.dtype = make_dtype(arguments.is_signed, /*is_8bit=*/true);
  op.in.shape = shape;
  return op;
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

void okk_bdc_4N_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, bool is_signed, bool is_aligned_layout) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  Int8ToF32 op = conversion(call, {dst_addr, src_addr, work_addr, is_signed, is_aligned_layout}, s,
                            {ceil_div(s.n, 4u), s.c, s.h, s.w});
  op.in.pack = 4;
  call.issue(op);
}

// Every channel of the source starts at a 32-bit word, also in the compact layout.
void okk_bdc_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, bool is_signed, bool is_aligned_layout) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const auto words = static_cast<uint32_t>(ceil_div(uint64_t{s.h} * s.w, uint64_t{4}));
  Int8ToF32 op = conversion(call, {dst_addr, src_addr, work_addr, is_signed, is_aligned_layout}, s,
                            {s.n, s.c, 1, words});
  op.in.stride.h = s.w;
  op.in.stride.w = 1;
  call.issue(op);
}
