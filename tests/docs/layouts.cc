// docs/layouts: the layouts of tensors in the memories of each chip, drawn by the functions that
// compute the addresses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "docs/grid.h"
#include "memory/layout.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::docs {
namespace {

// Labels elements with row and column, and groups them by plane; the colour is the image and the
// round of lanes.
Labels planes(const Chip& chip, uint32_t start_lane = 0) {
  return [&chip, start_lane](const Element& e) {
    const uint32_t round = (start_lane + e.c) / chip.lanes;
    return Label{fmt::format("{},{}", e.h, e.w), fmt::format("n{} c{}", e.n, e.c), 2 * e.n + round};
  };
}

// Labels packed tensors, in which images are adjacent.
Label image_label(const Element& e) {
  return {fmt::format("n{}", e.n), fmt::format("c{} {},{}", e.c, e.h, e.w), e.n};
}

// Labels weights (IC,OC,KH,KW); n is the input channel.
Label weight_label(const Element& e) {
  return {fmt::format("i{}", e.n), fmt::format("o{} k{},{}", e.c, e.h, e.w), 2 * (e.n % 3)};
}

// Returns the view that the kernel libraries make of an address, a shape and no strides.
TensorView lanes(const Chip& chip, const Shape& shape, DType type, bool aligned,
                 uint32_t start_lane = 0, uint8_t pack = 1) {
  const Shape cells{(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
  return {.dtype = type,
          .pack = pack,
          .plane_stride = 1,
          .address = uint64_t{start_lane} * chip.lane_bytes,
          .shape = shape,
          .stride = lane_stride(chip, cells, start_lane, pack * element_bytes(type), aligned)};
}

TensorView system(const Shape& shape, DType type, uint8_t pack = 1) {
  const Shape cells{(shape.n + pack - 1) / pack, shape.c, shape.h, shape.w};
  return {.space = Space::global,
          .dtype = type,
          .pack = pack,
          .plane_stride = 1,
          .shape = shape,
          .stride = system_stride(cells, pack * element_bytes(type))};
}

TEST(Layouts, LanesOfTheBm1880) {
  const Chip& chip = bm1880();
  const Shape shape{2, 40, 2, 3};
  Svg svg;
  const double y =
      Grid("(2,40,2,3) of 8 bits, aligned: planes start at multiples of 16 bytes", chip,
           local_tensor(chip, 0, shape, /*aligned=*/true, DType::i8), planes(chip))
          .draw(svg, 0, {0, 1, 7, 8, 31});
  Grid("the same, unaligned", chip, local_tensor(chip, 0, shape, /*aligned=*/false, DType::i8),
       planes(chip))
      .draw(svg, y, {0, 1, 7, 8, 31});
  expect_drawing("bm1880-lanes", svg.finish("A tensor in the lanes of the BM1880"));
}

TEST(Layouts, SpecialOnesOfTheBm1880) {
  const Chip& chip = bm1880();
  Svg svg;
  const MatrixView matrix = local_matrix(chip, 0, 2, 20, DType::i8);
  double y = Grid("a matrix of 2 rows and 20 columns: blocks of 16 columns, a lane each", chip,
                  matrix.tensor,
                  [&](const Element& e) {
                    const uint32_t column = e.c * matrix.tensor.shape.w + e.w;
                    return column < matrix.cols
                               ? Label{std::to_string(column), fmt::format("row {}", e.n), 2 * e.n}
                               : Label{"-", fmt::format("row {}", e.n), 5};
                  })
                 .draw(svg, 0);
  y = Grid("a bias of 40 channels: 16 bits in a low and a high plane", chip,
           conv_bias(chip, 0, 40, /*is_signed=*/true),
           [&](const Element& e) {
             return Label{fmt::format("c{}", e.c), "", 2 * (e.c / chip.lanes)};
           })
          .draw(svg, y, {0, 1, 7, 8, 31});
  Grid("weights of a convolution, 3 input and 40 output channels, window (1,2)", chip,
       conv_weight(0, {3, 40, 1, 2}, DType::i8), weight_label)
      .draw(svg, y, {0, 1, 7, 8, 31});
  expect_drawing("bm1880-special", svg.finish("Matrices, biases and weights of the BM1880"));
}

TEST(Layouts, LanesOfTheBm1684) {
  const Chip& chip = bm1684();
  const Shape shape{2, 70, 2, 3};
  Svg svg;
  double y = Grid("(2,70,2,3) of fp32, aligned: planes start at multiples of 128 bytes", chip,
                  lanes(chip, shape, DType::f32, /*aligned=*/true), planes(chip))
                 .draw(svg, 0, {0, 1, 5, 6, 63});
  y = Grid("the same, compact", chip, lanes(chip, shape, DType::f32, /*aligned=*/false),
           planes(chip))
          .draw(svg, y, {0, 1, 5, 6, 63});
  Grid("(1,4,2,3) that starts in NPU 62: channels go on in NPU 0, a round further", chip,
       lanes(chip, {1, 4, 2, 3}, DType::f32, /*aligned=*/true, /*start_lane=*/62), planes(chip, 62))
      .draw(svg, y);
  expect_drawing("bm1684-lanes", svg.finish("A tensor in the lanes of the BM1684"));
}

TEST(Layouts, PackedOnesOfTheBm1684) {
  const Chip& chip = bm1684();
  const Shape shape{6, 2, 1, 3};
  Svg svg;
  const auto plane_label = [](const Element& e) {
    return Label{fmt::format("{},{}", e.h, e.w), fmt::format("n{} c{}", e.n, e.c), e.n};
  };
  double y =
      Grid("1N: (6,2,1,3) of fp32 in global memory", chip, system(shape, DType::f32), plane_label)
          .draw(svg, 0);
  y = Grid("2N: the same shape of 16 bits, two images to a cell", chip,
           system(shape, DType::i16, 2), image_label)
          .draw(svg, y);
  y = Grid("4N: the same shape of 8 bits, four images to a cell", chip, system(shape, DType::i8, 4),
           image_label)
          .draw(svg, y);
  Grid("4N in local memory, compact: cells are stored as fp32 elements are", chip,
       lanes(chip, shape, DType::i8, /*aligned=*/false, 0, 4), image_label)
      .draw(svg, y);
  expect_drawing("bm1684-packed", svg.finish("1N, 2N and 4N of the BM1684"));
}

TEST(Layouts, WeightsOfTheBm1684) {
  const Chip& chip = bm1684();
  Svg svg;
  Grid("2IC: fp32 weights, 3 input and 2 output channels, window (2,2)", chip,
       lanes(chip, {3, 2, 2, 2}, DType::f32, /*aligned=*/false, 0, 2), weight_label)
      .draw(svg, 0);
  expect_drawing("bm1684-weights", svg.finish("2IC weights of the BM1684"));
}

TEST(Layouts, LanesOfTheBm1684x) {
  const Chip& chip = bm1684x();
  const Shape shape{2, 70, 2, 3};
  Svg svg;
  double y = Grid("(2,70,2,3) of fp16, aligned: planes start at multiples of 64 bytes", chip,
                  lanes(chip, shape, DType::f16, /*aligned=*/true), planes(chip))
                 .draw(svg, 0, {0, 1, 5, 6, 63});
  y = Grid("the same, compact", chip, lanes(chip, shape, DType::f16, /*aligned=*/false),
           planes(chip))
          .draw(svg, y, {0, 1, 5, 6, 63});
  Grid("(1,3,2,3) of fp16 in global memory", chip, system({1, 3, 2, 3}, DType::f16), planes(chip))
      .draw(svg, y);
  expect_drawing("bm1684x-lanes", svg.finish("A tensor in the lanes of the BM1684X"));
}

TEST(Layouts, WeightsOfTheBm1684x) {
  const Chip& chip = bm1684x();
  Window window;
  window.h.kernel = 1;
  window.w.kernel = 2;
  Svg svg;
  double y = 0;
  for (DType type : {DType::f32, DType::f16}) {
    const uint32_t group = weight_group(type);
    const TensorView view = lanes(chip, weight_shape(3, 2, window, type), type, /*aligned=*/false);
    const auto label = [&](const Element& e) {
      const uint32_t tap = e.h % taps_of(window), ic = e.h / taps_of(window) * group + e.w;
      const std::string of_tap = fmt::format("{},{}", tap / 2, tap % 2);
      if (ic >= 3) return Label{};
      if (group == 1) return Label{of_tap, fmt::format("o{} i{}", e.c, ic), 2 * ic};
      return Label{fmt::format("i{}", ic), fmt::format("o{} k{}", e.c, of_tap), 2 * ic};
    };
    const std::string title = fmt::format(
        "{} weights, 3 input and 2 output channels, window (1,2): groups of {} input channels",
        type == DType::f32 ? "fp32" : "fp16", group);
    y = Grid(title, chip, view, label).draw(svg, y);
  }
  expect_drawing("bm1684x-weights", svg.finish("Weights of the BM1684X"));
}

}  // namespace
}  // namespace tputwin::docs
