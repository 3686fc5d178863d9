// tputwin run: runs a model on the simulated chip with the runtime calls of a user's program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <optional>

#include "base/diagnostics.h"
#include "bmodel/bmodel.h"
#include "machine/program_cost.h"
#include "machine/step_recorder.h"
#include "tools/runtime.h"

namespace tputwin::tools {

// Returns how many bytes to read of a file that should have `bytes`. Larger numbers and a header
// also fit. A longer file is an error by its size, and an endless device is not read forever.
constexpr size_t most_to_read(uint64_t bytes) {
  constexpr uint64_t kTimes = 16, kMore = uint64_t{1} << 20;
  return bytes > SIZE_MAX / kTimes - kMore ? SIZE_MAX : kTimes * bytes + kMore;
}

struct RunOptions {
  ShapeList shapes;  // one per input; may be empty if the model has one variety
  unsigned repeat = 1;
  // Threads of a device; 0: TPUTWIN_THREADS, or all processors.
  unsigned threads = 0;
  // Devices that run the model at the same time, each `repeat` times.
  unsigned devices = 1;
  bool latency = false;  // report the distribution of times
  // Plugins of CPU operators, in addition to those in the model.
  std::string plugin_directory;
  bool reference = false;  // use the reference kernels
  bool progress = false;   // draw a bar on stderr if it takes long
  // Not 0: predict times on up to so many threads (insight/scaling/scaling.h).
  unsigned account = 0;
};

struct RunReport {
  size_t variety = 0;
  std::vector<uint8_t> output;  // all outputs, one after the other
  std::vector<double> seconds;  // of each run, the fastest first
  // From the start of the first run to the end of the last.
  double wall_seconds = 0;
  std::optional<uint64_t> own_memory;  // memory of the process at the end
  uint64_t model_bytes = 0;            // bytes of the model's file
  ProgramCost cost;                    // of one run
  uint64_t predicted_cycles = 0;       // of one run
  std::vector<WarningCount> warnings;
  // The least times of steps, for RunOptions::account threads.
  std::vector<StepTime> steps;
  unsigned account = 0;
};

// An option of the command line that not every model has. `given` is true if it was given.
struct GivenOption {
  const char* name;
  bool given;
};
// Returns an error if one of the options was given: models of `chip` have none of them.
Status refuse_options(std::initializer_list<GivenOption> options, std::string_view chip);

// Removes weights, commands and libraries: each net that runs reads its own.
void keep_description(bmodel::Model& model);

// Returns the variety with exactly these input shapes.
Result<size_t> find_variety(const bmodel::Model& model, const ShapeList& shapes);

// Loads the model into a new runtime context for each device, and runs it `repeat` times on one
// input. The output is that of the first device.
Result<RunReport> run_model(std::span<const uint8_t> file, std::span<const uint8_t> input,
                            const RunOptions& options);

// Returns the text of `tputwin run`.
std::string report_text(const bmodel::Model& model, const RunReport& report,
                        const RunOptions& options);

}  // namespace tputwin::tools
