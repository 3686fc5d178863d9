// Copies, transpositions and fills by the GDMA, which also executes the SDMA functions.
#include <type_traits>

#include "base/errors/tpukernel.h"
#include "memory/layout.h"
#include "sdk/tpukernel/sides.h"

namespace tputwin::tpu {
namespace {

// The arguments that copies have in common.
template <class To, class From>
struct Sides {
  typename To::Address dst;
  typename From::Address src;
  const dim4 *dst_stride = nullptr, *src_stride = nullptr;
};

// The local side of fills and of plain copies from and to system memory. In the aligned layout the
// stride of n does not count the start NPU.
template <class Side>
TensorView system_operand(Call& call, std::string_view argument, typename Side::Address address,
                          const Shape& s, const dim4* stride, DType type) {
  TensorView view = Side::view(call, argument, address, s, stride, type);
  if (stride == nullptr && view.space == Space::local && s.n > 1)
    view.stride.n = lane_stride(call.chip(), s, /*start_lane=*/0, element_bytes(type), true).n;
  return view;
}

template <class To, class From>
void copy(std::string_view name, const Sides<To, From>& sides, const dim4* shape,
          data_type_t dtype) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  const bool between_lanes = std::is_same_v<From, L> && std::is_same_v<To, L>;
  const TensorView src =
      between_lanes ? From::view(call, "src_addr", sides.src, s, sides.src_stride, type)
                    : system_operand<From>(call, "src_addr", sides.src, s, sides.src_stride, type);
  const TensorView dst =
      between_lanes ? To::view(call, "dst_addr", sides.dst, s, sides.dst_stride, type)
                    : system_operand<To>(call, "dst_addr", sides.dst, s, sides.dst_stride, type);
  call.issue(Copy{.dst = dst, .src = Source::tensor(src)});
}

// A copy from a tensor of another shape.
template <class To, class From>
void rearrange(std::string_view name, Rearrange::Kind kind, const Sides<To, From>& sides,
               const dim4* dst_shape, data_type_t dtype, Shape source_of(const Shape&)) {
  Call call(name);
  const Shape s = call.shape(dst_shape, "dst_shape");
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(Rearrange{
      .kind = kind,
      .out = To::view(call, "dst_addr", sides.dst, s, sides.dst_stride, type),
      .in = From::view(call, "src_addr", sides.src, source_of(s), sides.src_stride, type)});
}

// In local memory rows are contiguous; the w stride is ignored.
template <class To, class From>
void transpose_nc(std::string_view name, const Sides<To, From>& sides, const dim4* dst_shape,
                  data_type_t dtype) {
  Sides<To, From> used = sides;
  dim4 dst_stride, src_stride;
  auto join_rows = [](const dim4*& stride, dim4& joined) {
    if (stride == nullptr) return;
    joined = *stride;
    joined.w = 1;
    stride = &joined;
  };
  if (std::is_same_v<To, L>) join_rows(used.dst_stride, dst_stride);
  if (std::is_same_v<From, L>) join_rows(used.src_stride, src_stride);
  rearrange(name, Rearrange::Kind::swap_nc, used, dst_shape, dtype, swap_nc);
}

template <class To, class From>
void transpose_cw(std::string_view name, const Sides<To, From>& sides, const dim4* dst_shape,
                  data_type_t dtype) {
  rearrange(name, Rearrange::Kind::swap_cw, sides, dst_shape, dtype, swap_cw);
}

template <class From>
void repeat_channel(std::string_view name, const Sides<L, From>& sides, const dim4* shape,
                    data_type_t dtype) {
  rearrange(name, Rearrange::Kind::repeat_channel, sides, shape, dtype, [](const Shape& s) {
    return Shape{s.n, 1, s.h, s.w};
  });
}

template <class To, class From>
void refold(std::string_view name, const Sides<To, From>& sides, const dim4* dst_shape,
            const dim4* src_shape, data_type_t dtype) {
  Call call(name);
  const Shape to = call.shape(dst_shape, "dst_shape"), from = call.shape(src_shape, "src_shape");
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(
      Rearrange{.kind = Rearrange::Kind::refold,
                .out = To::view(call, "dst_addr", sides.dst, to, sides.dst_stride, type),
                .in = From::view(call, "src_addr", sides.src, from, sides.src_stride, type)});
}

// Copies between the compact layout of local memory and the continuous layout of system memory.
void compact(Call& call, bool to_lanes, bool swapped, local_addr_t lanes, system_addr_t system,
             const dim4* shape, data_type_t dtype) {
  const Shape dst = call.shape(shape), src = swapped ? swap_nc(dst) : dst;
  const DType type = call.type("dtype", dtype, kAll);
  const TensorView local =
      call.compact(to_lanes ? "dst_addr" : "src_addr", lanes, to_lanes ? dst : src, type);
  const TensorView global =
      call.system(to_lanes ? "src_addr" : "dst_addr", system, to_lanes ? src : dst, nullptr, type);
  const TensorView &to = to_lanes ? local : global, &from = to_lanes ? global : local;
  if (swapped)
    call.issue(Rearrange{.kind = Rearrange::Kind::swap_nc, .out = to, .in = from});
  else
    call.issue(Copy{.dst = to, .src = Source::tensor(from)});
}

template <class To>
void fill(std::string_view name, typename To::Address dst_addr, scalar_t value, const dim4* shape,
          const dim4* dst_stride, data_type_t dtype) {
  Call call(name);
  const Shape s = call.shape(shape);
  const DType type = call.type("dtype", dtype, kAll);
  call.issue(Copy{.dst = system_operand<To>(call, "dst_addr", dst_addr, s, dst_stride, type),
                  .src = constant(value, type)});
}

// Copies `count` consecutive elements.
void copy_row(std::string_view name, system_addr_t dst_addr, system_addr_t src_addr, unsigned count,
              data_type_t dtype) {
  Call call(name);
  const DType type = call.type("dtype", dtype, kAll);
  if (!call.require(count > 0, errors::tpu_count, "count", count)) return;
  const TensorView src = call.system_row("src_addr", src_addr, count, type);
  call.issue(Copy{.dst = call.system_row("dst_addr", dst_addr, count, type),
                  .src = Source::tensor(src),
                  .reads_first = true});
}

// A matrix and its copy. In local memory a channel holds `per_channel` columns. In system memory
// rows are `row_stride` elements apart.
struct Matrix {
  int rows, cols, per_channel, row_stride;
  data_type_t dtype;
};

struct Names {
  std::string_view lanes, system, rows, cols, per_channel, row_stride;
};
constexpr Names kToLanes{"dst_addr", "src_addr", "rows", "cols", "cols_per_channel", "row_stride"},
    kToSystem{"src_addr", "dst_addr", "rows", "cols", "cols_per_channel", "row_stride"},
    kTransToLanes{"dst_addr",      "src_addr", "src_cols", "src_rows", "dst_cols_per_channel",
                  "src_row_stride"},
    kTransToSystem{"src_addr",      "dst_addr", "src_rows", "src_cols", "src_cols_per_channel",
                   "dst_row_stride"},
    kVectorToLanes{"dst_addr", "src_addr", "", "len", "len_per_channel", ""},
    kVectorToSystem{"src_addr", "dst_addr", "", "len", "len_per_channel", ""};

// rows and cols are those of the local side; the system side is transposed if `transposed`.
void copy_matrix(Call& call, const Names& names, bool transposed, const Matrix& m,
                 local_addr_t lanes_addr, system_addr_t system_addr) {
  const uint32_t most = call.chip().limits.dma_extent;
  if (!call.in_range(m.rows, 1, most, errors::tpu_count, names.rows) ||
      !call.in_range(m.cols, 1, most, errors::tpu_count, names.cols) ||
      !call.in_range(m.per_channel, 1, most, errors::tpu_count, names.per_channel) ||
      !call.in_range(m.row_stride, 0, INT32_MAX, errors::tpu_stride, names.row_stride) ||
      !call.require(m.per_channel <= m.cols, errors::tpu_matrix_wide_channel, names.per_channel,
                    m.per_channel) ||
      !call.require(m.row_stride >= (transposed ? m.rows : m.cols), errors::tpu_matrix_row_stride,
                    names.row_stride, m.row_stride))
    return;
  const DType type = call.type("dtype", m.dtype, kAll);
  const auto rows = static_cast<uint32_t>(m.rows), cols = static_cast<uint32_t>(m.cols);
  const MatrixView lanes = call.lane_matrix(names.lanes, lanes_addr, rows, cols,
                                            static_cast<uint32_t>(m.per_channel), type);
  const dim4 stride = transposed ? dim4{1, 0, 0, m.row_stride} : dim4{m.row_stride, 0, 0, 1};
  const MatrixView system{call.system(names.system, system_addr, {rows, 1, 1, cols}, &stride, type),
                          rows, cols};
  const bool to_lanes = names.lanes == "dst_addr";
  call.issue(CopyMatrix{.dst = to_lanes ? lanes : system, .src = to_lanes ? system : lanes});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// Defines one function; `engine` is gdma or sdma, `implementation` the template that implements it.
#define TPU_BETWEEN(engine, function, implementation, to, from)                                \
  void tpu_##engine##_##function##_##from##2##to(to::Address dst_addr, from::Address src_addr, \
                                                 const dim4* shape, const dim4* dst_stride,    \
                                                 const dim4* src_stride, data_type_t dtype) {  \
    implementation<to, from>(__func__, {dst_addr, src_addr, dst_stride, src_stride}, shape,    \
                             dtype);                                                           \
  }
#define TPU_BETWEEN_ALL(function, implementation)   \
  TPU_BETWEEN(gdma, function, implementation, L, S) \
  TPU_BETWEEN(gdma, function, implementation, S, L) \
  TPU_BETWEEN(gdma, function, implementation, L, L) \
  TPU_BETWEEN(gdma, function, implementation, S, S) \
  TPU_BETWEEN(sdma, function, implementation, S, S)

TPU_BETWEEN_ALL(cpy, copy)
TPU_BETWEEN_ALL(cpy_nc_trans, transpose_nc)
TPU_BETWEEN_ALL(cpy_cw_trans, transpose_cw)

#define TPU_CHANNEL_BCAST(from)                                                                 \
  void tpu_gdma_channel_bcast_##from##2L(local_addr_t dst_addr, from::Address src_addr,         \
                                         const dim4* shape, const dim4* dst_stride,             \
                                         const dim4* src_stride, data_type_t dtype) {           \
    repeat_channel<from>(__func__, {dst_addr, src_addr, dst_stride, src_stride}, shape, dtype); \
  }
