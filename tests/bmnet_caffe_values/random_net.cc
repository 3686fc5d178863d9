// Builds a net layer by layer: each layer is drawn, run by Caffe's semantics, and kept if its
// values are useful.
#include "bmnet_caffe_values/random_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tputwin::net::testing {
namespace {

constexpr int64_t kMostElements = 4000;

// Returns true if the values are finite, not all zeros, and in a range that int8 can represent.
bool is_useful(const Tensor& t) {
  if (t.axes() > 4 || t.count() < 1 || t.count() > kMostElements) return false;
  float largest = 0;
  for (float v : t.data) {
    if (!std::isfinite(v)) return false;
    largest = std::max(largest, std::fabs(v));
  }
  return largest > 0.02F && largest < 200;
}

}  // namespace

NetBuilder::NetBuilder(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15U + 1) {
  net_.seed = seed;
}

// Does not use the distributions of the standard library, whose implementations differ.
int64_t NetBuilder::between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
}
bool NetBuilder::chance(double probability) {
  return static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
}
float NetBuilder::real(float low, float high) {
  return low + static_cast<float>(random_() >> 40) * 0x1p-24F * (high - low);
}

Floats NetBuilder::weights(const Shape& shape, float low, float high) {
  Floats values(static_cast<size_t>(Tensor(shape).count()));
  for (float& v : values) v = real(low, high);
  return values;
}

std::string NetBuilder::axis_text(const std::string& name, int64_t axis, int64_t axes,
                                  int64_t otherwise) {
  if (axis == otherwise && chance(0.5)) return "";
  return fmt::format(" {}: {}", name, chance(0.4) ? axis - axes : axis);
}

// Prefers later blobs.
std::string NetBuilder::any_blob() {
  const auto last = static_cast<int64_t>(blobs_.size()) - 1;
  return blobs_[static_cast<size_t>(std::max(between(0, last), between(0, last)))];
}

std::string NetBuilder::blob_like(const std::string& blob, int64_t axis) {
  std::vector<std::string> like;
  for (const std::string& other : blobs_) {
    Shape shape = tensors_.at(other).shape;
    const Shape& wanted = tensors_.at(blob).shape;
    if (shape.size() != wanted.size()) continue;
    if (axis >= 0) shape[static_cast<size_t>(axis)] = wanted[static_cast<size_t>(axis)];
    if (shape == wanted) like.push_back(other);
  }
  return one_of(like);
}

void NetBuilder::add_input(const std::string& name, const Shape& shape) {
  net_.text += input_text(name, shape);
  caffe::LayerParameter& layer = *net_.right.add_layer();
  layer.set_name(name);
  layer.set_type("Input");
  layer.add_top(name);
  for (int64_t extent : shape) {
    if (layer.input_param().shape().empty()) layer.mutable_input_param()->add_shape();
    layer.mutable_input_param()->mutable_shape(0)->add_dim(extent);
  }
  Tensor tensor(shape);
  for (float& v : tensor.data) v = real(-1.5F, 1.5F);
  net_.inputs[name] = tensor.data;
  tensors_[name] = std::move(tensor);
  blobs_.push_back(name);
}

// Several layers without weights may have the same name.
std::string NetBuilder::name_of(const Draft& draft) {
  return draft.blobs.empty() && chance(0.1) ? "same" : fmt::format("l{}", layers_);
}

// Gives blobs names. Some names are those of earlier blobs, which share their values: the last blob
// in the file counts, and one of the two may be missing.
std::string NetBuilder::parameter_text(const Draft& draft, const std::string& name, int layer) {
  Stored stored{name, layer, true, {}, draft.blobs};
  std::string text;
  size_t joined = 0;
  const bool named = chance(0.5);
  for (size_t i = 0; named && i < draft.blobs.size(); ++i) {
    const Shape& shape = draft.blobs[i].first;
    const auto owner = std::ranges::find_if(owners_, [&](const Owner& o) {
      const bool fits = o.shape == shape || (Tensor(o.shape).count() == Tensor(shape).count() &&
                                             draft.type == "InnerProduct");
      return o.type == draft.type && o.index == i && fits && chance(0.8);
    });
    const bool joins = owner != owners_.end();
    const bool other_shape = joins && owner->shape != shape;
    stored.names.push_back(joins ? owner->name : fmt::format("w{}_{}", layer, i));
    if (joins) ++joined;
    if (!joins) owners_.push_back({stored.names.back(), draft.type, i, shape});
    text += fmt::format(" param {{ name: \"{}\"{} }}", stored.names.back(),
                        other_shape ? " share_mode: PERMISSIVE" : "");
  }
  stored.in_file = joined < draft.blobs.size() || chance(0.5);
  stored_.push_back(std::move(stored));
  return text;
}

