// Shapes, strides and addresses of random tensors.
#include "selftest/random_tensors.h"

#include "base/bits.h"
#include "memory/layout.h"

namespace tputwin::testing {
namespace {

Shape cells_of(Shape shape, uint8_t pack) {
  shape.n = ceil_div(shape.n, pack);
  return shape;
}

}  // namespace

RandomTensors::RandomTensors(Rng& rng, const Chip& chip)
    : rng_(rng), chip_(chip), local_(rng.pick<uint64_t>({0, 0, 4, 128, 1024, 8192, 8192 - 256})) {}

Shape RandomTensors::shape(uint64_t max_count, uint32_t max_n) {
  for (;;) {
    Shape s{rng_.coin() ? 1 : rng_.range(1, max_n),
            rng_.coin() ? rng_.range(1, 12)
                        : rng_.pick({1u, 2u, 3u, 16u, 33u, 63u, 64u, 64u, 65u, 70u, 128u, 130u}),
            rng_.range(1, 9), rng_.range(1, 40)};
    if (rng_.chance(1, 6)) s.h = 1, s.w = rng_.range(1, 300);
    if (rng_.chance(1, 10)) s.w = 1, s.h = rng_.range(1, 100);
    if (s.count() <= max_count) return s;
  }
}

uint32_t RandomTensors::start_lane() {
  return rng_.coin() ? 0 : rng_.chance(1, 3) ? chip_.lanes - 1 : rng_.range(1, chip_.lanes - 1);
}

void RandomTensors::place(TensorView& view, uint32_t lane, uint32_t quantum) {
  local_ = align_up(local_ + rng_.pick({0u, 0u, 4u, 12u, 300u}), quantum);
  view.address = uint64_t{lane} * chip_.lane_bytes + local_;
  const uint64_t rounds = ceil_div(uint64_t{lane} + view.shape.c, uint64_t{chip_.lanes});
  local_ += (cells(view) - 1) * uint64_t{view.stride.n} + (rounds - 1) * view.stride.c +
            (view.shape.h - 1) * uint64_t{view.stride.h} +
            (view.shape.w - 1) * uint64_t{view.stride.w} + run_bytes(view);
}

TensorView RandomTensors::dense(const Shape& shape, uint32_t lane, DType dtype, bool aligned,
                                uint8_t pack) {
  const uint32_t bytes = pack * element_bytes(dtype);
  TensorView view{.dtype = dtype,
                  .pack = pack,
                  .plane_stride = is_16bit(dtype) ? 1u : 0u,
                  .shape = shape,
                  .stride = lane_stride(chip_, cells_of(shape, pack), lane, bytes, aligned)};
  place(view, lane, aligned ? chip_.eu_bytes : 4);
  return view;
}

TensorView RandomTensors::any(const Shape& shape, uint32_t lane, DType dtype, bool is_source,
                              uint8_t pack) {
  if (rng_.coin()) return dense(shape, lane, dtype, rng_.chance(3, 4), pack);
  const uint32_t bytes = pack * element_bytes(dtype);
  const auto rounds = static_cast<uint32_t>(ceil_div(lane + shape.c, chip_.lanes));
  auto gap = [&](uint32_t most) { return rng_.coin() ? 0 : rng_.range(1, most); };
  Stride s;
  s.w = rng_.chance(1, 4) ? rng_.range(2, 3) : 1;
  s.h = (shape.w - 1) * s.w + 1 + gap(5);
  s.c = (shape.h - 1) * s.h + (shape.w - 1) * s.w + 1 + gap(9);
  s.n = (rounds - 1) * s.c + (shape.h - 1) * s.h + (shape.w - 1) * s.w + 1 + gap(9);
  if (is_source && rng_.chance(1, 3)) {
    const uint32_t zero = rng_.range(1, 15);
    if (zero & 1) s.n = 0;
    if (zero & 2) s.c = 0;
    if (zero & 4) s.h = 0;
    if (zero & 8) s.w = 0;
  }
  TensorView view{.dtype = dtype,
                  .pack = pack,
                  .plane_stride = is_16bit(dtype) ? 1u : 0u,
                  .shape = shape,
                  .stride = {s.n * bytes, s.c * bytes, s.h * bytes, s.w * bytes}};
  place(view, lane, 4);
  return view;
}

MatrixView RandomTensors::matrix(uint32_t rows, uint32_t cols, uint32_t per_channel,
                                 uint32_t lane) {
  const Shape shape{rows, ceil_div(cols, per_channel), 1, per_channel};
  return {dense(shape, lane, DType::f32, /*aligned=*/true), rows, cols};
}

TensorView RandomTensors::system(const Shape& shape, DType dtype, bool is_source) {
  const uint32_t bytes = element_bytes(dtype);
  TensorView view{.space = rng_.chance(3, 4)       ? Space::global
                           : rng_.coin()           ? Space::l2
                           : chip_.dtcm.bytes == 0 ? Space::global
                                                   : Space::dtcm,
                  .dtype = dtype,
                  .plane_stride = is_16bit(dtype) ? 1u : 0u,
                  .shape = shape,
                  .stride = system_stride(shape, bytes)};
  if (rng_.coin()) {
    auto gap = [&](uint32_t most) { return rng_.coin() ? 0 : bytes * rng_.range(1, most); };
    view.stride.h = shape.w * bytes + gap(7);
    view.stride.c = (shape.h - 1) * view.stride.h + shape.w * bytes + gap(9);
    view.stride.n =
        (shape.c - 1) * view.stride.c + (shape.h - 1) * view.stride.h + shape.w * bytes + gap(9);
    if (is_source && rng_.chance(1, 4)) {
      const uint32_t zero = rng_.range(1, 7);
      if (zero & 1) view.stride.n = 0;
      if (zero & 2) view.stride.c = 0;
      if (zero & 4) view.stride.h = 0;
    }
  }
  view.address = align_up(system_ + bytes * rng_.below(9), bytes);
  system_ = view.address + (shape.n - 1) * uint64_t{view.stride.n} +
            (shape.c - 1) * uint64_t{view.stride.c} + (shape.h - 1) * uint64_t{view.stride.h} +
            shape.w * uint64_t{bytes};
  return view;
}

}  // namespace tputwin::testing
