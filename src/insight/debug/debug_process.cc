// One front for the process, and one debugger for each device.
#include "insight/debug/debug_process.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "base/variables.h"
#include "insight/debug/remote.h"
#include "insight/process_end.h"

namespace tputwin::debug {
namespace {

struct Process {
  Front* front = nullptr;
  uint64_t most_bytes = Debugger::kMostBytes;
  Motion start;
  std::mutex mutex;
  std::vector<Debugger*> open;  // devices that are not closed
};

void end_process(std::string_view why);

Process& of_process() {
  static Process& process = *[] {
    auto* made = new Process;  // lives until the process ends
    const std::string socket(value_of(EnvVariable::debug));
    if (socket.empty()) return made;
    made->front = Remote::connect(socket).release();
    if (const uint64_t bytes = number_in(EnvVariable::debug_bytes); bytes != 0)
      made->most_bytes = bytes;
    insight::at_process_end(end_process, /*waits_for_user=*/true);
    return made;
  }();
  return process;
}

// Stops devices that the program never closes a last time.
void end_process(std::string_view why) {
  std::vector<Debugger*> open;
  {
    std::lock_guard lock(of_process().mutex);
    open = of_process().open;
  }
  for (Debugger* debugger : open) debugger->finish("the program " + std::string(why));
}

// Removes a debugger from the process when it ends.
class Registered final : public Observer {
 public:
  Registered(Device& device, Process& process)
      : process_(process), debugger_(device, *process.front, process.most_bytes, process.start) {
    std::lock_guard lock(process_.mutex);
    process_.open.push_back(&debugger_);
  }
  ~Registered() override {
    std::lock_guard lock(process_.mutex);
    std::erase(process_.open, &debugger_);
  }
  void before_instruction(const Instruction& instruction, const Footprint& touched) override {
    debugger_.before_instruction(instruction, touched);
  }
  void on_instruction(const Instruction& i, const Footprint& f, const Cost& c) override {
    debugger_.on_instruction(i, f, c);
  }
  void on_issue(const CallSite& site) override { debugger_.on_issue(site); }
  void on_event(const DeviceEvent& event) override { debugger_.on_event(event); }
  void on_refused(const Error& error) override { debugger_.on_refused(error); }

 private:
  Process& process_;
  Debugger debugger_;
};

}  // namespace

bool is_debugging() { return of_process().front != nullptr; }

std::unique_ptr<Observer> debug_device(Device& device) {
  if (!is_debugging()) return nullptr;
  insight::notice_exit_calls();
  return std::make_unique<Registered>(device, of_process());
}

void debug_with(Front& front, uint64_t most_bytes, Motion start) {
  Process& process = of_process();
  process.front = &front;
  process.most_bytes = most_bytes;
  process.start = start;
}

}  // namespace tputwin::debug
