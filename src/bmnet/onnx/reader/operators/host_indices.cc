// Elements by their positions, and boxes, on the host.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
void gather_of_host(Node& node) {
  const Dims &x = node.dims(), &positions = node.dims(1);
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  Dims result(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), positions.begin(), positions.end());
  result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  HostCall call(node, fmt::format("gather axis={}", axis));
  call.take(0);
  call.take(1);
  call.set_moved(result);
}

void gather_elements_of_host(Node& node) {
  const size_t axis = node.axis(node.integer("axis", 0), node.dims().size());
  HostCall call(node, fmt::format("gather_elements axis={}", axis));
  call.take(0);
  call.take(1);
  call.set_moved(node.dims(1));
}

void gather_nd_of_host(Node& node) {
  const Dims &x = node.dims(), &positions = node.dims(1);
  const auto batch = static_cast<size_t>(node.integer("batch_dims", 0));
  node.require(!positions.empty() && batch < positions.size() &&
                   batch + static_cast<size_t>(positions.back()) <= x.size(),
               "indices", text(positions), "positions of at most as many axes as " + text(x));
  Dims result(positions.begin(), positions.end() - 1);
  result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(batch) + positions.back(),
                x.end());
  HostCall call(node, fmt::format("gathernd batch_dims={}", batch));
  call.take(0);
  call.take(1);
  call.set_moved(result);
}

namespace {

// The result has the extents of the data, whatever those of the updates are.
void scatter_of_host(Node& node, HostCall call) {
  for (const size_t input : {0, 1, 2}) call.take(input);
  call.set_varies(node.in(0).varies);
  call.set_moved(node.dims());
}

}  // namespace

void scatter_nd_of_host(Node& node) {
  scatter_of_host(node, HostCall(node, "scatternd reduction=" + node.text("reduction", "none")));
}

void scatter_elements_of_host(Node& node) {
  const size_t axis = node.axis(node.integer("axis", 0), node.dims().size());
  node.require(node.dims(1).size() == node.dims().size(), "indices", text(node.dims(1)),
               "as many axes as the data");
  scatter_of_host(node, HostCall(node, fmt::format("scatter_elements axis={} reduction={}", axis,
                                                   node.text("reduction", "none"))));
}

void non_zero_of_host(Node& node) {
  HostCall call(node, "nonzero");
  call.take(0);
  call.set_varies();
  const auto axes = static_cast<int64_t>(std::max<size_t>(1, node.dims().size()));
  call.set({axes, elements(node.dims())}, ValueKind::integer);
}

void top_k_of_host(Node& node) {
  const Dims& x = node.dims();
  node.require(!x.empty(), "axes", "0", "at least 1");
  const size_t axis = node.axis(node.integer("axis", -1), x.size());
  HostCall call(node, fmt::format("topk axis={} largest={}", axis, node.integer("largest", 1)));
  call.take(0);
  Dims result = x;
  if (node.constant(1) != nullptr) {
    const int64_t k = node.whole(1, "K");
    node.require(k >= 1, "K", std::to_string(k), "at least 1");
    result[axis] = std::min(result[axis], k);
    call.append(fmt::format("k={}", k));
  } else {
    call.take(1);
    call.set_varies();
  }
  const bool varies = call.varies();
  const std::vector<std::string> tensors = call.add({result, result});
  HostCall set(node);
  if (varies) set.set_varies();
  set.set(tensors[0], result, node.in(0).kind, 0);
  set.set(tensors[1], result, ValueKind::integer, 1);
}

// ---- Boxes ----

void non_max_suppression_of_host(Node& node) {
  const Dims &boxes = node.dims(0), &scores = node.dims(1);
  node.require(boxes.size() == 3 && scores.size() == 3 && boxes[2] == 4, "boxes and scores",
               text(boxes) + " and " + text(scores), "(n,boxes,4) and (n,classes,boxes)");
  bool all_constant = true;
  for (size_t i = 2; i < node.inputs(); ++i)
    all_constant = all_constant && (!node.has(i) || node.constant(i) != nullptr);
  HostCall call(node,
                fmt::format("onnx_nms center_point_box={}", node.integer("center_point_box", 0)));
  call.take(0);
  call.take(1);
  int64_t most = boxes[1];
  if (node.constant(2) != nullptr)
    most = std::min(most, node.whole(2, "max_output_boxes_per_class"));
  if (!node.has(2)) most = 0;  // no box, which is the default of ONNX
  node.require(most >= 0, "max_output_boxes_per_class", std::to_string(most), "0 or more");
  const auto real = [&](size_t input) { return node.constant(input)->real().at(0); };
  if (all_constant) {
    call.append(fmt::format("max_output_boxes_per_class={}", most));
    if (node.has(3)) call.append(fmt::format("iou_threshold={}", real(3)));
    if (node.has(4)) call.append(fmt::format("score_threshold={}", real(4)));
  } else {
    for (size_t i = 2; i < node.inputs(); ++i) {
      if (i == 2 && node.constant(2) != nullptr)
        call.take_constant({1}, {static_cast<float>(most)});
      else if (node.has(i))
        call.take(i);
      else if (i < 4)  // without input 4, all scores count
        call.take_constant({1}, {0});
    }
  }
  call.set_varies();
  call.set({std::max<int64_t>(1, scores[0] * scores[1] * most), 3}, ValueKind::integer);
}

void grid_sample_of_host(Node& node) {
  const Dims &x = node.dims(), &grid = node.dims(1);
  const std::string mode = node.text("mode", node.opset < 20 ? "bilinear" : "linear");
  node.require(x.size() == 4 && grid.size() == 4, "axes", std::to_string(x.size()), "4");
  node.require(mode == "bilinear" || mode == "linear" || mode == "nearest", "mode", mode,
               "linear or nearest");
  HostCall call(
      node, fmt::format("grid_sampler mode={} padding_mode={} align_corners={}",
                        mode == "nearest" ? mode : "bilinear", node.text("padding_mode", "zeros"),
                        node.integer("align_corners", 0)));
  call.take(0);
  call.take(1);
  call.set_moved({x[0], x[1], grid[1], grid[2]});
}

void roi_align_of_host(Node& node) {
  const int64_t h = node.integer("output_height", 1), w = node.integer("output_width", 1);
  const std::string mode = node.text("mode", "avg");
  node.require(mode == "avg", "mode", mode, "avg on the host");
  const std::string corners = node.text("coordinate_transformation_mode",
                                        node.opset < 16 ? "output_half_pixel" : "half_pixel");
  HostCall call(node, fmt::format("roi_align output_height={} output_width={} sampling_ratio={} "
                                  "spatial_scale={} coordinate_transformation_mode={}",
                                  h, w, node.integer("sampling_ratio", 0),
                                  node.real("spatial_scale", 1), corners));
  for (const size_t input : {0, 1, 2}) call.take(input);
  call.set({node.dims(1).at(0), node.dims().at(1), h, w}, ValueKind::real);
}

}  // namespace tputwin::net::onnx_reader
