// Passes after the import of nodes: fold scales and pads into neighbouring layers, and derive
// thresholds between those of the file.
#include <cmath>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using Ops = std::vector<TensorOp>;

size_t readers(const Ops& ops, const std::string& tensor) {
  size_t count = 0;
  for (const TensorOp& op : ops) count += std::ranges::count(op.bottom(), tensor);
  return count;
}

TensorOp* maker(Ops& ops, const std::string& tensor) {
  for (TensorOp& op : ops)
    if (op.top_size() == 1 && op.top(0) == tensor) return &op;
  return nullptr;
}

bool takes_scale(const TensorOp& op) {
  return is(op, Op::convolution) || is(op, Op::inner_product) || is(op, Op::scale);
}

// Returns the output channel of weight `i` of a layer.
int64_t channel_of(const TensorOp& op, const Blob& weight, int64_t i) {
  const auto values = static_cast<int64_t>(weight.data.size());
  const int64_t outputs = extents(op.output_shape(0)).c;
  if (!is_deconvolution(op)) return i / (values / outputs);
  const int64_t group = op.tg_convolution_param().group(), inputs = extents(op.input_shape(0)).c;
  const int64_t in_group = outputs / group, taps = values / inputs / in_group;
  return i / taps / in_group / (inputs / group) * in_group + i / taps % in_group;
}

void set_bias_term(TensorOp& op) {
  if (is(op, Op::convolution)) op.mutable_tg_convolution_param()->set_bias_term(true);
  if (is(op, Op::inner_product)) op.mutable_tg_inner_product_param()->set_bias_term(true);
  if (is(op, Op::scale)) op.mutable_tg_scale_param()->set_bias_term(true);
}

void take_scale(TensorOp& op, std::vector<Blob>& blobs, const std::vector<Blob>& scale) {
  const auto channels = scale[0].data.size();
  if (blobs.size() < 2) {
    blobs.push_back({{static_cast<int64_t>(channels)}, std::vector<float>(channels)});
    set_bias_term(op);
  }
  for (size_t i = 0; i < blobs[0].data.size(); ++i)
    blobs[0].data[i] *=
        scale[0].data[static_cast<size_t>(channel_of(op, blobs[0], static_cast<int64_t>(i)))];
  for (size_t c = 0; c < channels; ++c)
    blobs[1].data[c] =
        blobs[1].data[c] * scale[0].data[c] + (scale.size() > 1 ? scale[1].data[c] : 0.0f);
}

// Removes the op at `index`. The layer before it now produces the result.
void replace_result(Graph& graph, size_t index, TensorOp& before) {
  Ops& ops = graph.network.ops;
  graph.thresholds.erase(before.top(0));
  before.set_top(0, ops[index].top(0));
  graph.network.blobs.erase(ops[index].name());
  ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(index));
}

bool is_zero_pad(const TensorOp& op, const Network& network) {
  if (!is(op, Op::convolution) || !is_depthwise(op) || op.tg_convolution_param().bias_term())
    return false;
  const Window2d w = convolution_window(op);
  const auto& weight = network.blobs.at(op.name())[0].data;
  return w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 && w.ins_h == 0 &&
         w.ins_w == 0 && std::ranges::all_of(weight, [](float v) { return v == 1; });
}

}  // namespace

void fold_scales(Graph& graph) {
  Ops& ops = graph.network.ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is(ops[i], Op::scale)) continue;
    TensorOp* before = maker(ops, ops[i].bottom(0));
    if (before == nullptr || !takes_scale(*before) || readers(ops, before->top(0)) != 1 ||
        graph.thresholds.contains(before->top(0)))
      continue;
    auto& blobs = graph.network.blobs.at(before->name());
    const auto& scale = graph.network.blobs.at(ops[i].name());
    if (dims(before->output_shape(0)) != dims(ops[i].output_shape(0)) ||
        static_cast<int64_t>(scale[0].data.size()) != extents(before->output_shape(0)).c)
      continue;
    take_scale(*before, blobs, scale);
    replace_result(graph, i--, *before);
  }
}

void fold_pads(Graph& graph) {
  constexpr uint32_t kLargestPad = 15;
  Ops& ops = graph.network.ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is_zero_pad(ops[i], graph.network) || readers(ops, ops[i].top(0)) != 1) continue;
    const std::string padded = ops[i].top(0);
    const auto reader = std::ranges::find_if(ops, [&](const TensorOp& op) {
      return std::ranges::find(op.bottom(), padded) != op.bottom().end();
    });
    if (reader == ops.end() || !is(*reader, Op::convolution) || is_deconvolution(*reader)) continue;
    auto& pad = *reader->mutable_tg_convolution_param()->mutable_pad();
    const auto& more = ops[i].tg_convolution_param().pad();
    bool fits = true;
    for (int k = 0; k < 4; ++k) fits = fits && pad.Get(k) + more.Get(k) <= kLargestPad;
    if (!fits) continue;
    for (int k = 0; k < 4; ++k) pad.Set(k, pad.Get(k) + more.Get(k));
    reader->set_bottom(0, ops[i].bottom(0));
    *reader->mutable_input_shape(0) = ops[i].input_shape(0);
    graph.network.blobs.erase(ops[i].name());
    graph.thresholds.erase(padded);
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

