// TimelineRecorder: collects the timeline of everything that a device executes.
#pragma once

#include <string>

#include "insight/origins.h"
#include "insight/timing/timeline.h"
#include "machine/device.h"

namespace tputwin::insight {

// An observer of one device, by a row of watch.cc or directly:
//   TimelineRecorder recorder(device.chip());
//   device.observers().add(&recorder);  ...  device.observers().remove(&recorder);
//   const Timeline& timeline = recorder.timeline();
class TimelineRecorder : public Observer {
 public:
  // `with_stacks` captures stacks for source lines, which takes time.
  explicit TimelineRecorder(const Chip& chip, bool with_stacks = true);

  void on_issue(const CallSite& site) override;
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override;
  void on_event(const DeviceEvent& event) override;

  // Sets the layer of later commands. Names from files of networks take precedence.
  void set_layer(std::string_view layer) { layer_ = layer; }
  // Returns all launches so far, simulated. Commands outside of launches form a launch without a
  // name.
  const Timeline& timeline();
  // Returns the timeline like timeline(), and starts an empty one.
  Timeline take();

 private:
  Timeline timeline_;
  const bool with_stacks_;
  uint32_t simulated_ = 0;  // number of simulated launches
  bool in_launch_ = false, follows_poll_ = false, is_issued_ = false;
  CallSite site_;  // of the next instruction
  StackId stack_ = 0;
  Origin origin_;  // of the current launch
  std::string layer_;
  // Names of layers and their commands, of the current launch.
  bmodel::LayerRuns layers_;
  std::vector<std::string_view> layer_of_;  // one per command, in order
};

}  // namespace tputwin::insight
