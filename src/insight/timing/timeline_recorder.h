// TimelineRecorder: collects the timeline of whatever a device does.
#pragma once

#include <string>

#include "insight/origins.h"
#include "insight/timing/timeline.h"
#include "machine/device.h"

namespace tputwin::insight {

// An observer of one device, by a row of watch.cc or directly:
//   TimelineRecorder recorder(device.chip());
//   device.add_observer(&recorder);  ...  device.remove_observer(&recorder);
//   const Timeline& timeline = recorder.timeline();
class TimelineRecorder : public Observer {
 public:
  // Stacks cost time where nobody asks for source lines.
  explicit TimelineRecorder(const Chip& chip, bool with_stacks = true);

  void on_issue(const CallSite& site) override;
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override;
  void on_event(const DeviceEvent& event) override;

  // The layer that commands belong to from now on, of networks whose files name layers.
  void set_layer(std::string_view layer) { layer_ = layer; }
  // All launches so far, simulated. Commands outside of launches make one without a name.
  const Timeline& timeline();
  // The same, which is forgotten here.
  Timeline take();

 private:
  Timeline timeline_;
  const bool with_stacks_;
  uint32_t simulated_ = 0;  // launches
  bool in_launch_ = false, is_behind_poll_ = false, is_issued_ = false;
  CallSite site_;  // of the next instruction
  StackId stack_ = 0;
  Origin origin_;  // of the launch that runs
  std::string layer_;
  bmodel::LayerRuns layers_;  // of the launch that runs: its file's names and which of them
  std::vector<std::string_view> layer_of_;  // each command has, in order
};

}  // namespace tputwin::insight
