// Folding of batch normalization. At inference BatchNorm, Scale and Bias are y = factor*x + offset
// per channel. They are folded into the weights of the layer before them, or into one Scale layer.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/attach.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

using Layer = caffe::LayerParameter;

struct Affine {
  std::vector<double> factor, offset;
};

Error blob_error(const Layer& layer, ErrorId id, const char* blob, size_t values, std::string why) {
  return Error(id)
      .in("layer " + layer.name() + " (" + layer.type() + ")")
      .argument(blob, std::to_string(values) + " values")
      .detail(std::move(why));
}

// Checks that the layer has exactly these blobs, each with one axis.
Status check_blobs(const Layer& layer, std::initializer_list<const char*> names) {
  int index = 0;
  for (const char* name : names) {
    if (index >= layer.blobs_size() || layer.blobs(index).data().empty())
      return blob_error(layer, errors::net_missing_blob, name, 0,
                        "there are " + std::to_string(layer.blobs_size()) + " blobs");
    const caffe::BlobProto& blob = layer.blobs(index++);
    if (!fits(blob, {blob.data_size()}))
      return blob_error(layer, errors::net_blob_shape, name, static_cast<size_t>(blob.data_size()),
                        "of shape " + describe_blob(blob) + "; the layer wants one axis");
  }
  if (layer.blobs_size() == index) return {};
  return blob_error(layer, errors::net_blob_shape, "blobs", 0,
                    "there are " + std::to_string(layer.blobs_size()) + ", and the layer has " +
                        std::to_string(index));
}

// ---- Factor and offset of a layer ----

Result<Affine> batch_norm(const Layer& layer) {
  TW_RETURN_IF_ERROR(check_blobs(layer, {"mean", "variance", "factor"}));
  const auto &mean = layer.blobs(0).data(), &variance = layer.blobs(1).data();
  if (mean.empty() || mean.size() != variance.size())
    return blob_error(layer, errors::net_blob_shape, "variance",
                      static_cast<size_t>(variance.size()),
                      "mean has " + std::to_string(mean.size()));
  if (layer.blobs(2).data_size() != 1)
    return blob_error(layer, errors::net_blob_shape, "factor",
                      static_cast<size_t>(layer.blobs(2).data_size()), "one is wanted");
  const double sum = layer.blobs(2).data(0), norm = sum == 0 ? 0 : 1 / sum;
  const double eps = layer.batch_norm_param().eps();
  Affine result;
  for (int i = 0; i < mean.size(); ++i) {
    const double factor = 1 / std::sqrt(variance.Get(i) * norm + eps);
    result.factor.push_back(factor);
    result.offset.push_back(-mean.Get(i) * norm * factor);
  }
  if (std::all_of(result.factor.begin(), result.factor.end(),
                  [](double v) { return std::isfinite(v); }))
    return result;
  return blob_error(layer, errors::net_blob_value, "variance", static_cast<size_t>(variance.size()),
                    "variance + eps is positive");
}

std::vector<double> to_double(const caffe::BlobProto& blob) {
  return {blob.data().begin(), blob.data().end()};
}

Result<Affine> scale(const Layer& layer) {
  const bool bias = layer.scale_param().bias_term();
  TW_RETURN_IF_ERROR(bias ? check_blobs(layer, {"scale", "bias"}) : check_blobs(layer, {"scale"}));
  Affine result{to_double(layer.blobs(0)), {}};
  result.offset.resize(result.factor.size());
  if (bias) result.offset = to_double(layer.blobs(1));
  if (result.factor.size() == result.offset.size()) return result;
  return blob_error(layer, errors::net_blob_shape, "bias", result.offset.size(),
                    "scale has " + std::to_string(result.factor.size()));
}

Result<Affine> bias(const Layer& layer) {
  TW_RETURN_IF_ERROR(check_blobs(layer, {"bias"}));
  Affine result{{}, to_double(layer.blobs(0))};
  result.factor.resize(result.offset.size(), 1);
  return result;
}

// Returns second(first(x)).
Affine then(const Affine& first, const Affine& second) {
  Affine result;
  for (size_t i = 0; i < first.factor.size(); ++i) {
    result.factor.push_back(first.factor[i] * second.factor[i]);
    result.offset.push_back(first.offset[i] * second.factor[i] + second.offset[i]);
  }
  return result;
}

bool per_channel(const Layer& layer) {
  if (layer.bottom_size() != 1 || layer.top_size() != 1) return false;
  if (layer.type() == "BatchNorm") return !has_own_statistics(layer);
  const auto& s = layer.scale_param();
  const auto& b = layer.bias_param();
  return (layer.type() == "Scale" && s.axis() == 1 && s.num_axes() == 1) ||
         (layer.type() == "Bias" && b.axis() == 1 && b.num_axes() == 1);
}

// ---- Layers to fold into ----

struct Linear {
  int64_t outputs = 0;  // 0 if the layer is not linear
  bool has_bias = false;
};