bool NetBuilder::add_layer(const Draft& draft) {
  const std::string name = name_of(draft);
  std::vector<std::string> tops;
  for (int64_t t = 0; t < draft.tops; ++t)
    tops.push_back(draft.in_place ? draft.bottoms[0] : fmt::format("b{}_{}", layers_, t));
  std::string text = fmt::format("layer {{ name: \"{}\" type: \"{}\"", name, draft.type);
  for (const std::string& bottom : draft.bottoms) text += fmt::format(" bottom: \"{}\"", bottom);
  for (const std::string& top : tops) text += fmt::format(" top: \"{}\"", top);
  std::string specs;
  const auto owners_before = owners_;
  const auto stored_before = stored_;
  if (!draft.blobs.empty()) specs = parameter_text(draft, name, net_.right.layer_size());
  text += " " + draft.parameters + specs + " }\n";
  const auto parsed = read_prototxt(text);
  if (!parsed.ok()) throw std::runtime_error(parsed.error().message() + "\n" + text);
  caffe::LayerParameter layer = parsed->layer(0);
  Tensors in;
  for (const std::string& bottom : draft.bottoms) in.push_back(tensors_.at(bottom));
  for (const auto& [shape, values] : draft.blobs)
    layer.add_blobs()->mutable_data()->Assign(values.begin(), values.end());
  const Tensors out = run_layer(layer, in);
  if (!std::ranges::all_of(out, is_useful)) {
    owners_ = owners_before;
    stored_ = stored_before;
    return false;
  }
  if (!draft.blobs.empty()) weighted_.emplace_back(draft, tensors_.at(draft.bottoms[0]).shape);
  net_.text += text;
  *net_.right.add_layer() = layer;
  net_.is_stable = net_.is_stable && draft.is_stable;
  for (const std::string& bottom : draft.bottoms) ++reads_[bottom];
  for (size_t t = 0; t < tops.size(); ++t) keep_top(tops[t], out[t], draft);
  ++layers_;
  return true;
}

void NetBuilder::keep_top(const std::string& top, Tensor tensor, const Draft& draft) {
  if (tensor.shape.empty()) {  // a sum of all; no other layer reads it
    net_.outputs.push_back(top);
    return;
  }
  tensors_[top] = std::move(tensor);
  made_by_[top] = draft.type;
  reads_[top] = 0;
  if (!draft.in_place) blobs_.push_back(top);
}

// Writes the layers of the file in any order, and sets the blobs that the net's layers then have.
void NetBuilder::write_file() {
  std::vector<const Stored*> order;
  for (const Stored& stored : stored_)
    if (stored.in_file) order.push_back(&stored);
  for (size_t i = order.size(); i-- > 1;)
    if (chance(0.5))
      std::swap(order[i], order[static_cast<size_t>(between(0, static_cast<int64_t>(i)))]);
  std::map<std::string, Floats> last;
  for (const Stored* stored : order)
    for (size_t i = 0; i < stored->blobs.size(); ++i) {
      net_.file.push_back({stored->name, stored->blobs[i].first, stored->blobs[i].second});
      if (!stored->names.empty()) last[stored->names[i]] = stored->blobs[i].second;
    }
  for (const Stored& stored : stored_)
    for (size_t i = 0; i < stored.names.size(); ++i) {
      const Floats& values = last.at(stored.names[i]);
      net_.right.mutable_layer(stored.layer)
          ->mutable_blobs(static_cast<int>(i))
          ->mutable_data()
          ->Assign(values.begin(), values.end());
    }
}

// Adds a layer with blobs again, on another blob: a second tower, which often shares the blobs.
bool NetBuilder::add_again() {
  if (weighted_.empty()) return false;
  auto [draft, shape] = one_of(weighted_);
  std::vector<std::string> suitable;
  for (const std::string& blob : blobs_)
    if (tensors_.at(blob).shape == shape) suitable.push_back(blob);
  if (suitable.empty()) return false;
  draft.bottoms = {one_of(suitable)};
  for (auto& [extents, values] : draft.blobs) std::ranges::reverse(values);
  return add_layer(draft);
}

