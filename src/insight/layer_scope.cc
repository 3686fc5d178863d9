// LayerScope: one scope for each thread.
#include "insight/layer_scope.h"

#include <utility>

namespace tputwin::insight {
namespace {

thread_local const LayerScope* innermost = nullptr;

}  // namespace

LayerScope::LayerScope(std::string_view name, const bmodel::bm168x::CommandLayers& layers)
    : before_(std::exchange(innermost, this)), name_(name), layers_(&layers) {}
LayerScope::LayerScope(std::string_view layer)
    : before_(std::exchange(innermost, this)), name_(layer), layers_(nullptr) {}
LayerScope::~LayerScope() { innermost = before_; }

std::string_view LayerScope::current() { return innermost != nullptr ? innermost->name_ : ""; }

std::string_view LayerScope::layer_of(const Instruction& instruction) {
  if (innermost == nullptr) return "";
  return innermost->layers_ != nullptr ? innermost->layers_->of(instruction) : innermost->name_;
}

std::string_view LayerScope::name_of(const Instruction& instruction) {
  const std::string_view layer = layer_of(instruction);
  return layer.empty() ? current() : layer;
}

}  // namespace tputwin::insight
