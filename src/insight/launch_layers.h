// LaunchLayers: the layers of a launch's commands, as the file of the network names them.
#pragma once

#include <string_view>
#include <vector>

#include "bmodel/bmodel.h"
#include "machine/observer.h"

namespace tputwin::insight {

class LaunchLayers {
 public:
  // Must see every event, and every command once.
  void on_event(const DeviceEvent& event);
  // Returns the layer of the next command; empty: unknown. The name is valid until the next event.
  std::string_view next(const Instruction& instruction);

 private:
  bmodel::LayerRuns runs_;
  std::vector<std::string_view> names_;  // one per command of the launch, in runs_
  size_t place_ = 0;
};

}  // namespace tputwin::insight
