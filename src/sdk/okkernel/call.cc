// Shapes, strides and addresses of okk_* arguments as views.
#include "sdk/okkernel/call.h"

#include "base/errors/okkernel.h"
#include "memory/layout.h"

namespace tputwin::okk {
namespace {

// Returns the shape of a view counted in cells.
Shape cells_of(const Shape& shape, uint8_t pack) {
  return {(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
}

}  // namespace

Call::Call(std::string_view name) : KernelCall(name, kOkkRules) {}

const Chip& Call::chip() const { return in_kernel() ? session().chip() : chip_in_use(); }

const Quirks& Call::quirks() const {
  return in_kernel() ? session().quirks() : Quirks::of_process();
}

Shape Call::shape(const dim4* shape, std::string_view argument, Channels channels) {
  if (!present(shape, argument)) return {};
  auto in = [](int extent, uint64_t limit) {
    return 1 <= extent && static_cast<uint32_t>(extent) <= limit;
  };
  const uint32_t most = chip().limits.extent;
  const bool valid = in(shape->n, most) && in(shape->c, most_channels(channels, chip())) &&
                     in(shape->h, most) && in(shape->w, most);
  return require(valid, errors::okk_shape, argument, *shape) ? to_shape(*shape) : Shape{};
}

Shape Call::dma_shape(const dim4* shape, std::string_view argument) {
  if (!present(shape, argument)) return {};
  const bool valid = shape->n >= 1 && shape->c >= 1 && shape->h >= 1 && shape->w >= 1;
  return require(valid, errors::okk_dma_shape, argument, *shape) ? to_shape(*shape) : Shape{};
}

TensorView Call::lanes(std::string_view argument, local_addr_t address, const Shape& shape,
                       const dim4* stride, DType dtype, uint8_t pack) {
  if (stride == nullptr) {
    if (!require(address % 4 != 0 || address % chip().eu_bytes == 0,
                 errors::okk_address_128_advised, argument, Hex{address}))
      return {};
    return dense(argument, address, shape, /*aligned=*/true, dtype, pack);
  }
  if (!require(address < chip().local_bytes(), errors::okk_local_address, argument, Hex{address}))
    return {};
  const Shape cells = cells_of(shape, pack);
  const uint64_t rounds = ceil_div(address / chip().lane_bytes + uint64_t{cells.c}, chip().lanes);
  const uint32_t bytes = pack * element_bytes(dtype);
  const TensorView view{.dtype = dtype,
                        .pack = pack,
                        .plane_stride = plane_stride_of(dtype),
                        .address = address,
                        .shape = shape,
                        .stride = strides(argument, *stride, cells, rounds, bytes)};
  note_strides(argument, view);
  return view;
}

TensorView Call::dense(std::string_view argument, local_addr_t address, const Shape& shape,
                       bool aligned, DType dtype, uint8_t pack) {
  if (!require(address < chip().local_bytes(), errors::okk_local_address, argument, Hex{address}))
    return {};
  const Shape cells = cells_of(shape, pack);
  const uint64_t start = address / chip().lane_bytes;
  TensorView view{
      .dtype = dtype,
      .pack = pack,
      .plane_stride = plane_stride_of(dtype),
      .address = address,
      .shape = shape,
      .stride = lane_stride(chip(), cells, start, pack * element_bytes(dtype), aligned)};
  drop_meaningless(view.stride, cells, ceil_div(start + cells.c, uint64_t{chip().lanes}));
  return view;
}

MatrixView Call::lane_matrix(std::string_view argument, local_addr_t address, uint32_t rows,
                             uint32_t cols, uint32_t per_channel, DType dtype) {
  const Shape shape{rows, ceil_div(cols, per_channel), 1, per_channel};
  return {dense(argument, address, shape, /*aligned=*/true, dtype), rows, cols};
}

TensorView Call::system(std::string_view argument, system_addr_t address, const Shape& shape,
                        const dim4* stride, DType dtype) {
  struct Region {
    Space space;
    uint64_t base, bytes;
  };
  const uint64_t global_bytes = in_kernel() ? session().device().memories().global_bytes() : 0;
  for (const Region& region : {Region{Space::global, chip().global_base, global_bytes},
                               Region{Space::l2, chip().l2.base, chip().l2.bytes},
                               Region{Space::dtcm, chip().dtcm.base, chip().dtcm.bytes}}) {
    if (address < region.base || address - region.base >= region.bytes) continue;
    const uint32_t bytes = element_bytes(dtype);
    TensorView view{.space = region.space,
                    .dtype = dtype,
                    .plane_stride = plane_stride_of(dtype),
                    .address = address - region.base,
                    .shape = shape};
    view.stride = stride != nullptr ? strides(argument, *stride, shape, shape.c, bytes)
                                    : system_stride(shape, bytes);
    if (stride != nullptr) note_strides(argument, view);
    return view;
  }
  require(false, errors::okk_system_address, argument, Hex{address});
  return {};
}

}  // namespace tputwin::okk