Linear linear(const Layer& layer) {
  // With another axis, the outputs may not be the channels of the factor.
  if (layer.type() == "InnerProduct" && layer.inner_product_param().axis() != 1) return {};
  if (layer.type() == "InnerProduct")
    return {layer.inner_product_param().num_output(), layer.inner_product_param().bias_term()};
  static const char* const kTypes[] = {"Convolution", "DepthwiseConvolution",
                                       "ConvolutionDepthwise", "Deconvolution"};
  if (std::find(std::begin(kTypes), std::end(kTypes), layer.type()) == std::end(kTypes)) return {};
  return {layer.convolution_param().num_output(), layer.convolution_param().bias_term()};
}

// Maps each weight to its output channel, in the blob's order.
struct Channels {
  int64_t outer = 1, group_outputs = 1, inner = 1;  // blob as (outer, group_outputs, inner)
  int64_t per_group = 1;                            // part of `outer` that is one group

  int64_t of(int64_t o, int64_t c) const { return o / per_group * group_outputs + c; }
};

std::optional<Channels> channels(const Layer& layer, int64_t outputs, int64_t weights) {
  Channels result;
  if (layer.type() == "Deconvolution") {
    const auto& p = layer.convolution_param();
    Dims taps = {p.kernel_h(), p.kernel_w()};
    if (!p.has_kernel_h() && !p.has_kernel_w() && p.kernel_size_size() > 0)
      taps = {p.kernel_size(0), p.kernel_size(p.kernel_size_size() - 1)};
    const int64_t group = std::max<int64_t>(1, p.group());
    result.group_outputs = outputs / group;
    result.inner = volume(taps);
    const int64_t block = volume({result.group_outputs, taps[0], taps[1]});
    if (block < 1 || weights % block != 0 || weights / block % group != 0) return std::nullopt;
    result.outer = weights / block;
    result.per_group = result.outer / group;
  } else if (layer.type() == "InnerProduct" && layer.inner_product_param().transpose()) {
    result.group_outputs = outputs;
    result.outer = result.per_group = weights / outputs;
  } else {
    result.group_outputs = outputs;
    result.inner = weights / outputs;
  }
  if (result.outer * result.group_outputs * result.inner != weights) return std::nullopt;
  return result;
}

Status fold_into(Layer& layer, const Affine& affine) {
  const Linear kind = linear(layer);
  const auto outputs = static_cast<size_t>(kind.outputs);
  if (layer.blobs_size() < (kind.has_bias ? 2 : 1))
    return blob_error(layer, errors::net_missing_blob, kind.has_bias ? "bias" : "weight", 0, "");
  auto& weight = *layer.mutable_blobs(0)->mutable_data();
  const auto where = channels(layer, kind.outputs, weight.size());
  if (!where || weight.empty())
    return blob_error(layer, errors::net_blob_shape, "weight", static_cast<size_t>(weight.size()),
                      "there are " + std::to_string(outputs) + " outputs");
  int at = 0;
  for (int64_t o = 0; o < where->outer; ++o)
    for (int64_t c = 0; c < where->group_outputs; ++c)
      for (int64_t i = 0; i < where->inner; ++i, ++at)
        weight.Set(at, static_cast<float>(weight.Get(at) *
                                          affine.factor[static_cast<size_t>(where->of(o, c))]));
  if (layer.blobs_size() > (kind.has_bias ? 2 : 1))
    return blob_error(layer, errors::net_blob_shape, "blobs", 0,
                      "there are " + std::to_string(layer.blobs_size()) + ", and the layer has " +
                          (kind.has_bias ? "2" : "1"));
  if (!kind.has_bias) {
    caffe::BlobProto& blob = *layer.add_blobs();
    blob.mutable_shape()->add_dim(kind.outputs);
    blob.mutable_data()->Resize(static_cast<int>(outputs), 0.0F);
    if (layer.type() == "InnerProduct")
      layer.mutable_inner_product_param()->set_bias_term(true);
    else
      layer.mutable_convolution_param()->set_bias_term(true);
  }
  auto& bias = *layer.mutable_blobs(1)->mutable_data();
  if (static_cast<size_t>(bias.size()) != outputs)
    return blob_error(layer, errors::net_blob_shape, "bias", static_cast<size_t>(bias.size()),
                      "there are " + std::to_string(outputs) + " outputs");
  for (size_t c = 0; c < outputs; ++c) {
    const int i = static_cast<int>(c);
    bias.Set(i, static_cast<float>(bias.Get(i) * affine.factor[c] + affine.offset[c]));
  }
  return {};
}

