// okk_gdma_*: copies, matrices and fills by DMA. S: system memory, L: local memory.
#include <okk.h>

#include "base/errors/okkernel.h"
#include "memory/layout.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

constexpr DType bits_of(int bits) {
  return bits == 32 ? DType::b32 : bits == 16 ? DType::u16 : DType::u8;
}

// The two sides of a transfer: an address and its view.
struct S {
  using Address = system_addr_t;
  static TensorView view(Call& call, std::string_view argument, Address address, const Shape& shape,
                         const dim4* stride, DType dtype) {
    return call.system(argument, address, shape, stride, dtype);
  }
};
struct L {
  using Address = local_addr_t;
  static TensorView view(Call& call, std::string_view argument, Address address, const Shape& shape,
                         const dim4* stride, DType dtype) {
    return call.lanes(argument, address, shape, stride, dtype);
  }
};

// The chip's commands reach elements with gaps between them; these functions do not.
void require_rows(Call& call, std::string_view argument, const TensorView& view) {
  call.require(view.shape.w == 1 || view.stride.w == element_bytes(view.dtype),
               errors::okk_dma_w_stride, argument, describe(view));
}

template <class To, class From>
void copy(std::string_view name, DType dtype, typename To::Address dst_addr,
          typename From::Address src_addr, const dim4* shape, const dim4* dst_stride,
          const dim4* src_stride) {
  Call call(name);
  const Shape s = call.dma_shape(shape);
  const TensorView dst = To::view(call, "dst_addr", dst_addr, s, dst_stride, dtype);
  const TensorView src = From::view(call, "src_addr", src_addr, s, src_stride, dtype);
  require_rows(call, "dst_addr", dst);
  require_rows(call, "src_addr", src);
  call.issue(Copy{.engine = Engine::dma, .dst = dst, .src = Source::tensor(src)});
}

// Fills without strides align to 32 elements of any size, the quantum of the aligned layout; see
// docs/discrepancies.md.
void set_fill_stride(const Chip& chip, TensorView& view) {
  const uint32_t bytes = element_bytes(view.dtype);
  const Stride of_words =
      lane_stride(chip, view.shape, view.address / chip.lane_bytes, 4, /*aligned=*/true);
  view.stride.n = of_words.n / 4 * bytes;
  view.stride.c = of_words.c / 4 * bytes;
}

template <class To>
void fill(std::string_view name, DType dtype, typename To::Address dst_addr, uint32_t constant,
          const dim4* shape, const dim4* dst_stride) {
  Call call(name);
  const Shape s = call.dma_shape(shape);
  TensorView dst = To::view(call, "dst_addr", dst_addr, s, dst_stride, dtype);
  if (dst.space == Space::local && dst_stride == nullptr) set_fill_stride(call.chip(), dst);
  require_rows(call, "dst_addr", dst);
  call.issue(Copy{.engine = Engine::dma, .dst = dst, .src = Source::value(constant)});
}

struct Matrix {
  int rows, cols, cols_per_channel, row_stride;
};

// The matrix in lanes and its counterpart in system memory.
struct MatrixPair {
  MatrixView lanes, system;
};

MatrixPair matrices(Call& call, const Matrix& m, std::string_view local_name,
                    local_addr_t local_addr, std::string_view system_name,
                    system_addr_t system_addr) {
  constexpr int kMost = INT32_MAX;
  if (!call.in_range(m.rows, 1, kMost, errors::okk_matrix_extent, "rows") ||
      !call.in_range(m.cols, 1, kMost, errors::okk_matrix_extent, "cols") ||
      !call.in_range(m.cols_per_channel, 1, kMost, errors::okk_matrix_extent, "cols_per_channel") ||
      !call.in_range(m.cols_per_channel, 1, m.cols, errors::okk_matrix_columns,
                     "cols_per_channel") ||
      !call.in_range(m.row_stride, m.cols, kMost, errors::okk_matrix_row_stride, "row_stride"))
    return {};
  const auto rows = static_cast<uint32_t>(m.rows), cols = static_cast<uint32_t>(m.cols);
  const dim4 stride{m.row_stride, 0, 0, 1};
  MatrixView lanes = call.lane_matrix(local_name, local_addr, rows, cols,
                                      static_cast<uint32_t>(m.cols_per_channel), DType::b32);
  // The stride of rows does not count the start NPU; see docs/discrepancies.md.
  lanes.tensor.stride.n =
      lane_stride(call.chip(), lanes.tensor.shape, /*start_lane=*/0, 4, /*aligned=*/true).n;
  const TensorView system =
      call.system(system_name, system_addr, {rows, 1, 1, cols}, &stride, DType::b32);
  return {lanes, {system, rows, cols}};
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

#define OKK_GDMA_COPY(bits, to, from)                                                           \
  void okk_gdma_##bits##bit_cpy_##from##2##to(to::Address dst_addr, from::Address src_addr,     \
                                              const dim4* shape, const dim4* dst_stride,        \
                                              const dim4* src_stride) {                         \
    copy<to, from>(__func__, bits_of(bits), dst_addr, src_addr, shape, dst_stride, src_stride); \
  }
#define OKK_GDMA_FILL(bits, side, to)                                                        \
  void okk_gdma_##bits##bit_set_C_##side(to::Address dst_addr, x##bits C, const dim4* shape, \
                                         const dim4* dst_stride) {                           \
    fill<to>(__func__, bits_of(bits), dst_addr, C.u##bits, shape, dst_stride);               \
  }

#define OKK_GDMA_OF_BITS(bits)   \
  OKK_GDMA_COPY(bits, L, S)      \
  OKK_GDMA_COPY(bits, S, L)      \
  OKK_GDMA_COPY(bits, L, L)      \
  OKK_GDMA_COPY(bits, S, S)      \
  OKK_GDMA_FILL(bits, system, S) \
  OKK_GDMA_FILL(bits, local, L)

OKK_GDMA_OF_BITS(32)
OKK_GDMA_OF_BITS(16)
OKK_GDMA_OF_BITS(8)

void okk_gdma_32bit_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride) {
  Call call(__func__);
  const auto [dst, src] = matrices(call, {rows, cols, cols_per_channel, row_stride}, "dst_addr",
                                   dst_addr, "src_addr", src_addr);
  call.issue(CopyMatrix{.dst = dst, .src = src});
}

void okk_gdma_32bit_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride) {
  Call call(__func__);
  const auto [src, dst] = matrices(call, {rows, cols, cols_per_channel, row_stride}, "src_addr",
                                   src_addr, "dst_addr", dst_addr);
  call.issue(CopyMatrix{.dst = dst, .src = src});
}