TPU_CHANNEL_BCAST(S)
TPU_CHANNEL_BCAST(L)

#define TPU_GENERAL_CPY(to, from)                                                                  \
  void tpu_gdma_general_cpy_##from##2##to(                                                         \
      to::Address dst_addr, from::Address src_addr, const dim4* dst_shape, const dim4* src_shape,  \
      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype) {                         \
    refold<to, from>(__func__, {dst_addr, src_addr, dst_stride, src_stride}, dst_shape, src_shape, \
                     dtype);                                                                       \
  }
TPU_GENERAL_CPY(L, S)
TPU_GENERAL_CPY(S, L)

#define TPU_COMPACT(function, swapped)                                                             \
  void tpu_gdma_##function##_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape, \
                                 data_type_t dtype) {                                              \
    Call call(__func__);                                                                           \
    compact(call, /*to_lanes=*/true, swapped, dst_addr, src_addr, shape, dtype);                   \
  }                                                                                                \
  void tpu_gdma_##function##_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape, \
                                 data_type_t dtype) {                                              \
    Call call(__func__);                                                                           \
    compact(call, /*to_lanes=*/false, swapped, src_addr, dst_addr, shape, dtype);                  \
  }
TPU_COMPACT(compact, false)
TPU_COMPACT(compact_nc_trans, true)

