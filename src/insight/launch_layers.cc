// LaunchLayers: names by the command's place in a command buffer, or by the group that runs.
#include "insight/launch_layers.h"

#include "insight/layer_scope.h"
#include "insight/origins.h"

namespace tputwin::insight {

void LaunchLayers::on_event(const DeviceEvent& event) {
  if (event.kind == DeviceEvent::Kind::commands) {
    runs_ = Layers::of_process().find(event.commands);
    names_ = runs_.by_command();
  }
  if (event.kind != DeviceEvent::Kind::launch_begin) return;
  names_.clear();
  place_ = 0;
}

std::string_view LaunchLayers::next(const Instruction& instruction) {
  const size_t place = place_++;
  return place < names_.size() ? names_[place] : LayerScope::layer_of(instruction);
}

}  // namespace tputwin::insight
