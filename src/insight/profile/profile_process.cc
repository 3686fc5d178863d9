// One profiler for each device, and its output files.
#include "insight/profile/profile_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/variables.h"
#include "insight/process_end.h"
#include "insight/profile/page.h"
#include "insight/profile/summary.h"
#include "insight/profile/trace.h"
#include "insight/timing/timeline_recorder.h"

namespace tputwin::insight {
namespace {

class Profiler;

struct Process {
  std::string title, page, trace, json, summaries;
  // A child of fork() inherits its parent's devices, but does not profile them.
  pid_t id = getpid();
  std::mutex mutex;
  std::set<Profiler*> open;
  int devices = 0;
};

void finish_open(std::string_view why);

Process* start() {
  const std::string wanted = std::string(value_of(EnvVariable::profile));
  if (wanted.empty() || wanted == "0") return nullptr;
  auto* process = new Process;  // lives until the process ends
  process->title = std::string(value_of(EnvVariable::profile_title));
  if (process->title.empty()) process->title = program_invocation_short_name;
  process->page = std::string(value_of(EnvVariable::profile_html));
  process->trace = std::string(value_of(EnvVariable::profile_trace));
  process->json = std::string(value_of(EnvVariable::profile_json));
  at_process_end(finish_open);
  return process;
}

Process* of_process() {
  static Process* const process = start();
  return process;
}

// Returns profile.html, profile-2.html, ...
std::string numbered(const std::string& path, int number) {
  if (number == 1) return path;
  std::filesystem::path name(path);
  const std::string extension = name.extension().string();
  return name.replace_extension().string() + fmt::format("-{}", number) + extension;
}

void write_file(const std::string& path, int number, const std::string& text) {
  if (path.empty()) return;
  const Status status = write_bytes(numbered(path, number),
                                    {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  if (!status.ok()) log(status.error(), Level::error);
}

// Appends a line per device to one file.
void write_summary(const ProfiledRun& run) {
  if (of_process()->json.empty()) return fmt::print(stderr, "{}", to_summary(run));
  std::lock_guard lock(of_process()->mutex);
  write_file(of_process()->json, 1, of_process()->summaries += to_summary_json(run));
}

class Profiler : public TimelineRecorder {
 public:
  explicit Profiler(const Chip& chip) : TimelineRecorder(chip) {
    std::lock_guard lock(of_process()->mutex);
    of_process()->open.insert(this);
  }
  ~Profiler() override {
    {
      std::lock_guard lock(of_process()->mutex);
      of_process()->open.erase(this);
    }
    finish();
  }

  void on_event(const DeviceEvent& event) override {
    TimelineRecorder::on_event(event);
    if (event.kind == DeviceEvent::Kind::launch_end) find_lines();
  }

  void finish() {
    if (is_finished_ || of_process()->id != getpid()) return;
    is_finished_ = true;
    find_lines();
    if (timeline().commands.empty()) return;
    const int number = ++of_process()->devices;
    const ProfiledRun run{of_process()->title, timeline(), lines_};
    write_file(of_process()->page, number, to_page(run));
    write_file(of_process()->trace, number, to_trace(run));
    write_summary(run);
  }

 private:
  // Looks up lines of new commands now, while the code that issued them is still loaded.
  void find_lines() {
    const std::vector<TimelineCommand>& commands = timeline().commands;
    for (; looked_at_ < commands.size(); ++looked_at_) {
      const TimelineCommand& command = commands[looked_at_];
      if (command.stack == 0 || lines_.contains(command.stack)) continue;
      const UserCode code = Stacks::of_process().user_code(command.stack, command.call);
      lines_[command.stack] = code.lines.empty() ? "" : describe(code.lines.front());
    }
  }

  std::map<StackId, std::string> lines_;
  size_t looked_at_ = 0;
  bool is_finished_ = false;
};

// Finishes devices that the program leaves open.
void finish_open(std::string_view) {
  for (Profiler* profiler : std::set(of_process()->open)) profiler->finish();
}

}  // namespace

bool is_profiling() { return of_process() != nullptr; }

std::unique_ptr<Observer> profile_device(Device& device) {
  if (!is_profiling()) return nullptr;
  notice_exit_calls();
  return std::make_unique<Profiler>(device.chip());
}

}  // namespace tputwin::insight
