// The Caffe types.
#include <algorithm>
#include <cctype>

#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

constexpr int kMany = 1024;
using Kind = LayerKind;

constexpr Kind kKinds[] = {
#define TW_INPUT(type) {#type, Kind::input, 0, 0, 1, kMany},
#define TW_LAYER(type, least_bottoms, most_bottoms, most_tops, importer) \
  {#type, Kind::compute, least_bottoms, most_bottoms, 1, most_tops, import_##importer},
#define TW_LAYER_OF(type, least_bottoms, most_bottoms, most_tops, importer, expander)     \
  {#type, Kind::compute,    least_bottoms, most_bottoms, 1, most_tops, import_##importer, \
   {},    expand_##expander},
#define TW_SILENCE(type) {#type, Kind::silence, 1, kMany, 0, 0},
#define TW_DROPPED(type) {#type, Kind::dropped, 0, kMany, 0, kMany},
#define TW_UNSUPPORTED(type, instead) \
  {#type, Kind::unsupported, 0, kMany, 0, kMany, nullptr, instead},
#include "bmnet/caffe/layers.def"
};

std::string lower(std::string_view text) {
  std::string result(text.substr(0, 64));
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const LayerKind* find_kind(std::string_view type) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& kind) { return kind.type == type; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string suggestion(std::string_view type) {
  const std::string name = lower(type);
  const Kind* nearest = nullptr;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const Kind& kind : kKinds) {
    if (kind.role == Kind::unsupported) continue;
    const size_t distance = edit_distance(name, lower(kind.type));
    if (distance >= least) continue;
    least = distance;
    nearest = &kind;
  }
  return nearest == nullptr ? "" : "did you mean " + std::string(nearest->type) + "?";
}

}  // namespace tputwin::net
