// The recording of a process: adds launches as they end, and writes one file at the end.
#include "sdk/record/model_recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/errors/bmlib.h"
#include "base/log.h"
#include "base/variables.h"
#include "chip/family.h"
#include "isa/bm1684x/expand.h"
#include "sdk/record/model.h"

namespace tputwin::record {
namespace {

pid_t recording_process = 0;

// A child of fork() does not record into its parent's file.
void write_at_exit() {
  if (getpid() != recording_process) return;
  if (Status status = Recorder::of_process()->write(); !status.ok())
    log(status.error(), Level::error);
}

}  // namespace

Recorder* Recorder::of_process() {
  static Recorder* const recorder = []() -> Recorder* {
    const std::string path(value_of(EnvVariable::record));
    if (path.empty()) return nullptr;
    recording_process = getpid();
    std::atexit(write_at_exit);
    return new Recorder(path);  // lives as long as the process
  }();
  return recorder;
}

void Recorder::allocated(uint64_t begin) {
  std::lock_guard lock(mutex_);
  starts_.add({begin, begin + 1});
}

void Recorder::take(Launch& launch) {
  if (Status status = add(launch); !status.ok())
    log(Error(status.error()).in(fmt::format("recording {}", launch.kernel())), Level::error);
}

// Returns true for a launch with equal commands on equal bytes.
bool Recorder::is_known(const Recorded& candidate) const {
  return std::ranges::any_of(launches_, [&](const Recorded& known) {
    return known.streams.tiu == candidate.streams.tiu &&
           known.streams.gdma == candidate.streams.gdma &&
           std::ranges::equal(known.blocks, candidate.blocks, [](const Block& a, const Block& b) {
             return a.touched.begin == b.touched.begin && a.read.bytes == b.read.bytes;
           });
  });
}

Status Recorder::add(Launch& launch) {
  std::lock_guard lock(mutex_);
  const Chip& chip = launch.chip();
  if (chip.family != ChipFamily::bm1684x)
    return Error(errors::bml_record_chip).argument("chip", std::string(chip.name));
  if (launch.pointer())
    return Error(errors::bml_record_pointer).argument("call", *launch.pointer());
  std::vector<Instruction> program = isa::expand(launch.program(), chip);
  TW_ASSIGN_OR_RETURN(streams, isa::encode_streams(program, chip));
  Recorded recorded{.name = launch.kernel(),
                    .program = std::move(program),
                    .blocks = launch.blocks(starts_),
                    .streams = std::move(streams),
                    .chip = &chip};
  if (is_known(recorded)) return {};
  if (const size_t number = ++names_[recorded.name]; number > 1)
    recorded.name += fmt::format("_{}", number);
  launches_.push_back(std::move(recorded));
  return {};
}

Status Recorder::write() const {
  std::lock_guard lock(mutex_);
  if (launches_.empty()) return Error(errors::bml_record_nothing).argument("TPUTWIN_RECORD", path_);
  return write_recording(launches_, path_);
}

}  // namespace tputwin::record
