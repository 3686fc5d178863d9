// Operands of the vc functions: out(i,j) = src0(i) op src1(j).
#pragma once

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

struct Lengths {
  int src0, src1, src0_per_channel, src1_per_channel;
};

struct VectorPair {
  TensorView out;
  Source a, b;
};

// src0: [1, ceil(len0/per0), 1, per0], src1 likewise, out: [len0, ceil(len1/per1), 1, per1], all
// from NPU 0 in the 64-byte aligned layout.
VectorPair vector_pair(Call& call, local_addr_t dst_addr, local_addr_t src0_addr,
                       local_addr_t src1_addr, const Lengths& lengths, DType out, DType src0,
                       DType src1);

}  // namespace tputwin::tpu
