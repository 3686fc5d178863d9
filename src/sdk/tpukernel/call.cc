// Types, rounding modes, shapes, strides and scalars of tpu_* arguments.
#include "sdk/tpukernel/call.h"

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "memory/layout.h"

namespace tputwin::tpu {

using okk::plane_stride_of;
using okk::to_shape;

Call::Call(std::string_view name) : KernelCall(name, okk::kTpuRules) {}

namespace {

// Returns the type of a code; b32 for codes whose elements are not supported.
DType dtype_of(data_type_t code) {
  switch (code) {
    case DT_UINT8:
      return DType::u8;
    case DT_INT8:
      return DType::i8;
    case DT_UINT16:
      return DType::u16;
    case DT_INT16:
      return DType::i16;
    case DT_UINT32:
      return DType::u32;
    case DT_INT32:
      return DType::i32;
    case DT_FP16:
      return DType::f16;
    case DT_BFP16:
      return DType::bf16;
    case DT_FP32:
      return DType::f32;
    default:
      return DType::b32;
  }
}

}  // namespace

DType Call::type(std::string_view argument, data_type_t dtype, Types allowed) {
  const DType type = dtype_of(dtype);
  const bool valid = (of(type) & allowed) != 0;
  return require(valid, errors::tpu_dtype, argument, static_cast<int>(dtype)) && valid ? type
                                                                                       : DType::i8;
}

Rounding Call::rounding(rounding_mode_t mode, bool of_floats, std::string_view argument) {
  const bool valid = in_range(mode, RM_HALF_TO_EVEN, of_floats ? RM_UP : RM_HALF_DOWN,
                              errors::tpu_rounding, argument);
  return valid ? static_cast<Rounding>(mode) : Rounding::half_even;
}

Shape Call::shape(const dim4* shape, std::string_view argument) {
  if (!present(shape, argument)) return {};
  const int64_t most = chip().limits.extent;
  auto in = [&](int extent) { return 1 <= extent && extent <= most; };
  const bool valid = in(shape->n) && in(shape->c) && in(shape->h) && in(shape->w);
  return require(valid, errors::tpu_shape, argument, *shape) ? to_shape(*shape) : Shape{};
}

TensorView Call::lanes(std::string_view argument, local_addr_t address, const Shape& shape,
                       const dim4* stride, DType dtype) {
  if (stride == nullptr) return aligned(argument, address, shape, dtype);
  if (!require(address < chip().local_bytes(), errors::tpu_local_address, argument, Hex{address}))
    return {};
  const uint64_t rounds = ceil_div(address / chip().lane_bytes + uint64_t{shape.c}, chip().lanes);
  const TensorView view{.dtype = dtype,
                        .plane_stride = plane_stride_of(dtype),
                        .address = address,
                        .shape = shape,
                        .stride = strides(argument, *stride, shape, rounds, element_bytes(dtype))};
  note_strides(argument, view);
  return view;
}

TensorView Call::dense(std::string_view argument, local_addr_t address, const Shape& shape,
                       DType dtype, bool is_aligned) {
  if (!require(address < chip().local_bytes(), errors::tpu_local_address, argument, Hex{address}))
    return {};
  const uint64_t start = address / chip().lane_bytes;
  TensorView view{.dtype = dtype,
                  .plane_stride = plane_stride_of(dtype),
                  .address = address,
                  .shape = shape,
                  .stride = lane_stride(chip(), shape, start, element_bytes(dtype), is_aligned)};
  drop_meaningless(view.stride, shape, ceil_div(start + shape.c, uint64_t{chip().lanes}));
  return view;
}

TensorView Call::aligned(std::string_view argument, local_addr_t address, const Shape& shape,
                         DType dtype) {
  require(address % chip().eu_bytes == 0, errors::tpu_address_64, argument, Hex{address});
  return dense(argument, address, shape, dtype, /*is_aligned=*/true);
}

TensorView Call::compact(std::string_view argument, local_addr_t address, const Shape& shape,
                         DType dtype, uint32_t alignment) {
  const ErrorId rule = alignment == 0 ? errors::tpu_address_element : errors::tpu_address_64;
  require(address % (alignment == 0 ? element_bytes(dtype) : alignment) == 0, rule, argument,
          Hex{address});
  return dense(argument, address, shape, dtype, /*is_aligned=*/false);
}

TensorView Call::line_aligned(std::string_view argument, local_addr_t address, const Shape& shape,
                              DType dtype) {
  const uint32_t bytes = element_bytes(dtype);
  // A row padded to whole units is a row of the aligned layout.
  const Shape padded{shape.n, shape.c, shape.h, align_up(shape.w * bytes, chip().eu_bytes) / bytes};
  TensorView view = aligned(argument, address, padded, dtype);
  view.shape = shape;
  view.stride.w = bytes;
  drop_meaningless(view.stride, shape, UINT64_MAX);
  return view;
}

TensorView Call::per_channel(std::string_view argument, local_addr_t address, const Shape& shape,
                             DType dtype) {
  TensorView view = compact(argument, address, {1, shape.c, 1, 1}, dtype, chip().eu_bytes);
  view.shape = shape;
  view.stride.n = view.stride.h = view.stride.w = 0;
  return view;
}

TensorView Call::per_npu(std::string_view argument, local_addr_t address, uint32_t len,
                         DType dtype) {
  require(address < chip().lane_bytes, errors::tpu_npu_0, argument, Hex{address});
  return aligned(argument, address, {1, chip().lanes, 1, len}, dtype);
}

MatrixView Call::lane_matrix(std::string_view argument, local_addr_t address, uint32_t rows,
                             uint32_t cols, uint32_t per_channel, DType dtype) {
  const Shape shape{rows, ceil_div(cols, per_channel), 1, per_channel};
  return {aligned(argument, address, shape, dtype), rows, cols};
}

TensorView Call::system(std::string_view argument, system_addr_t address, const Shape& shape,
                        const dim4* stride, DType dtype) {
  const uint64_t global_bytes = in_kernel() ? session().device().memories().global_bytes() : 0;
  const bool in_l2 = address - chip().l2.base < chip().l2.bytes;
  const bool in_global =
      address >= chip().global_base && address - chip().global_base < global_bytes;
  if (!require(in_l2 || in_global, errors::tpu_system_address, argument, Hex{address})) return {};
  const uint32_t bytes = element_bytes(dtype);
  TensorView view{.space = in_l2 ? Space::l2 : Space::global,
                  .dtype = dtype,
                  .plane_stride = plane_stride_of(dtype),
                  .address = address - (in_l2 ? chip().l2.base : chip().global_base),
                  .shape = shape};
  view.stride = stride != nullptr ? strides(argument, *stride, shape, shape.c, bytes)
                                  : system_stride(shape, bytes);
  if (stride != nullptr) note_strides(argument, view);
  return view;
}

uint32_t bits_of(scalar_t value, DType dtype) {
  switch (dtype) {
    case DType::u8:
      return value.u8;
    case DType::i8:
      return static_cast<uint32_t>(static_cast<signed char>(value.s8));
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return value.u16;
    case DType::i16:
      return static_cast<uint32_t>(value.s16);
    default:
      return value.u32;
  }
}

}  // namespace tputwin::tpu
