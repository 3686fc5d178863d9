// Graph and weights together, in the test phase.
#include <algorithm>
#include <map>
#include <set>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

using RepeatedLayers = google::protobuf::RepeatedPtrField<caffe::LayerParameter>;

// ---- Phase ----

template <class Strings>
bool has(const Strings& strings, const std::string& string) {
  return std::find(strings.begin(), strings.end(), string) != strings.end();
}

// Caffe's rule: every condition that is given holds.
bool meets(const caffe::NetState& state, const caffe::NetStateRule& rule) {
  if (rule.has_phase() && rule.phase() != caffe::TEST) return false;
  if (rule.has_min_level() && state.level() < rule.min_level()) return false;
  if (rule.has_max_level() && state.level() > rule.max_level()) return false;
  for (const std::string& stage : rule.stage())
    if (!has(state.stage(), stage)) return false;
  for (const std::string& stage : rule.not_stage())
    if (has(state.stage(), stage)) return false;
  return true;
}

// `phase` of a layer is what Caffe writes into a caffemodel; it means nothing there.
bool included(const caffe::NetState& state, const caffe::LayerParameter& layer) {
  auto holds = [&](const caffe::NetStateRule& rule) { return meets(state, rule); };
  if (layer.include_size() > 0)
    return std::any_of(layer.include().begin(), layer.include().end(), holds);
  return std::none_of(layer.exclude().begin(), layer.exclude().end(), holds);
}

template <class Keep>
void filter(RepeatedLayers& layers, const Keep& keep) {
  RepeatedLayers kept;
  for (caffe::LayerParameter& layer : layers)
    if (keep(layer)) kept.Add()->Swap(&layer);
  layers.Swap(&kept);
}

// ---- Labels ----

std::set<std::string> bottoms_of(const RepeatedLayers& layers) {
  std::set<std::string> names;
  for (const caffe::LayerParameter& layer : layers)
    names.insert(layer.bottom().begin(), layer.bottom().end());
  return names;
}

// Labels that nothing uses once the losses are gone.
void drop_labels(RepeatedLayers& layers) {
  const std::set<std::string> used = bottoms_of(layers);
  for (caffe::LayerParameter& layer : layers) {
    if (layer.bottom_size() > 0) continue;
    const bool data = is_data_layer(layer.type());
    std::vector<std::string> tops;
    for (int i = 0; i < layer.top_size(); ++i)
      if (used.contains(layer.top(i)) || (layer.top(i) != "label" && !(data && i > 0)))
        tops.push_back(layer.top(i));
    layer.mutable_top()->Assign(tops.begin(), tops.end());
  }
  filter(layers, [](const auto& layer) { return layer.bottom_size() > 0 || layer.top_size() > 0; });
}

// ---- Weights ----

// Gives every layer of `graph` the blobs of the layer of that name in `weights`, by
// `take(from, to)`, which copies or moves them.
template <class Weights, class Take>
void attach(caffe::NetParameter& graph, Weights& weights, const Take& take) {
  std::map<std::string_view, int> by_name;
  for (int i = 0; i < weights.layer_size(); ++i)
    if (weights.layer(i).blobs_size() > 0) by_name.emplace(weights.layer(i).name(), i);
  for (caffe::LayerParameter& layer : *graph.mutable_layer()) {
    const auto found = by_name.find(layer.name());
    if (found != by_name.end()) take(found->second, *layer.mutable_blobs());
  }
}

Result<caffe::NetParameter> in_file(const std::string& path, Result<caffe::NetParameter> net) {
  if (net.ok()) return net;
  Error error = net.error();
  return std::move(error).in(path);
}

Result<caffe::NetParameter> read_text(const std::string& path) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  return in_file(path, read_prototxt({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

using Reader = Result<caffe::NetParameter> (*)(std::span<const uint8_t>);

Result<caffe::NetParameter> read_binary(const std::string& path, Reader read) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  return in_file(path, read(bytes));
}

// What a net in use consists of. A caffemodel is the net that was trained: the data layer of its
// training phase stays where there is no other, as the input.
caffe::NetParameter for_test(caffe::NetParameter graph) {
  const caffe::NetState state = graph.state();
  std::set<std::string> made;
  for (const caffe::LayerParameter& layer : graph.layer())
    if (included(state, layer)) made.insert(layer.top().begin(), layer.top().end());
  filter(*graph.mutable_layer(), [&](const caffe::LayerParameter& layer) {
    if (is_training_only(layer.type())) return false;
    if (included(state, layer)) return true;
    if (!is_data_layer(layer.type())) return false;
    const bool first = std::none_of(layer.top().begin(), layer.top().end(),
                                    [&](const std::string& top) { return made.contains(top); });
    made.insert(layer.top().begin(), layer.top().end());
    return first;
  });
  for (caffe::LayerParameter& layer : *graph.mutable_layer()) {
    layer.clear_include();
    layer.clear_exclude();
    layer.clear_phase();
  }
  drop_labels(*graph.mutable_layer());
  return graph;
}

}  // namespace

Result<caffe::NetParameter> merge_caffe(caffe::NetParameter graph,
                                        const caffe::NetParameter& weights) {
  TW_RETURN_IF_ERROR(upgrade(graph));
  graph = for_test(std::move(graph));
  attach(graph, weights, [&](int i, auto& blobs) { blobs = weights.layer(i).blobs(); });
  return graph;
}

Result<caffe::NetParameter> load_caffe(const std::string& prototxt, const std::string& caffemodel) {
  if (prototxt.empty() && caffemodel.empty())
    return Error(errors::net_prototxt).in("load_caffe").detail("neither a prototxt nor a model");
  if (prototxt.empty()) {
    TW_ASSIGN_OR_RETURN(model, read_binary(caffemodel, read_caffemodel));
    return merge_caffe(std::move(model), {});
  }
  auto text = read_text(prototxt);
  if (!text.ok() && !caffemodel.empty() && read_binary(prototxt, read_caffemodel).ok() &&
      read_text(caffemodel).ok())
    return Error(text.error()).detail("the prototxt is a caffemodel and the caffemodel a prototxt");
  TW_ASSIGN_OR_RETURN(graph, std::move(text));
  if (caffemodel.empty()) return merge_caffe(std::move(graph), {});
  TW_ASSIGN_OR_RETURN(weights, read_binary(caffemodel, read_weights));
  TW_ASSIGN_OR_RETURN(merged, merge_caffe(std::move(graph), {}));
  attach(merged, weights,
         [&](int i, auto& blobs) { blobs.Swap(weights.mutable_layer(i)->mutable_blobs()); });
  return merged;
}

}  // namespace tputwin::net
