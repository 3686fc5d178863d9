// Checks of the weights of operations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/ir/infer.h"

namespace tputwin::net {
namespace {

// Number of values of each blob of an operation. The first `least` blobs are required, later ones
// optional.
struct WantedBlobs {
  std::vector<int64_t> values;
  size_t least = 0;
};

WantedBlobs wanted_blobs(const TensorOp& op) {
  const Extents e = extents(op.input_shape(0));
  const auto& convolution = op.tg_convolution_param();
  switch (properties(op.type()).op) {
    case Op::convolution: {
      const Extents to = extents(op.output_shape(0));
      const int64_t taps = int64_t{convolution.kernel_size(0)} * convolution.kernel_size(1);
      WantedBlobs wanted{{to.c * (e.c / convolution.group()) * taps}, 1};
      if (convolution.bias_term()) wanted = {{wanted.values[0], to.c}, 2};
      return wanted;
    }
    case Op::inner_product: {
      const int64_t outputs = op.tg_inner_product_param().num_output();
      const int64_t length = count(op.input_shape(0)) / op.input_shape(0).dim(0);
      if (op.tg_inner_product_param().bias_term()) return {{outputs * length, outputs}, 2};
      return {{outputs * length}, 1};
    }
    case Op::scale:
      if (op.tg_scale_param().bias_term()) return {{e.c, e.c}, 2};
      return {{e.c}, 1};
    case Op::prelu:
      return {{op.tg_prelu_param().channel_shared() ? 1 : e.c}, 1};
    case Op::norm:
      return {{op.tg_norm_param().channel_shared() ? 1 : e.c}, 1};
    case Op::arithmetic:
      if (op.bottom_size() == 2) return {};
      return {{count(op.tg_arithmetic_param().b_shape())}, 1};
    case Op::softmax:
      if (!op.tg_softmax_param().has_addend_shape()) return {};
      return {{count(op.tg_softmax_param().addend_shape())}, 1};
    case Op::standardize: {
      if (op.tg_standardize_param().per_channel()) return {};
      int64_t run = 1;
      const int axis = op.tg_standardize_param().axis();
      for (int i = axis; i < op.input_shape(0).dim_size(); ++i) run *= op.input_shape(0).dim(i);
      return {{axis == 1 ? run : e.c, axis == 1 ? run : e.c}, 0};
    }
    default:
      return {};
  }
}

}  // namespace

// Masks before a softmax have minus infinity; the reader of ONNX puts the two together.
bool is_allowed_weight(const TensorOp& op, float value) {
  using Arithmetic = ::bmnet::TGArithmeticParameter;
  if (std::isfinite(value) || is(op, Op::host)) return true;
  const auto operation = op.tg_arithmetic_param().operation();
  if (is(op, Op::softmax)) return value < 0;
  if (!is(op, Op::arithmetic)) return false;
  if (operation == Arithmetic::SUB) return value > 0;
  return value < 0 && (operation == Arithmetic::ADD || operation == Arithmetic::KEEP ||
                       operation == Arithmetic::DROP);
}

namespace {

// Constants of an operator of the host have any shape.
Status check_host_blobs(const TensorOp& op, std::span<const Blob> blobs) {
  const auto wrong = [&](std::string what) {
    return Error(errors::net_blob_shape)
        .in("layer " + op.name() + " (" + op.type() + ")")
        .argument("blobs", std::move(what))
        .detail("one for each constant input, with the values of its shape");
  };
  if (static_cast<int>(blobs.size()) != op.tg_host_param().constant_size())
    return wrong(std::to_string(blobs.size()));
  for (const Blob& blob : blobs) {
    int64_t values = 1;
    for (const int64_t extent : blob.shape) values *= extent;
    if (values != static_cast<int64_t>(blob.data.size()))
      return wrong(fmt::format("{} values", blob.data.size()));
  }
  return {};
}

}  // namespace

Status check_blobs(const TensorOp& op, std::span<const Blob> blobs) {
  if (is(op, Op::host)) return check_host_blobs(op, blobs);
  const WantedBlobs wanted = wanted_blobs(op);
  const auto where = "layer " + op.name() + " (" + op.type() + ")";
  if (blobs.size() > wanted.values.size() || blobs.size() < wanted.least)
    return Error(blobs.size() < wanted.least ? errors::net_missing_blob : errors::net_blob_shape)
        .in(where)
        .argument("blobs", std::to_string(blobs.size()))
        .detail(fmt::format("the layer has {}", wanted.values.size()));
  for (size_t i = 0; i < blobs.size(); ++i) {
    const auto& data = blobs[i].data;
    if (static_cast<int64_t>(data.size()) != wanted.values[i])
      return Error(errors::net_blob_shape)
          .in(where)
          .argument(fmt::format("blob {}", i), fmt::format("{} values", data.size()))
          .detail(fmt::format("the layer wants {}", wanted.values[i]));
    const auto wrong =
        std::ranges::find_if(data, [&](float v) { return !is_allowed_weight(op, v); });
    if (wrong != data.end())
      return Error(errors::net_blob_value)
          .in(where)
          .argument(fmt::format("blob {}, value {}", i, wrong - data.begin()),
                    fmt::format("{}", *wrong));
  }
  return {};
}

}  // namespace tputwin::net
