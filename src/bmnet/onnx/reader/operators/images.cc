// Operators of images: the grid of an affine map, images of overlapping blocks, and parts around the
// center.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns the coordinates from -1 to 1 of the centers or corners of pixels. ONNX leaves open where
// a single pixel of aligned corners is: at 0, as in PyTorch.
std::vector<float> coordinates(int64_t count, bool align_corners) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const auto twice = static_cast<float>(2 * i), all = static_cast<float>(count);
    values.push_back(!align_corners ? (twice + 1) / all - 1
                     : count == 1   ? 0
                                    : twice / (all - 1) - 1);
  }
  return values;
}

}  // namespace

// The product of the homogeneous positions (x, y, 1) or (x, y, z, 1) with each sample's matrix.
void expand_affine_grid(Node& node) {
  const Dims size = node.weights(1, "size").whole();
  const Dims& theta = node.dims();
  node.require(size.size() == 4 || size.size() == 5, "size", text(size),
               "(samples, channels, rows, columns), or with planes before the rows");
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  node.require(theta == Dims{size[0], axes, axes + 1}, "theta", text(theta),
               text(Dims{size[0], axes, axes + 1}));
  const bool align = node.integer("align_corners", 0) != 0;
  const int64_t count = elements(Dims(size.begin() + 2, size.end()));
  constexpr int64_t kMost = int64_t{1} << 24;
  node.require(count > 0 && count <= kMost, "size", text(size), "1 to 2^24 positions");
  std::vector<float> positions(static_cast<size_t>(count * (axes + 1)), 1.0f);
  int64_t step = 1;
  // The last axis is x, the first coordinate.
  for (int64_t axis = 0; axis < axes; ++axis) {
    const int64_t extent = size[static_cast<size_t>(axes + 1 - axis)];
    const std::vector<float> along = coordinates(extent, align);
    for (int64_t i = 0; i < count; ++i)
      positions[static_cast<size_t>(i * (axes + 1) + axis)] =
          along[static_cast<size_t>(i / step % extent)];
    step *= extent;
  }
  Expansion made(node);
  const std::string turned = made.add("Transpose", {made.in(0)}, {{"perm", Dims{0, 2, 1}}});
  const std::string grid = made.add("MatMul", {made.reals({count, axes + 1}, positions), turned});
  Dims result{size[0]};
  result.insert(result.end(), size.begin() + 2, size.end());
  result.push_back(axes);
  made.set(made.add("Reshape", {grid, made.integers(result)}));
}

// Crops or pads axes on both sides; of an odd number of elements, one more at the end.
void expand_center_crop_pad(Node& node) {
  const Dims& x = node.dims();
  const Dims shape = node.weights(1, "shape").whole();
  Dims axes = node.integers("axes");
  if (!node.has("axes")) {
    axes.resize(x.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  node.require(axes.size() == shape.size(), "shape", text(shape),
               fmt::format("one extent for each of {} axes", axes.size()));
  Dims pads(2 * x.size(), 0), starts, ends, cropped;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = node.axis(axes[i], x.size());
    const int64_t more = shape[i] - x[axis];
    node.require(shape[i] > 0, "shape", text(shape), "extents above 0");
    if (more >= 0) {
      pads[axis] = more / 2;
      pads[axis + x.size()] = more - more / 2;
      continue;
    }
    cropped.push_back(static_cast<int64_t>(axis));
    starts.push_back(-more / 2);
    ends.push_back(-more / 2 + shape[i]);
  }
  Expansion made(node);
  std::string y = made.in(0);
  if (!cropped.empty())
    y = made.add("Slice", {y, made.integers(starts), made.integers(ends), made.integers(cropped)});
  const bool has_pads = std::ranges::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (has_pads) y = made.add("Pad", {y, made.integers(pads)});
  made.set(has_pads || !cropped.empty() ? y : made.add("Identity", {y}));
}

namespace {

// The axes of a Col2Im: how many blocks fit into the image, and what rests behind the last one.
struct Blocks {
  Dims image, block, strides, dilations, pads, counts, rest;
};

Blocks blocks_of(const Node& node) {
  Blocks b{.image = node.weights(1, "image_shape").whole(),
           .block = node.weights(2, "block_shape").whole(),
           .strides = node.integers("strides"),
           .dilations = node.integers("dilations"),
           .pads = node.integers("pads"),
           .counts = {},
           .rest = {}};
  const size_t axes = b.image.size();
  if (b.strides.empty()) b.strides.assign(axes, 1);
  if (b.dilations.empty()) b.dilations.assign(axes, 1);
  if (b.pads.empty()) b.pads.assign(2 * axes, 0);
  node.require(axes >= 1 && axes <= 3 && b.block.size() == axes && b.strides.size() == axes &&
                   b.dilations.size() == axes && b.pads.size() == 2 * axes,
               "image_shape, block_shape", text(b.image) + ", " + text(b.block),
               "one to three axes, with strides, dilations and pads for each");
  for (size_t i = 0; i < axes; ++i) {
    node.require(b.block[i] > 0 && b.strides[i] > 0 && b.dilations[i] > 0 && b.image[i] > 0,
                 "block_shape, strides, dilations", text(b.block), "above 0");
    const int64_t span =
        b.image[i] + b.pads[i] + b.pads[i + axes] - b.dilations[i] * (b.block[i] - 1) - 1;
    node.require(span >= 0, "block_shape", text(b.block), "blocks inside the padded image");
    b.counts.push_back(span / b.strides[i] + 1);
    b.rest.push_back(span % b.strides[i]);
  }
  return b;
}

}  // namespace

// Sums overlapping blocks: a ConvTranspose in which each element of a block is a channel with a
// kernel that has 1 at its place.
void expand_col2_im(Node& node) {
  const Blocks b = blocks_of(node);
  const Dims& x = node.dims();
  const int64_t taps = elements(b.block), blocks = elements(b.counts);
  node.require(x.size() == 3 && x[1] % taps == 0 && x[2] == blocks, "input", text(x),
               fmt::format("(samples, channels * {}, {})", taps, blocks));
  Dims map{x[0], x[1]}, kernel{x[1], 1};
  map.insert(map.end(), b.counts.begin(), b.counts.end());
  kernel.insert(kernel.end(), b.block.begin(), b.block.end());
  std::vector<float> weights(static_cast<size_t>(x[1] * taps), 0.0f);
  for (int64_t i = 0; i < x[1]; ++i) weights[static_cast<size_t>(i * taps + i % taps)] = 1;
  Expansion made(node);
  const std::string blocks_of_image = made.add("Reshape", {made.in(0), made.integers(map)});
  made.set(made.add("ConvTranspose", {blocks_of_image, made.reals(kernel, weights)},
                    {{"group", x[1] / taps},
                     {"kernel_shape", b.block},
                     {"strides", b.strides},
                     {"dilations", b.dilations},
                     {"pads", b.pads},
                     {"output_padding", b.rest}}));
}

}  // namespace tputwin::net::onnx_reader
