// The numbers that the tensors of a net hold: their types, and the scales of integers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

// The value of an element is the element * scale; floats have the scale 1. Unsigned bytes hold
// values that are never negative.
struct Numbers {
  DType type = DType::f32;
  float scale = 1;
  bool is_int8() const { return element_bytes(type) == 1; }
  bool operator==(const Numbers&) const = default;
};

// Types that single layers compute in. A layer that became several has the names LAYER/WHAT.
class LayerTypes {
 public:
  void set(const std::string& layer, DType type) { types_[layer] = type; }
  bool empty() const { return types_.empty(); }
  std::optional<DType> of(std::string_view op) const {
    for (;; op = op.substr(0, op.rfind('/'))) {
      if (const auto found = types_.find(op); found != types_.end()) return found->second;
      if (op.find('/') == std::string_view::npos) return std::nullopt;
    }
  }

 private:
  std::map<std::string, DType, std::less<>> types_;
};

struct Types {
  Numbers numbers;         // of all tensors but those of `others`
  bool has_bytes = false;  // layers may compute in bytes
  LayerTypes layers;
  // Means of tensors, with which biases of bytes are corrected: one value per channel, or one per
  // value if inner products read the tensor.
  std::map<std::string, std::vector<float>, std::less<>> means;
  std::map<std::string, Numbers, std::less<>> others;
  // Layers of expansions whose results are as exact as their type.
  std::set<std::string, std::less<>> exact;
  // Tensors of four axes that are viewed as a matrix for each index of the first two.
  std::set<std::string> matrices;

  // Returns the floats that a layer computes in if it does not compute in bytes.
  Numbers floats_of(std::string_view op) const {
    const std::optional<DType> own = layers.of(op);
    return own && *own != DType::i8 ? Numbers{*own} : numbers;
  }
  // Returns true if the layer must compute in floats.
  bool is_float(std::string_view op) const {
    const std::optional<DType> own = layers.of(op);
    return !has_bytes || (own && *own != DType::i8);
  }
  const Numbers& of(std::string_view tensor) const {
    const auto found = others.find(tensor);
    return found == others.end() ? numbers : found->second;
  }
};

}  // namespace tputwin::net::bm1684x
