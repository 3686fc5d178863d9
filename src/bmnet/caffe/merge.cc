// Merging of graph and weights, for the test phase.
#include <algorithm>
#include <set>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/attach.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/upgrade.h"
#include "bmodel/file_kind.h"

namespace tputwin::net {
namespace {

using RepeatedLayers = google::protobuf::RepeatedPtrField<caffe::LayerParameter>;

// ---- Phase ----

template <class Strings>
bool has(const Strings& strings, const std::string& string) {
  return std::find(strings.begin(), strings.end(), string) != strings.end();
}

// Caffe's rule: all given conditions must hold.
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

// Caffe writes `phase` of a layer into a caffemodel; it has no meaning there.
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

// Keeps the elements `kept` of a list with one element per top. Other lists do not change: a list
// of one is for all tops, and the importer refuses other lengths.
template <class List>
void keep_elements(List& list, const std::vector<int>& kept, int tops) {
  if (list.size() != tops) return;
  List result;
  for (int i : kept) *result.Add() = list.Get(i);
  list.Swap(&result);
}

// Removes the shapes of removed tops from an input layer.
void keep_shapes(caffe::LayerParameter& layer, const std::vector<int>& kept) {
  const int tops = layer.top_size();
  if (layer.has_input_param())
    keep_elements(*layer.mutable_input_param()->mutable_shape(), kept, tops);
  if (layer.has_multi_input_param())
    keep_elements(*layer.mutable_multi_input_param()->mutable_shape(), kept, tops);
  if (!layer.has_dummy_data_param()) return;
  caffe::DummyDataParameter& dummy = *layer.mutable_dummy_data_param();
  keep_elements(*dummy.mutable_shape(), kept, tops);
  keep_elements(*dummy.mutable_data_filler(), kept, tops);
  for (auto* list : {dummy.mutable_num(), dummy.mutable_channels(), dummy.mutable_height(),
                     dummy.mutable_width()})
    keep_elements(*list, kept, tops);
}

// Removes labels that have no readers without the losses, and their shapes.
void drop_labels(RepeatedLayers& layers) {
  const std::set<std::string> used = bottoms_of(layers);
  for (caffe::LayerParameter& layer : layers) {
    if (layer.bottom_size() > 0) continue;
    const bool data = is_data_layer(layer.type());
    std::vector<std::string> tops;
    std::vector<int> kept;
    for (int i = 0; i < layer.top_size(); ++i) {
      if (!used.contains(layer.top(i)) && (layer.top(i) == "label" || (data && i > 0))) continue;
      tops.push_back(layer.top(i));
      kept.push_back(i);
    }
    if (tops.size() == static_cast<size_t>(layer.top_size())) continue;
    keep_shapes(layer, kept);
    layer.mutable_top()->Assign(tops.begin(), tops.end());
  }
  filter(layers, [](const auto& layer) { return layer.bottom_size() > 0 || layer.top_size() > 0; });
}

// ---- Files ----

// Returns the result of reading a file. An error names the file, and its kind if that is not the
// expected one.
Result<caffe::NetParameter> in_file(const std::string& path, std::span<const uint8_t> bytes,
                                    bmodel::Expected expected, Result<caffe::NetParameter> net) {
  if (net.ok()) return net;
  const ErrorId id = net.error().id();
  Error error = Error(net.error()).in(path);
  const bool is_form = id == errors::net_prototxt || id == errors::net_caffemodel;
  return is_form ? bmodel::about_file(std::move(error), bytes, "", expected) : error;
}

Result<caffe::NetParameter> read_text(const std::string& path) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  return in_file(path, bytes, bmodel::Expected::prototxt,
                 read_prototxt({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

using Reader = Result<caffe::NetParameter> (*)(std::span<const uint8_t>);

Result<caffe::NetParameter> read_binary(const std::string& path, Reader read) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  return in_file(path, bytes, bmodel::Expected::caffemodel, read(bytes));
}

// Reduces the graph to the layers of a net in use. A caffemodel is the trained net: the data layer
// of its training phase stays as the input if there is no other.
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
    // True is the default. Written in binary form it would be Caffe's round_mode FLOOR.
    if (layer.has_pooling_param() && layer.pooling_param().ceil_mode())
      layer.mutable_pooling_param()->clear_ceil_mode();
  }
  drop_labels(*graph.mutable_layer());
  return graph;
}

}  // namespace

bool is_needed(const caffe::NetState& state, const caffe::LayerParameter& layer) {
  return included(state, layer) && !is_training_only(layer.type()) && !is_data_layer(layer.type());
}

Result<caffe::NetParameter> merge_caffe(caffe::NetParameter graph, caffe::NetParameter weights) {
  TW_RETURN_IF_ERROR(upgrade(graph));
  TW_RETURN_IF_ERROR(upgrade(weights));
  // Blobs in the graph's own file are used if the weights have none.
  caffe::NetParameter file = take_weights(graph);
  for (caffe::LayerParameter& layer : *weights.mutable_layer())
    if (!layer.blobs().empty()) file.add_layer()->Swap(&layer);
  graph = for_test(std::move(graph));
  TW_RETURN_IF_ERROR(attach_weights(graph, std::move(file)));
  make_names_unique(graph);
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
  if (!text.ok() && !caffemodel.empty() && read_binary(prototxt, read_weights).ok() &&
      read_text(caffemodel).ok())
    return Error(text.error()).detail("the prototxt is a caffemodel and the caffemodel a prototxt");
  TW_ASSIGN_OR_RETURN(graph, std::move(text));
  if (caffemodel.empty()) return merge_caffe(std::move(graph), {});
  TW_ASSIGN_OR_RETURN(weights, read_binary(caffemodel, read_weights));
  return merge_caffe(std::move(graph), std::move(weights));
}

}  // namespace tputwin::net