#define TPU_SET_C(engine, side, to)                                                     \
  void tpu_##engine##_set_C_##side(to::Address dst_addr, scalar_t C, const dim4* shape, \
                                   const dim4* dst_stride, data_type_t dtype) {         \
    fill<to>(__func__, dst_addr, C, shape, dst_stride, dtype);                          \
  }
TPU_SET_C(gdma, system, S)
TPU_SET_C(gdma, local, L)
TPU_SET_C(sdma, system, S)

void tpu_gdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype) {
  copy_row(__func__, dst_addr, src_addr, count, dtype);
}

void tpu_sdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype) {
  copy_row(__func__, dst_addr, src_addr, count, dtype);
}

void tpu_gdma_system_set(system_addr_t dst_addr, scalar_t C, unsigned int count,
                         data_type_t dtype) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kAll);
  if (!call.require(count > 0, errors::tpu_count, "count", count)) return;
  call.issue(
      Copy{.dst = call.system_row("dst_addr", dst_addr, count, type), .src = constant(C, type)});
}

void tpu_gdma_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kToLanes, /*transposed=*/false,
              {rows, cols, cols_per_channel, row_stride, dtype}, dst_addr, src_addr);
}

void tpu_gdma_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kToSystem, /*transposed=*/false,
              {rows, cols, cols_per_channel, row_stride, dtype}, src_addr, dst_addr);
}

void tpu_gdma_matrix_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, int src_rows,
                               int src_cols, int dst_cols_per_channel, int src_row_stride,
                               data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kTransToLanes, /*transposed=*/true,
              {src_cols, src_rows, dst_cols_per_channel, src_row_stride, dtype}, dst_addr,
              src_addr);
}

void tpu_gdma_matrix_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, int src_rows,
                               int src_cols, int src_cols_per_channel, int dst_row_stride,
                               data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kTransToSystem, /*transposed=*/true,
              {src_rows, src_cols, src_cols_per_channel, dst_row_stride, dtype}, src_addr,
              dst_addr);
}

void tpu_gdma_vector_S2L(local_addr_t dst_addr, system_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kVectorToLanes, /*transposed=*/false, {1, len, len_per_channel, len, dtype},
              dst_addr, src_addr);
}

void tpu_gdma_vector_L2S(system_addr_t dst_addr, local_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype) {
  Call call(__func__);
  copy_matrix(call, kVectorToSystem, /*transposed=*/false, {1, len, len_per_channel, len, dtype},
              src_addr, dst_addr);
}
