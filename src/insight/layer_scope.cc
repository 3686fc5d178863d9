// LayerScope: one name for each thread.
#include "insight/layer_scope.h"

#include <utility>

namespace tputwin::insight {

static thread_local std::string_view current_layer;

LayerScope::LayerScope(std::string_view name) : before_(std::exchange(current_layer, name)) {}
LayerScope::~LayerScope() { current_layer = before_; }
std::string_view LayerScope::current() { return current_layer; }

}  // namespace tputwin::insight
