// LayerScope: the part of a network whose commands this thread carries out, as its file names it.
#pragma once

#include <string_view>

namespace tputwin::insight {

class LayerScope {
 public:
  // The name outlives the scope.
  explicit LayerScope(std::string_view name);
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

  // Empty outside of scopes.
  static std::string_view current();

 private:
  std::string_view before_;
};

}  // namespace tputwin::insight