namespace {

bool is_pooling(const TensorOp& op, ::bmnet::TGPoolingParameter::PoolMethod method) {
  return is(op, Op::pooling) && op.tg_pooling_param().pool() == method;
}

// Returns true if results are some of the input's values, possibly clipped. The input has the range
// of the results, or values beyond it have no effect. Means are excluded: they are much smaller
// than their operands.
bool selects(const TensorOp& op) {
  return keeps_threshold(op) || is(op, Op::clip) ||
         is_pooling(op, ::bmnet::TGPoolingParameter::MAX);
}

bool is_mean(const TensorOp& op) {
  if (is(op, Op::reduction))
    return op.tg_reduction_param().operation() == ::bmnet::TGReductionParameter::MEAN;
  return is_pooling(op, ::bmnet::TGPoolingParameter::AVE);
}

// Returns the threshold of a result of selects(), given that of its input.
float selected_threshold(const TensorOp& op, float input) {
  if (!is(op, Op::clip)) return input;
  const auto& p = op.tg_clip_param();
  const float most = std::max(std::fabs(p.min()), std::fabs(p.max()));
  return most > 0 ? std::min(input, most) : input;
}

// Returns the largest factor of an input in a result; 0 if no multiplier depends on it.
float largest_factor(const Graph& graph, const TensorOp& op) {
  float most = 0;
  if (has_trait(op, trait::weighted))
    for (float w : graph.network.blobs.at(op.name())[0].data) most = std::max(most, std::fabs(w));
  if (is(op, Op::eltwise) &&
      op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD) {
    most = 1;
    for (float c : op.tg_eltwise_param().coeff()) most = std::max(most, std::fabs(c));
  }
  return most;
}

// A multiplier exists if T_y > factor * T_x / 128. Raises thresholds that come from the Clip after
// the layer to that bound; the Clip rescales.
void raise_before_clips(Graph& graph, const std::set<std::string>& given) {
  for (const TensorOp& clip : graph.network.ops) {
    if (!is(clip, Op::clip) || given.contains(clip.bottom(0))) continue;
    const auto y = graph.thresholds.find(clip.bottom(0));
    const TensorOp* layer = graph.network.producer(clip.bottom(0));
    if (y == graph.thresholds.end() || layer == nullptr) continue;
    for (const std::string& bottom : layer->bottom())
      if (const auto x = graph.thresholds.find(bottom); x != graph.thresholds.end())
        y->second = std::max(y->second, largest_factor(graph, *layer) * x->second / 127);
  }
}

// Goes forward through the ops: a mean is at most as large as the largest of its values.
void spread_bounds(Graph& graph) {
  for (const TensorOp& op : graph.network.ops) {
    if (op.bottom().empty() || !(is_mean(op) || selects(op))) continue;
    const std::string& x = op.bottom(0);
    const auto known = graph.thresholds.find(x), bound = graph.threshold_bounds.find(x);
    const bool is_known = known != graph.thresholds.end();
    if (!is_known && bound == graph.threshold_bounds.end()) continue;
    const float input = is_known ? known->second : bound->second;
    for (const std::string& top : op.top())
      if (!graph.thresholds.contains(top))
        graph.threshold_bounds.emplace(top, selected_threshold(op, input));
  }
}

// Returns true if every reader of the tensor keeps or clips its values, and has this threshold.
bool all_select(const Ops& ops, const std::string& tensor, float threshold,
                const std::map<std::string, float>& known) {
  return std::ranges::all_of(ops, [&](const TensorOp& op) {
    if (std::ranges::find(op.bottom(), tensor) == op.bottom().end()) return true;
    if (op.bottom_size() != 1 || op.top_size() != 1 || !selects(op)) return false;
    const auto result = known.find(op.top(0));
    return result != known.end() && result->second == threshold;
  });
}

}  // namespace

void spread_thresholds(Graph& graph) {
  if (graph.thresholds.empty()) return;
  Ops& ops = graph.network.ops;
  auto& known = graph.thresholds;
  std::set<std::string> given;
  for (const auto& [tensor, threshold] : known) given.insert(tensor);
  // Backwards: if the only reader of a tensor keeps or clips its values, the tensor has the range
  // of the result.
  for (size_t i = ops.size(); i-- > 0;) {
    const TensorOp& op = ops[i];
    if (op.bottom_size() != 1 || op.top_size() != 1) continue;
    const auto result = known.find(op.top(0));
    if (!selects(op) || result == known.end() ||
        !all_select(ops, op.bottom(0), result->second, known))
      continue;
    const auto copied = known.find(graph.source_of_bytes(op.bottom(0)));
    const float threshold = copied != known.end() ? copied->second : result->second;
    known.emplace(op.bottom(0), threshold);
  }
  // Forwards: moves keep the threshold, and bounded functions have a known one.
  for (const TensorOp& op : ops) {
    if (op.bottom().empty()) continue;
    const auto input = known.find(op.bottom(0));
    for (const std::string& top : op.top()) {
      if (selects(op) && input != known.end())
        known.emplace(top, selected_threshold(op, input->second));
      const auto method = op.tg_activation_param().activation();
      const bool unit =
          (is(op, Op::softmax) && !op.tg_softmax_param().log()) ||
          (is(op, Op::activation) && (method == ::bmnet::SIGMOID || method == ::bmnet::TANH));
      if (unit) known.emplace(top, 1.0f);
    }
  }
  raise_before_clips(graph, given);
  spread_bounds(graph);
}

}  // namespace tputwin::net::onnx_reader
