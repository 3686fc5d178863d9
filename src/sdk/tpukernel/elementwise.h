// Operand forms of element-wise functions.
#pragma once

#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// out = a op b
struct Binary {
  TensorView out;
  Source a, b;
};
struct BinaryTypes {
  DType out, a, b;
  BinaryTypes(DType every) : out(every), a(every), b(every) {}  // NOLINT: implicit
  BinaryTypes(DType out, DType a, DType b) : out(out), a(a), b(b) {}
};

// src0 op src1
Binary tensors(Call& call, const dim4* shape, const Place& dst, const Place& src0,
               const Place& src1, const BinaryTypes& types);
// src op C
Binary tensor_and_constant(Call& call, const dim4* shape, const Place& dst, const Place& src,
                           scalar_t C, const BinaryTypes& types);
// C op src; types.a is the type of C
Binary constant_and_tensor(Call& call, const dim4* shape, const Place& dst, const Place& src,
                           scalar_t C, const BinaryTypes& types);

// Vector correlation: out(i,j) = src0(i) op src1(j). All tensors are 64-byte aligned from NPU 0 on.
struct VectorAddresses {
  local_addr_t dst_addr, src0_addr, src1_addr;
  int src0_len, src1_len, src0_len_per_channel, src1_len_per_channel;
};
Binary vectors(Call& call, const VectorAddresses& addresses, const BinaryTypes& types);

}  // namespace tputwin::tpu
