// LayerScope: names the layer of a network whose commands this thread executes, as its file names
// it.
#pragma once

#include <string_view>

#include "bmodel/bm168x/layers.h"

namespace tputwin::insight {

class LayerScope {
 public:
  // `layers` names the layers of single commands. The caller keeps both alive for the lifetime of
  // the scope.
  LayerScope(std::string_view name, const bmodel::bm168x::CommandLayers& layers);
  // All commands are of this layer, whose name the caller keeps.
  explicit LayerScope(std::string_view layer);
  ~LayerScope();
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;

  // Return the names of the innermost scope; empty outside of scopes. layer_of() is also empty if
  // the file does not name the command's layer, name_of() is then the name of the scope.
  static std::string_view current();
  static std::string_view layer_of(const Instruction& instruction);
  static std::string_view name_of(const Instruction& instruction);

 private:
  const LayerScope* before_;
  std::string_view name_;
  const bmodel::bm168x::CommandLayers* layers_;  // nullptr: the name is that of the layer
};

}  // namespace tputwin::insight
