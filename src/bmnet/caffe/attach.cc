// Caffe's CopyTrainedLayersFrom and ShareWeights, on messages.
#include "bmnet/caffe/attach.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {
namespace {

using Layer = caffe::LayerParameter;

bool has_old_extents(const caffe::BlobProto& blob) {
  return blob.has_num() || blob.has_channels() || blob.has_height() || blob.has_width();
}

std::vector<int64_t> extents_of(const caffe::BlobProto& blob) {
  if (has_old_extents(blob)) return {blob.num(), blob.channels(), blob.height(), blob.width()};
  return {blob.shape().dim().begin(), blob.shape().dim().end()};
}

// Blob `index` of a layer, shared with others by `param[index].name`.
struct Sharer {
  Layer* layer;
  int index;
  // Order in the file of the layer with this name; -1 if there is none.
  int file_order;

  bool permits_other_shapes() const {
    return layer->param(index).share_mode() == caffe::ParamSpec::PERMISSIVE;
  }
  // Returns the layer's own blob in the file; nullptr if it has none.
  const caffe::BlobProto* own() const {
    return file_order >= 0 && index < layer->blobs_size() ? &layer->blobs(index) : nullptr;
  }
};

Error differs(const Sharer& sharer, const caffe::BlobProto& blob, const Sharer& owner,
              const caffe::BlobProto& owners) {
  return Error(errors::net_blob_shape)
      .in("layer " + sharer.layer->name() + " (" + sharer.layer->type() + ")")
      .argument("blob " + std::to_string(sharer.index), describe_blob(blob))
      .detail("param name \"" + sharer.layer->param(sharer.index).name() +
              "\" shares it with layer " + owner.layer->name() + ", where it is " +
              describe_blob(owners) +
              "; shared blobs have one shape, or with share_mode PERMISSIVE as many values");
}

// Limit for the values of all copies of shared blobs. Without it, a file of some megabytes could
// demand terabytes.
constexpr int64_t kMostShared = int64_t{1} << 29;

Status check_copies(const Sharer& sharer, const caffe::BlobProto& blob, size_t copies,
                    int64_t& all) {
  all += static_cast<int64_t>(copies) * blob.data_size();
  if (all <= kMostShared) return {};
  return Error(errors::net_blob_shape)
      .in("layer " + sharer.layer->name() + " (" + sharer.layer->type() + ")")
      .argument("param name", sharer.layer->param(sharer.index).name())
      .detail("shared by " + std::to_string(copies) + " blobs of " +
              std::to_string(blob.data_size()) + " values; all that are shared have at most 2^29");
}

// The first sharer is the owner. The other shapes must equal its shape. All sharers get the values
// of the sharer that is last in the file.
Status share(std::vector<Sharer>& sharers, int64_t& all) {
  const Sharer& owner = sharers.front();
  const caffe::BlobProto* owners = owner.own();
  const Sharer* last = nullptr;
  for (const Sharer& sharer : sharers) {
    const caffe::BlobProto* own = sharer.own();
    if (own == nullptr) continue;
    if (last == nullptr || sharer.file_order >= last->file_order) last = &sharer;
    if (owners == nullptr) continue;
    const bool same = sharer.permits_other_shapes() ? own->data_size() == owners->data_size()
                                                    : extents_of(*own) == extents_of(*owners);
    if (!same) return differs(sharer, *own, owner, *owners);
  }
  if (last == nullptr) return {};
  TW_RETURN_IF_ERROR(check_copies(*last, *last->own(), sharers.size(), all));
  const caffe::BlobProto values = *last->own();
  for (const Sharer& sharer : sharers) {
    if (&sharer == last) continue;
    if (sharer.own() != nullptr) {
      *sharer.layer->mutable_blobs(sharer.index)->mutable_data() = values.data();
      continue;
    }
    while (sharer.layer->blobs_size() <= sharer.index) sharer.layer->add_blobs();
    caffe::BlobProto& blob = *sharer.layer->mutable_blobs(sharer.index);
    blob = owners != nullptr ? *owners : values;
    *blob.mutable_data() = values.data();
    blob.set_any_shape(sharer.permits_other_shapes() ||
                       (owners == nullptr && last->permits_other_shapes()));
  }
  return {};
}

}  // namespace

Status attach_weights(caffe::NetParameter& graph, caffe::NetParameter file) {
  std::map<std::string, int> by_name;
  for (int i = 0; i < graph.layer_size(); ++i) by_name.emplace(graph.layer(i).name(), i);
  std::vector<int> order(static_cast<size_t>(graph.layer_size()), -1);
  for (int i = 0; i < file.layer_size(); ++i) {
    const auto found = by_name.find(file.layer(i).name());
    if (found == by_name.end()) continue;
    Layer& layer = *graph.mutable_layer(found->second);
    if (file.layer(i).on_host()) layer.set_on_host(true);
    if (file.layer(i).blobs().empty()) continue;
    layer.mutable_blobs()->Swap(file.mutable_layer(i)->mutable_blobs());
    order[static_cast<size_t>(found->second)] = i;
  }
  std::map<std::string, std::vector<Sharer>> shared;
  for (int i = 0; i < graph.layer_size(); ++i) {
    Layer& layer = *graph.mutable_layer(i);
    for (int p = 0; p < layer.param_size(); ++p)
      if (!layer.param(p).name().empty())
        shared[layer.param(p).name()].push_back({&layer, p, order[static_cast<size_t>(i)]});
  }
  int64_t all = 0;
  for (auto& [name, sharers] : shared) TW_RETURN_IF_ERROR(share(sharers, all));
  for (auto& [name, sharers] : shared)
    for (const Sharer& sharer : sharers) {
      sharer.layer->mutable_param(sharer.index)->clear_name();
      sharer.layer->mutable_param(sharer.index)->clear_share_mode();
    }
  return {};
}

caffe::NetParameter take_weights(caffe::NetParameter& net) {
  caffe::NetParameter weights;
  for (Layer& layer : *net.mutable_layer()) {
    if (layer.blobs().empty() && !layer.on_host()) continue;
    Layer& taken = *weights.add_layer();
    taken.set_name(layer.name());
    taken.mutable_blobs()->Swap(layer.mutable_blobs());
    if (layer.on_host()) taken.set_on_host(true);
  }
  return weights;
}

void make_names_unique(caffe::NetParameter& net) {
  std::set<std::string> all, taken;
  std::map<std::string, int> last;  // last number given to a name
  for (const Layer& layer : net.layer()) all.insert(layer.name());
  for (Layer& layer : *net.mutable_layer()) {
    std::string name = layer.name();
    if (name.empty()) name = layer.top().empty() ? layer.type() : layer.top(0);
    const std::string stem = name;
    int& number = last.try_emplace(stem, 1).first->second;
    bool is_free = !taken.contains(name) && (!layer.name().empty() || !all.contains(name));
    while (!is_free) {
      name = stem + "/" + std::to_string(++number);
      is_free = !taken.contains(name) && !all.contains(name);
    }
    taken.insert(name);
    layer.set_name(name);
  }
}

bool fits(const caffe::BlobProto& blob, const std::vector<int64_t>& dims) {
  std::vector<int64_t> wanted = dims;
  if (blob.any_shape()) return true;
  if (has_old_extents(blob)) {
    if (wanted.size() > 4) return false;
    wanted.insert(wanted.begin(), 4 - wanted.size(), 1);
  }
  return extents_of(blob) == wanted;
}

std::string describe_blob(const caffe::BlobProto& blob) {
  return describe(make_shape(extents_of(blob)));
}

}  // namespace tputwin::net
