// Operators of images: the grid of an affine map, images of overlapping blocks, parts around the
// center, and convolutions whose taps have computed offsets.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

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
  // A ConvTranspose has pads below its kernel; larger ones are cut off behind it.
  const size_t spatial = b.image.size();
  bool is_cut = false;
  for (size_t i = 0; i < 2 * spatial; ++i)
    is_cut = is_cut || b.pads[i] > b.dilations[i % spatial] * (b.block[i % spatial] - 1);
  const std::string y = made.add("ConvTranspose", {blocks_of_image, made.reals(kernel, weights)},
                                 {{"group", x[1] / taps},
                                  {"kernel_shape", b.block},
                                  {"strides", b.strides},
                                  {"dilations", b.dilations},
                                  {"pads", is_cut ? Dims(2 * spatial, 0) : b.pads},
                                  {"output_padding", b.rest}});
  if (!is_cut) return made.set(y);
  Dims starts(b.pads.begin(), b.pads.begin() + static_cast<ptrdiff_t>(spatial)), ends, axes;
  for (size_t i = 0; i < spatial; ++i) {
    ends.push_back(starts[i] + b.image[i]);
    axes.push_back(static_cast<int64_t>(i) + 2);
  }
  made.set(made.add("Slice", {y, made.integers(starts), made.integers(ends), made.integers(axes)}));
}

// A convolution of one element over the values that the taps read, and that the host gathers.
void deform_conv_of_host(Node& node) {
  node.require(!has_open_extents(node), "operator", "DeformConv",
               "on tensors whose extents are known when the net is compiled");
  const Dims &x = node.dims(), &w = node.dims(1);
  node.require(x.size() == 4 && w.size() == 4, "X, W", text(x) + ", " + text(w),
               "(samples, channels, rows, columns)");
  Dims pads = node.integers("pads");
  if (pads.empty()) pads.assign(4, 0);
  node.require(pads.size() == 4, "pads", text(pads), "four");
  const Dims inside{std::min(pads[0], pads[2]), std::min(pads[1], pads[3])};
  node.require(inside[0] >= 0 && inside[1] >= 0, "pads", text(pads), "at least 0");
  const Dims further{0, 0, pads[0] - inside[0], pads[1] - inside[1],
                     0, 0, pads[2] - inside[0], pads[3] - inside[1]};
  Expansion made(node);
  std::string map = made.in(0);
  if (std::ranges::any_of(further, [](int64_t pad) { return pad != 0; }))
    map = made.add("Pad", {map, made.integers(further)});
  std::vector<std::string> operands{map, made.in(2)};
  if (node.has(4)) operands.push_back(made.in(4));
  const std::string read = made.add("DeformableGather", operands,
                                    {{"kernel_shape", Dims{w[2], w[3]}},
                                     {"pads", inside},
                                     {"offset_group", node.integer("offset_group", 1)}});
  made.nodes().back().set_domain(std::string(kInternal));
  for (const char* name : {"strides", "dilations"}) made.copy_attribute(name);
  const std::string weights =
      made.add("Reshape", {made.in(1), made.integers({w[0], w[1] * w[2] * w[3], 1, 1})});
  std::vector<std::string> factors{read, weights};
  if (node.has(3)) factors.push_back(made.in(3));
  made.set(made.add("Conv", factors, {{"group", node.integer("group", 1)}}));
}

void import_deformable_gather(Node& node) {
  const Dims& x = node.dims();
  const Dims kernel = node.integers("kernel_shape"), pads = node.integers("pads");
  Dims strides = node.integers("strides"), dilations = node.integers("dilations");
  if (strides.empty()) strides.assign(2, 1);
  if (dilations.empty()) dilations.assign(2, 1);
  const int64_t groups = node.integer("offset_group", 1), taps = kernel[0] * kernel[1];
  node.require(strides.size() == 2 && dilations.size() == 2, "strides, dilations", text(strides),
               "two");
  Dims result{x[0], x[1] * taps};
  for (size_t i = 0; i < 2; ++i)
    result.push_back((x[i + 2] + 2 * pads[i] - dilations[i] * (kernel[i] - 1) - 1) / strides[i] +
                     1);
  const auto require_taps = [&](size_t input, const char* name, int64_t channels) {
    const Dims wanted{x[0], channels, result[2], result[3]};
    node.require(node.dims(input) == wanted, name, text(node.dims(input)), text(wanted));
  };
  node.require(groups > 0 && x[1] % groups == 0, "offset_group", std::to_string(groups),
               fmt::format("it divides the {} channels", x[1]));
  require_taps(1, "offset", 2 * groups * taps);
  if (node.has(2)) require_taps(2, "mask", groups * taps);
  HostCall call(node,
                fmt::format("deformable_gather kernel_h={} kernel_w={} stride_h={} stride_w={} "
                            "pad_h={} pad_w={} dilation_h={} dilation_w={} offset_groups={}",
                            kernel[0], kernel[1], strides[0], strides[1], pads[0], pads[1],
                            dilations[0], dilations[1], groups));
  for (size_t input = 0; input < node.inputs(); ++input) call.take(input);
  call.set(result, ValueKind::real);
}

}  // namespace tputwin::net::onnx_reader