// In these nets an unread input is no output, also with a Dropout in place.
void NetBuilder::finish_inputs() {
  for (const auto& [input, values] : net_.inputs) {
    const auto made = made_by_.find(input);
    const bool is_input = made == made_by_.end() || made->second == "Dropout";
    if (reads_[input] == 0 && is_input) add_layer({"AbsVal", "", {input}});
  }
}

// Boxes of a map: locations, scores and priors of it.
void NetBuilder::add_detector() {
  const int64_t size = between(1, 4), classes = between(2, 3);
  add_input("image", {1, 1, between(8, 30), between(8, 30)});
  const bool sized = chance(0.5), ratio = chance(0.5), flip = chance(0.7);
  const float least = real(1.2F, 6);
  std::string parameters = fmt::format("prior_box_param {{ min_size: {:.3f}", least);
  if (sized) parameters += fmt::format(" max_size: {:.3f}", least + real(1, 5));
  if (ratio) parameters += fmt::format(" aspect_ratio: {:.2f}", real(1.5F, 3));
  if (!flip) parameters += " flip: false";
  if (chance(0.3)) parameters += " clip: true";
  if (chance(0.3)) parameters += fmt::format(" step: {:.2f}", real(1, 5));
  if (chance(0.3)) parameters += fmt::format(" offset: {:.2f}", real(0, 1));
  if (chance(0.5)) parameters += " variance: 0.1 variance: 0.15 variance: 0.2 variance: 0.25";
  const int64_t of_place = 1 + (sized ? 1 : 0) + (ratio ? (flip ? 2 : 1) : 0);
  add_input("map", {1, 2, size, size});
  Draft prior{"PriorBox", parameters + " }", {"map", "image"}};
  prior.is_stable = false;
  if (!add_layer(prior)) return;
  const std::string priors = blobs_.back();
  const int64_t count = size * size * of_place;
  const bool shared = chance(0.7);
  add_input("locations", {1, count * 4 * (shared ? 1 : classes)});
  add_input("scores", {1, count * classes});
  std::string output = fmt::format("detection_output_param {{ num_classes: {}", classes);
  static const std::vector<std::string> kCodes = {
      "", " code_type: CORNER", " code_type: CENTER_SIZE", " code_type: CORNER_SIZE"};
  output += one_of(kCodes);
  if (!shared) output += " share_location: false";
  if (chance(0.4)) output += fmt::format(" keep_top_k: {}", between(1, 8));
  if (chance(0.4)) output += fmt::format(" confidence_threshold: {:.2f}", real(-0.5F, 0.5F));
  if (chance(0.2)) output += " variance_encoded_in_target: true";
  if (chance(0.5)) {
    output += " nms_param {";
    if (chance(0.5)) output += fmt::format(" nms_threshold: {:.2f}", real(0.2F, 0.7F));
    if (chance(0.5)) output += fmt::format(" top_k: {}", between(1, 10));
    output += " }";
  }
  Draft found{"DetectionOutput", output + " }", {"locations", "scores", priors}};
  found.is_stable = false;
  add_layer(found);
}

RandomNet NetBuilder::make() {
  const int64_t images = chance(0.8) ? 1 : between(2, 3), axes = chance(0.8) ? 4 : between(2, 3);
  Shape shape{images, between(1, 6)};
  for (int64_t a = 2; a < axes; ++a) shape.push_back(between(1, 8));
  add_input("x", shape);
  std::vector<Drawer> drawers;
  for (const auto& some : {window_drawers(), value_drawers(), move_drawers()})
    drawers.insert(drawers.end(), some.begin(), some.end());
  const int64_t wanted = between(1, 8);
  for (int tries = 0; layers_ < wanted && tries < 60; ++tries) {
    if (chance(0.15) && add_again()) continue;
    const std::string blob = any_blob();
    const auto draft = one_of(drawers)(*this, blob);
    if (draft) add_layer(*draft);
  }
  if (chance(0.08)) add_detector();
  finish_inputs();
  write_file();
  for (const std::string& blob : blobs_)
    if (reads_[blob] == 0) net_.outputs.push_back(blob);
  return std::move(net_);
}

RandomNet random_net(uint64_t seed) { return NetBuilder(seed).make(); }

Values random_inputs(const RandomNet& net, uint64_t seed) {
  NetBuilder builder(net.seed ^ (seed << 32));
  Values values = net.inputs;
  for (auto& [name, data] : values)
    for (float& v : data) v = builder.real(-1.5F, 1.5F);
  return values;
}

}  // namespace tputwin::net::testing