void become_scale(Layer& layer, const Affine& affine) {
  layer.set_type("Scale");
  layer.clear_batch_norm_param();
  layer.clear_bias_param();
  layer.clear_param();
  layer.clear_scale_param();
  layer.mutable_scale_param()->set_bias_term(true);
  layer.clear_blobs();
  for (const auto* values : {&affine.factor, &affine.offset}) {
    caffe::BlobProto& blob = *layer.add_blobs();
    blob.mutable_shape()->add_dim(static_cast<int64_t>(values->size()));
    for (double v : *values) blob.add_data(static_cast<float>(v));
  }
}

// ---- The graph ----

class Folder {
 public:
  explicit Folder(caffe::NetParameter net) : net_(std::move(net)) {}

  Result<caffe::NetParameter> run() {
    link();
    gone_.resize(static_cast<size_t>(net_.layer_size()));
    for (int i = 0; i < net_.layer_size(); ++i)
      if (per_channel(net_.layer(i))) fold(i);
    if (!problems_.empty()) return combine(problems_);
    google::protobuf::RepeatedPtrField<Layer> kept;
    for (int i = 0; i < net_.layer_size(); ++i)
      if (!gone_[static_cast<size_t>(i)]) kept.Add()->Swap(net_.mutable_layer(i));
    net_.mutable_layer()->Swap(&kept);
    return std::move(net_);
  }

 private:
  // Finds the layer that produces each bottom, and the number of readers of each top.
  void link() {
    std::map<std::string, int> producer;
    for (int i = 0; i < net_.layer_size(); ++i) {
      const Layer& layer = net_.layer(i);
      for (const std::string& bottom : layer.bottom()) {
        const auto found = producer.find(bottom);
        if (found == producer.end()) continue;
        source_[{i, bottom}] = found->second;
        ++uses_[{found->second, bottom}];
      }
      for (const std::string& top : layer.top()) producer[top] = i;
    }
  }

  Result<Affine> affine_of(const Layer& layer) {
    if (layer.type() == "BatchNorm") return batch_norm(layer);
    return layer.type() == "Scale" ? scale(layer) : bias(layer);
  }

  void fail(const Error& error) { problems_.push_back(error); }

  void fold(int index) {
    Layer& layer = *net_.mutable_layer(index);
    auto affine = affine_of(layer);
    if (!affine.ok()) return fail(affine.error());
    const int before = taker(index, affine->factor.size());
    if (before < 0) {
      // The int8 net needs factors for a Bias, too, and a Scale has them.
      if (layer.type() != "Scale") become_scale(layer, *affine);
      return;
    }
    Layer& target = *net_.mutable_layer(before);
    if (linear(target).outputs > 0) {
      if (Status status = fold_into(target, *affine); !status.ok()) return fail(status.error());
    } else {
      auto first = affine_of(target);
      if (!first.ok()) return;  // reported already
      become_scale(target, then(*first, *affine));
    }
    fuse(before, index);
  }

  // Returns the earlier layer that the affine function of layer `index` can be folded into; -1 if
  // there is none. Its result must have no other reader.
  int taker(int index, size_t values) {
    const Layer& layer = net_.layer(index);
    const auto source = source_.find({index, layer.bottom(0)});
    if (source == source_.end()) return -1;
    int before = source->second;
    std::string top = layer.bottom(0);
    if (uses_[{before, top}] != 1) return -1;
    const auto moved = fused_.find(before);
    if (moved != fused_.end()) before = moved->second;
    const Layer& target = net_.layer(before);
    if (target.top_size() != 1 || name_is_used(before, index, layer.top(0), top)) return -1;
    const Linear kind = linear(target);
    if (kind.outputs > 0) return static_cast<size_t>(kind.outputs) == values ? before : -1;
    if (!per_channel(target)) return -1;
    auto first = affine_of(target);
    return first.ok() && first->factor.size() == values ? before : -1;
  }

  // Returns true if layers in between use the name that the earlier layer would get.
  bool name_is_used(int before, int index, const std::string& name, const std::string& old) const {
    if (name == old) return false;
    for (int i = before + 1; i < index; ++i) {
      const Layer& layer = net_.layer(i);
      if (gone_[static_cast<size_t>(i)]) continue;
      if (std::find(layer.top().begin(), layer.top().end(), name) != layer.top().end() ||
          std::find(layer.bottom().begin(), layer.bottom().end(), name) != layer.bottom().end())
        return true;
    }
    return false;
  }

  void fuse(int before, int index) {
    net_.mutable_layer(before)->set_top(0, net_.layer(index).top(0));
    gone_[static_cast<size_t>(index)] = true;
    fused_[index] = before;
  }

  caffe::NetParameter net_;
  std::map<std::pair<int, std::string>, int> source_, uses_;
  std::map<int, int> fused_;  // maps a folded layer to its new layer
  std::vector<bool> gone_;
  std::vector<Error> problems_;
};

}  // namespace

Result<caffe::NetParameter> fold_batch_norm(caffe::NetParameter net) {
  TW_RETURN_IF_ERROR(upgrade(net));
  return Folder(std::move(net)).run();
}

}  // namespace tputwin::net
