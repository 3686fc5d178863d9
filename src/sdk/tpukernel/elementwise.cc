// Tensors, constants and vectors as the two operands of an element-wise function.
#include "sdk/tpukernel/elementwise.h"

#include "base/bits.h"
#include "base/errors/tpukernel.h"

namespace tputwin::tpu {
namespace {

// Vectors of up to 2^31 elements would exceed local memory, so extents are in [1, 65535].
uint32_t extent(Call& call, std::string_view argument, int value, int64_t most, ErrorId rule) {
  return call.in_range(value, 1, most, rule, argument) ? static_cast<uint32_t>(value) : 1;
}

}  // namespace

Binary tensors(Call& call, const dim4* shape, const Place& dst, const Place& src0,
               const Place& src1, const BinaryTypes& types) {
  const Shape s = call.shape(shape);
  return {call.lanes("dst_addr", dst.address, s, dst.stride, types.out),
          Source::tensor(call.lanes("src0_addr", src0.address, s, src0.stride, types.a)),
          Source::tensor(call.lanes("src1_addr", src1.address, s, src1.stride, types.b))};
}

Binary tensor_and_constant(Call& call, const dim4* shape, const Place& dst, const Place& src,
                           scalar_t C, const BinaryTypes& types) {
  const Shape s = call.shape(shape);
  return {call.lanes("dst_addr", dst.address, s, dst.stride, types.out),
          Source::tensor(call.lanes("src_addr", src.address, s, src.stride, types.a)),
          constant(C, types.b)};
}

Binary constant_and_tensor(Call& call, const dim4* shape, const Place& dst, const Place& src,
                           scalar_t C, const BinaryTypes& types) {
  Binary binary = tensor_and_constant(call, shape, dst, src, C, {types.out, types.b, types.a});
  std::swap(binary.a, binary.b);
  return binary;
}

Binary vectors(Call& call, const VectorAddresses& addresses, const BinaryTypes& types) {
  const auto length = [&](std::string_view argument, int value) {
    return extent(call, argument, value, call.chip().limits.extent, errors::tpu_count);
  };
  const auto per_channel = [&](std::string_view argument, int value, uint32_t all) {
    return extent(call, argument, value, static_cast<int>(all), errors::tpu_matrix_per_channel);
  };
  const uint32_t rows = length("src0_len", addresses.src0_len);
  const uint32_t cols = length("src1_len", addresses.src1_len);
  const uint32_t w0 = per_channel("src0_len_per_channel", addresses.src0_len_per_channel, rows);
  const uint32_t w1 = per_channel("src1_len_per_channel", addresses.src1_len_per_channel, cols);
  const Shape row{1, ceil_div(cols, w1), 1, w1}, all{rows, row.c, 1, w1};
  const TensorView a =
      call.aligned("src0_addr", addresses.src0_addr, {1, ceil_div(rows, w0), 1, w0}, types.a);
  TensorView b = call.aligned("src1_addr", addresses.src1_addr, row, types.b);
  b.shape = all;  // the stride of n is 0
  return {call.aligned("dst_addr", addresses.dst_addr, all, types.out), Source::vector_along_n(a),
          Source::tensor(b)};
}

}  // namespace tputwin::tpu
