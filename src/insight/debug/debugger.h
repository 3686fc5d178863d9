// Debugger: stops a device before commands, and restores earlier states. A Front decides how to
// continue; it stands for a user, a script or an editor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "insight/allocations.h"
#include "insight/debug/exposed.h"
#include "insight/debug/journal.h"
#include "insight/debug/stops.h"
#include "insight/origins.h"
#include "machine/device.h"

namespace tputwin::debug {

// Distance to go. With `back`, execution goes back to the begin of the previous unit.
struct Motion {
  enum class Unit : uint8_t { command, line, layer, launch, all };
  Unit unit = Unit::command;
  bool back = false;
  uint64_t count = 1;
};

struct Stop {
  enum class Reason : uint8_t { step, breakpoint, watchpoint, pause, begin, end, refused };
  Reason reason = Reason::step;
  std::string text = {};
};

class Debugger;

class Front {
 public:
  virtual ~Front() = default;
  // Called when the device stops. After it returns, the newest moment is restored, and the device
  // continues as the last call of resume() requested.
  virtual void stopped(Debugger& debugger, const Stop& stop) = 0;
  // Called before every command.
  virtual bool wants_pause() { return false; }
};

class Debugger final : public Observer {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;

  // `device` and `front` must outlive the debugger. The state kept for going back takes at most
  // `most_bytes`. The device first stops at the end of the motion `start`.
  Debugger(Device& device, Front& front, uint64_t most_bytes = kMostBytes, Motion start = {});
  ~Debugger() override;
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  void before_instruction(const Instruction&, const Footprint&) override;
  void on_instruction(const Instruction&, const Footprint&, const Cost&) override;
  void on_issue(const CallSite& site) override;
  void on_event(const DeviceEvent& event) override;
  // Stops at the call, whatever the motion.
  void on_refused(const Error& error) override;
  // Ends the program. The device stops a last time.
  void finish(const std::string& why);

  // ---- While the device is stopped ----

  // Moves within the journal. Returns nullopt if nothing stops it up to the newest moment; then the
  // device must continue. After the program has ended, motion from the past stops at its end.
  std::optional<Stop> resume(const Motion& motion);
  // Goes to a moment, clamped to [first(), newest()].
  void go_to(Moment moment);
  Moment now() const { return journal_.now(); }
  // The last known moment, where the device is stopped.
  Moment newest() const { return newest_; }
  Journal& journal() { return journal_; }
  // Returns the next command, or the last one executed; nullptr: there is none, or it is not known
  // yet.
  const Entry* next() const;
  const Entry* last() const;
  // Returns the call that was refused, if the device is stopped there; otherwise nullptr.
  const UserCode* refused() const { return refused_ && now() == newest() ? &*refused_ : nullptr; }

  const Device& device() const { return device_; }
  const Chip& chip() const { return device_.chip(); }
  const Memory& memory() const { return memory_; }
  const insight::Allocations& allocations() const { return allocations_; }
  const std::string& launch_name(uint32_t launch) const { return launches_[launch]; }
  // Returns the name of a layer, numbered from 1 in the journal; empty: its file does not name it.
  std::string_view layer_name(uint32_t layer) const;
  // Returns the call and the source lines of the user's program.
  const UserCode& code(const Entry& entry);

  uint32_t add(Breakpoint breakpoint);
  uint32_t watch(std::string text, std::vector<ByteRange> ranges, bool any_write);
  bool remove(uint32_t id);
  void remove_lines(const std::string& file);
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  const Watchpoints& watchpoints() const { return watchpoints_; }

 private:
  Entry entry_of(const Instruction& instruction, const Footprint& touched);
  void append(Entry entry);
  void host_writes(Patch before, std::optional<Patch> after);
  void note_pointers();
  void expose(const DeviceEvent& event);
  void stand(const Stop& stop);
  void begin_layer(std::string_view name);
  uint32_t layer_of(const Instruction& instruction);
  uint32_t number_of_layers() const { return static_cast<uint32_t>(layers_.size()); }
  std::optional<Stop> stop_at(Moment moment);
  std::optional<Stop> watch_stop(Moment moment);
  std::optional<Stop> go_back();
  bool begins(Motion::Unit unit, Moment moment);
  const Entry* command_before(Moment moment) const;

  Device& device_;
  Front& front_;
  Memory memory_;
  Journal journal_;
  Exposed exposed_;
  insight::Allocations allocations_;
  insight::Origin origin_;  // of the current launch
  std::map<std::pair<StackId, std::string_view>, UserCode> codes_;
  std::vector<std::string> launches_{""};
  std::vector<Breakpoint> breakpoints_;
  Watchpoints watchpoints_;
  Motion motion_;
  CallSite site_;
  StackId stack_ = 0;
  // Identity of the layer: name, or operation and parameters.
  std::string computing_;
  // Name of the part of the net, from its file.
  std::string part_;
  struct Layer {
    std::string name;        // empty where no file names it
    uint64_t first_command;  // its number
  };
  std::vector<Layer> layers_;
  std::map<std::string, uint32_t> named_;       // numbers of named layers of the current launch
  bmodel::LayerRuns layer_runs_;                // of the current launch
  std::vector<std::string_view> named_layers_;  // layers of its commands, in layer_runs_
  std::string end_;                             // why the program has ended
  std::optional<UserCode> refused_;             // since the newest entry
  uint64_t commands_ = 0;
  uint32_t in_launch_ = 0, last_id_ = 0;
  Moment newest_ = 0;
  bool is_in_launch_ = false, is_finished_ = false, is_standing_ = false;
};

}  // namespace tputwin::debug
