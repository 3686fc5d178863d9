#include "sdk/tpukernel/vectors.h"

#include "base/bits.h"

namespace tputwin::tpu {

VectorPair vector_pair(Call& call, local_addr_t dst_addr, local_addr_t src0_addr,
                       local_addr_t src1_addr, const Lengths& lengths, DType out, DType src0,
                       DType src1) {
  constexpr int kMost = 65535;
  auto count = [&](int value, int most, std::string_view argument) -> uint32_t {
    return call.in_range(value, 1, most, ErrorId::tpu_count, argument)
               ? static_cast<uint32_t>(value)
               : 1;
  };
  auto from_npu_0 = [&](local_addr_t address, std::string_view argument) {
    call.require(address < call.chip().lane_bytes, ErrorId::tpu_npu_0, argument, Hex{address});
  };
  const uint32_t len0 = count(lengths.src0, kMost, "src0_len");
  const uint32_t len1 = count(lengths.src1, kMost, "src1_len");
  const uint32_t per0 = count(lengths.src0_per_channel, kMost, "src0_len_per_channel");
  const uint32_t per1 = count(lengths.src1_per_channel, kMost, "src1_len_per_channel");
  from_npu_0(dst_addr, "dst_addr");
  from_npu_0(src0_addr, "src0_addr");
  from_npu_0(src1_addr, "src1_addr");
  const Shape row0{1, ceil_div(len0, per0), 1, per0}, row1{1, ceil_div(len1, per1), 1, per1};
  TensorView b = call.aligned("src1_addr", src1_addr, row1, src1);
  b.shape.n = len0;  // the same row for every n
  b.stride.n = 0;
  return {call.aligned("dst_addr", dst_addr, {len0, row1.c, 1, per1}, out),
          Source::vector_along_n(call.aligned("src0_addr", src0_addr, row0, src0)),
          Source::tensor(b)};
}

}  // namespace tputwin::tpu
