// One file for a process, written when a device is closed, and at the end.
#include "insight/timing/process.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/errors/tools.h"
#include "base/log.h"
#include "insight/timing/recording.h"
#include "insight/timing/timeline_recorder.h"

namespace tputwin::insight {
namespace {

class DeviceRecorder;

struct TimingProcess {
  std::string path;
  pid_t id = getpid();  // a child of fork() has its parent's commands, which are not its own
  std::mutex mutex;
  std::set<DeviceRecorder*> recorders;  // of devices that are open

  void append(const std::string& text) const {
    FILE* file = std::fopen(path.c_str(), "a");
    const bool is_written =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !is_written)
      log(Error(errors::cli_timing).argument("TPUTWIN_TIMING", path), Level::error);
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
  void write(const TimingProcess& process) {
    if (process.id == getpid()) process.append(recording_of(take(), /*with_lines=*/true));
  }
};

void write_rest() {
  TimingProcess& process = *timing_of_process();
  const std::lock_guard lock(process.mutex);
  for (DeviceRecorder* recorder : process.recorders) recorder->write(process);
  process.recorders.clear();
}

TimingProcess* start_timing() {
  const char* path = std::getenv("TPUTWIN_TIMING");
  if (path == nullptr || *path == '\0') return nullptr;
  std::remove(path);
  auto* process = new TimingProcess;  // its end is that of the process
  process->path = path;
  process->append({});
  std::atexit(write_rest);
  return process;
}

TimingProcess* timing_of_process() {
  static TimingProcess* const process = start_timing();
  return process;
}

}  // namespace

bool is_timing() { return timing_of_process() != nullptr; }

std::unique_ptr<Observer> time_device(Device& device) {
  return is_timing() ? std::make_unique<DeviceRecorder>(device.chip()) : nullptr;
}

}  // namespace tputwin::insight
