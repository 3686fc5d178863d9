// The table of lowering functions, views of tensors, and constants.
#include "bmnet/targets/bm1684x/lower.h"

#include <fmt/format.h>

#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/targets/bm1684x/views.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"

namespace tputwin::net::bm1684x {
namespace {

struct Row {
  Op op;
  Kernels (*floats)(const Layer&);
  Kernels (*bytes)(const Layer&);
};
constexpr Row kRows[] = {
#define TW_LOWER(op, function, bytes) {Op::op, lower_##function, lower_##bytes},
#include "bmnet/targets/bm1684x/lowering.def"
};

}  // namespace

Extents view_extents(const TensorShape& shape) {
  const std::vector<int64_t> d = dims(shape);
  if (d.size() == 3) return {d[0], d[1], 1, d[2]};
  if (d.size() == 2 && d[0] > kFewRows) return {1, d[0], 1, d[1]};
  return extents(shape);
}

View Layer::view(const std::string& tensor, const TensorShape& shape) const {
  const View view{.tensor = tensor, .e = view_extents(shape), .type = types.of(tensor).type};
  if (!types.matrices.contains(tensor)) return view;
  const Extents& e = view.e;
  return regrouped(view, {e.n * e.c, e.h, 1, e.w});
}

namespace {

// Checks that no weight of a sum becomes infinite. Masks may.
Status check_weights(const Layer& layer) {
  if (layer.types.of(layer.op.bottom(0)).type != DType::f16) return {};
  const std::optional<float> weight = weight_beyond_fp16(layer.network, layer.op);
  if (!weight) return {};
  return unsupported(layer.op, "weight", fmt::format("{}", *weight),
                     "fp16 holds numbers up to 65504; --type bf16 and fp32 hold this one, and so "
                     "does a table that gives the layer type: \"fp32\", as calibrate --type fp16 "
                     "--reach does");
}

}  // namespace

std::optional<float> weight_beyond_fp16(const Network& network, const TensorOp& op) {
  const auto blobs = network.blobs.find(op.name());
  if (!has_trait(op, trait::weighted) || blobs == network.blobs.end()) return std::nullopt;
  constexpr float kLargest = 65504;
  for (const float w : blobs->second[0].data)
    if (std::isfinite(w) && std::fabs(w) > kLargest) return w;
  return std::nullopt;
}

View Layer::input_like_output(int index) const {
  const View in = input(index), out = output();
  return in.e.count() == out.e.count() ? regrouped(in, out.e) : in;
}

Kernels lower(const Network& network, size_t index, const Types& types) {
  const TensorOp& op = network.ops[index];
  for (const Row& row : kRows) {
    if (!is(op, row.op)) continue;
    TW_RETURN_IF_ERROR(check_weights({network, op, types}));
    const bool bytes = types.of(op.bottom(0)).is_int8() || types.of(op.top(0)).is_int8();
    Kernels kernels = (bytes ? row.bytes : row.floats)({network, op, types});
    if (!kernels.ok()) return kernels;
    for (KernelPtr& kernel : *kernels) {
      kernel->layer = op.name();
      kernel->op = index;
    }
    return kernels;
  }
  const bool moves = has_trait(op, trait::moves_elements);
  if (moves || is(op, Op::host) || is(op, Op::start) || is(op, Op::end))
    return std::vector<KernelPtr>();
  return unsupported(
      op, "type", op.type(),
      fmt::format("the compiler has no commands of the {} for it; cut the net before it, "
                  "and compute the rest in your program",
                  chip().name));
}

Kernels lower_none(const Layer& layer) {
  return unsupported(layer.op, "type", layer.op.type(), "it is computed in floats");
}

Kernels lower_transfers(const Layer&) { return std::vector<KernelPtr>(); }

View channels_of(View view, Span channels) {
  view.offset = channels.begin * view.e.h * view.e.w * element_bytes(view.type);
  view.e.c = channels.count();
  return view;
}

std::vector<uint8_t> bytes_of(std::span<const float> values, DType type) {
  const ScopedFloatMode mode;
  const size_t size = element_bytes(type);
  std::vector<uint8_t> bytes(values.size() * size);
  uint8_t* to = bytes.data();
  for (float value : values) {
    const uint32_t bits = float_bits(value, type);
    for (size_t i = 0; i < size; ++i) *to++ = static_cast<uint8_t>(bits >> 8 * i);
  }
  return bytes;
}

Weight channel_weight(std::span<const float> values, DType type) {
  return {.bytes = bytes_of(values, type),
          .e = {1, static_cast<int64_t>(values.size()), 1, 1},
          .type = type};
}

Weight lane_table(std::span<const float> values) {
  std::vector<float> all;
  for (uint32_t lane = 0; lane < chip().lanes; ++lane)
    all.insert(all.end(), values.begin(), values.end());
  return {.bytes = bytes_of(all, DType::f32),
          .e = {1, chip().lanes, 1, static_cast<int64_t>(values.size())},
          .layout = Weight::Layout::aligned,
          .by_channel = false,
          .type = DType::f32};
}

Error unsupported(const TensorOp& op, std::string_view what, std::string value,
                  std::string_view advice) {
  return Error(errors::net_target)
      .in("layer " + op.name())
      .argument(what, std::move(value))
      .detail(std::string(advice))
      .see(target().document());
}

}  // namespace tputwin::net::bm1684x
