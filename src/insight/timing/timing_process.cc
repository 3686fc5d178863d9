// One file for the process. Each launch appends to it, and the end of the process commits it.
#include "insight/timing/timing_process.h"

#include <unistd.h>

#include <memory>
#include <mutex>
#include <set>

#include "base/atomic_file.h"
#include "base/errors/tools.h"
#include "base/log.h"
#include "base/variables.h"
#include "insight/process_end.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/timeline_recorder.h"

namespace tputwin::insight {
namespace {

class DeviceRecorder;

struct TimingProcess {
  std::string path;
  // A child of fork() inherits its parent's commands, but does not write them.
  pid_t id = getpid();
  std::mutex mutex;
  std::set<DeviceRecorder*> recorders;  // of open devices

  // nullptr after an error of writing.
  std::unique_ptr<AtomicFile> file;

  void take(const Status& status) {
    if (status.ok()) return;
    log(Error(errors::cli_timing).argument("TPUTWIN_TIMING", path).detail(status.message()),
        Level::error);
    file.reset();
  }
  void append(const std::string& text) {
    if (file != nullptr && id == getpid())
      take(file->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
  }
};

TimingProcess* timing_of_process();

class DeviceRecorder : public TimelineRecorder {
 public:
  explicit DeviceRecorder(const Chip& chip) : TimelineRecorder(chip) {
    TimingProcess& process = *timing_of_process();
    const std::lock_guard lock(process.mutex);
    process.recorders.insert(this);
  }
  ~DeviceRecorder() override {
    TimingProcess& process = *timing_of_process();
    const std::lock_guard lock(process.mutex);
    if (process.recorders.erase(this) != 0) write(process);
  }
  // A program that is killed leaves what it launched before.
  void on_event(const DeviceEvent& event) override {
    TimelineRecorder::on_event(event);
    if (event.kind != DeviceEvent::Kind::launch_end) return;
    TimingProcess& process = *timing_of_process();
    const std::lock_guard lock(process.mutex);
    write(process);
  }
  void write(TimingProcess& process) {
    process.append(command_recording_of(take(), /*with_lines=*/true));
  }
};

void write_rest(std::string_view) {
  TimingProcess& process = *timing_of_process();
  const std::lock_guard lock(process.mutex);
  for (DeviceRecorder* recorder : process.recorders) recorder->write(process);
  process.recorders.clear();
  if (process.file != nullptr && process.id == getpid()) process.take(process.file->commit());
}

TimingProcess* start_timing() {
  const std::string path(value_of(EnvVariable::timing));
  if (path.empty()) return nullptr;
  auto* process = new TimingProcess;  // lives until the process ends
  process->path = path;
  auto file = AtomicFile::create(path);
  if (file.ok())
    process->file = std::move(*file);
  else
    process->take(file.error());
  at_process_end(write_rest);
  return process;
}

TimingProcess* timing_of_process() {
  static TimingProcess* const process = start_timing();
  return process;
}

}  // namespace

bool is_timing() { return timing_of_process() != nullptr; }

std::unique_ptr<Observer> time_device(Device& device) {
  if (!is_timing()) return nullptr;
  notice_exit_calls();
  return std::make_unique<DeviceRecorder>(device.chip());
}

}  // namespace tputwin::insight
