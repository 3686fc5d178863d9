// Random weights that keep activations in range: from layer to layer the mean square of the values
// is estimated, and a layer's weights are as large as its inputs ask for.
#include <cmath>
#include <map>
#include <set>

#include "bmnet/caffe/import.h"
#include "classics/classics.h"

namespace tputwin::models {
namespace {

using net::TensorOp;

// Bell-shaped numbers of mean 0 and deviation 1, the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  float normal() {
    const uint64_t bits = next();
    uint32_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<uint16_t>(bits >> (16 * i));
    return (static_cast<float>(sum) / 65536.0F - 2.0F) * 1.7320508F;
  }
  float between(float low, float high) {
    return low + (high - low) * (static_cast<float>(next() >> 40) / 16777216.0F);
  }

 private:
  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

class Filler {
 public:
  Filler(caffe::NetParameter& caffe_net, const net::Network& network, uint64_t seed)
      : net_(caffe_net), random_(seed) {
    for (const TensorOp& op : network.ops)
      for (const std::string& bottom : op.bottom()) {
        if (op.type() == "tg_eltwise") added_.insert(bottom);
        if (op.type() == "tg_softmax") chosen_.insert(bottom);
      }
  }

  void fill(const TensorOp& op) {
    layer_ = layer(op.name());
    if (layer_ != nullptr) layer_->clear_blobs();
    squares_[op.top_size() > 0 ? op.top(0) : ""] = mean_square(op);
    for (int i = 1; i < op.top_size(); ++i) squares_[op.top(i)] = squares_[op.top(0)];
  }

 private:
  caffe::LayerParameter* layer(const std::string& name) {
    for (; next_ < net_.layer_size(); ++next_)
      if (net_.layer(next_).name() == name) return net_.mutable_layer(next_);
    next_ = 0;
    return nullptr;
  }

  template <class Draw>
  void blob(const std::vector<int64_t>& dims, const Draw& draw) {
    caffe::BlobProto& blob = *layer_->add_blobs();
    int64_t count = 1;
    for (int64_t d : dims) {
      blob.mutable_shape()->add_dim(d);
      count *= d;
    }
    blob.mutable_data()->Reserve(static_cast<int>(count));
    for (int64_t i = 0; i < count; ++i) blob.add_data(draw());
  }

  double input(const TensorOp& op, int i = 0) const {
    const auto found = squares_.find(op.bottom(i));
    return found == squares_.end() ? 1 : found->second;
  }

  // Weights that make results of variance 1 of inputs of this mean square.
  double linear(const TensorOp& op, const std::vector<int64_t>& dims, int64_t outputs,
                int64_t fan_in, bool bias) {
    // Scores differ enough for a choice among them.
    const double wanted = chosen_.contains(op.top(0)) ? 4 : 1;
    const auto deviation =
        static_cast<float>(wanted / std::sqrt(static_cast<double>(fan_in) * input(op)));
    blob(dims, [&] { return deviation * random_.normal(); });
    if (bias) blob({outputs}, [&] { return 0.1F * random_.normal(); });
    return wanted * wanted;
  }

  double convolution(const TensorOp& op) {
    const auto& p = op.tg_convolution_param();
    const int64_t in = net::extents(op.input_shape(0)).c, out = net::extents(op.output_shape(0)).c;
    const int64_t taps = int64_t{p.kernel_size(0)} * p.kernel_size(1),
                  fan_in = in / p.group() * taps;
    if (net::is_deconvolution(op)) {
      const int64_t strides = int64_t{p.stride(0)} * p.stride(1);
      return linear(op, {in, out / p.group(), p.kernel_size(0), p.kernel_size(1)}, out,
                    std::max<int64_t>(1, fan_in / strides), p.bias_term());
    }
    return linear(op, {out, in / p.group(), p.kernel_size(0), p.kernel_size(1)}, out, fan_in,
                  p.bias_term());
  }

  double inner_product(const TensorOp& op) {
    const auto& p = op.tg_inner_product_param();
    const int64_t outputs = p.num_output(),
                  inputs = net::count(op.input_shape(0)) / op.input_shape(0).dim(0);
    return linear(
        op, p.weight_transpose() ? std::vector{outputs, inputs} : std::vector{inputs, outputs},
        outputs, inputs, p.bias_term());
  }

  double batch_norm(const TensorOp& op) {
    const int64_t c = net::extents(op.input_shape(0)).c;
    const auto variance = static_cast<float>(input(op));
    blob({c}, [&] { return 0.1F * std::sqrt(variance) * random_.normal(); });
    blob({c}, [&] { return variance * random_.between(0.8F, 1.25F); });
    blob({1}, [] { return 1.0F; });
    return 1.03;
  }

  double scale(const TensorOp& op) {
    const int64_t c = net::extents(op.input_shape(0)).c;
    // Sums of many branches do not grow too fast.
    const float size = added_.contains(op.top(0)) ? 0.5F : 1.0F;
    if (layer_->type() == "Scale") blob({c}, [&] { return size * random_.between(0.8F, 1.2F); });
    if (op.tg_scale_param().bias_term()) blob({c}, [&] { return 0.1F * random_.normal(); });
    return size * size * input(op);
  }

  double sum(const TensorOp& op) const {
    double total = 0;
    for (int i = 0; i < op.bottom_size(); ++i) total += input(op, i);
    return total;
  }

  // Of the op's results; its weights are made on the way.
  double mean_square(const TensorOp& op) {
    const std::string& type = op.type();
    if (type == "start") return 1.0 / 3;  // of numbers spread evenly over [-1, 1]
    if (type == "end") return 1;
    if (type == "tg_convolution") return convolution(op);
    if (type == "tg_inner_product") return inner_product(op);
    if (type == "tg_batchnorm") return batch_norm(op);
    if (type == "tg_scale") return scale(op);
    if (type == "tg_prelu") {
      blob({op.tg_prelu_param().channel_shared() ? 1 : net::extents(op.input_shape(0)).c},
           [&] { return random_.between(0.05F, 0.4F); });
      return 0.53 * input(op);
    }
    if (type == "tg_norm") {
      blob({op.tg_norm_param().channel_shared() ? 1 : net::extents(op.input_shape(0)).c},
           [] { return 20.0F; });
      return 1;
    }
    if (type == "tg_activation" || type == "tg_clip") return 0.5 * input(op);
    if (type == "tg_pooling")
      return (op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX ? 1.6 : 0.4) *
             input(op);
    if (type == "tg_eltwise") return sum(op);
    if (type == "tg_concat") return sum(op) / op.bottom_size();
    return input(op);
  }

  caffe::NetParameter& net_;
  Random random_;
  caffe::LayerParameter* layer_ = nullptr;
  int next_ = 0;
  std::map<std::string, double> squares_;
  std::set<std::string> added_, chosen_;  // tensors that Eltwise, and that Softmax reads
};

}  // namespace

Status fill_weights(caffe::NetParameter& caffe_net, uint64_t seed) {
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(caffe_net, {.needs_weights = false}));
  Filler filler(caffe_net, network, seed);
  for (const TensorOp& op : network.ops) filler.fill(op);
  return {};
}

}  // namespace tputwin::models
