// LayerScope: names the layer of a network whose commands this thread executes, as its file names
// it.
#pragma once

#include <string_view>

namespace tputwin::insight {

class LayerScope {
 public:
  // The caller keeps `name` alive for the lifetime of the scope.
  explicit LayerScope(std::string_view name);
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

  // Returns the name of the innermost scope; empty outside of scopes.
  static std::string_view current();

 private:
  std::string_view before_;
};

}  // namespace tputwin::insight
