// tputwin run: a model on the simulated chip, through the same runtime calls a program would make.
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
#include "tools/runtime.h"

namespace tputwin::tools {

// So many bytes are read of a file that should have `bytes`, or the same as larger numbers behind a
// header: a mistake is told by its size, and a device that never ends is not read for ever.
constexpr size_t most_to_read(uint64_t bytes) {
  constexpr uint64_t kTimes = 16, kMore = uint64_t{1} << 20;
  return bytes > SIZE_MAX / kTimes - kMore ? SIZE_MAX : kTimes * bytes + kMore;
}

struct RunOptions {
  ShapeList shapes;  // one per input; may be empty if the model has one variety
  unsigned repeat = 1;
  unsigned threads = 0;          // of a device; 0: as TPUTWIN_THREADS says, or all processors
  unsigned devices = 1;          // that run the model at the same time, each `repeat` times
  bool latency = false;          // report the distribution of times
  std::string plugin_directory;  // of CPU operators; besides those the model carries
  bool reference = false;        // use the reference bodies
  bool progress = false;         // draw a bar on stderr when it takes long
};

struct RunReport {
  size_t variety = 0;
  std::vector<uint8_t> output;         // all outputs, one after the other
  std::vector<double> seconds;         // of each run, the fastest first
  double wall_seconds = 0;             // from the beginning of the first to the end of the last
  std::optional<uint64_t> own_memory;  // of the process then, and
  uint64_t model_bytes = 0;            // of the model's file
  ProgramCost cost;                    // of one run
  uint64_t predicted_cycles = 0;       // of one run
  std::vector<WarningCount> warnings;
};

// An option of the command line that not every model has, and whether it is given.
struct GivenOption {
  const char* name;
  bool given;
};
// For a model of `chip`, whose models have none of these options: given ones are not passed over.
Status refuse_options(std::initializer_list<GivenOption> options, std::string_view chip);

// Weights, commands and libraries go: each net that runs reads its own.
void keep_description(bmodel::Model& model);

// The variety with exactly these input shapes.
Result<size_t> find_variety(const bmodel::Model& model, const ShapeList& shapes);

// Loads the model into a fresh runtime context, for each device, and runs it `repeat` times on the
// same input; the output is the first device's.
Result<RunReport> run_model(std::span<const uint8_t> file, std::span<const uint8_t> input,
                            const RunOptions& options);

// What `tputwin run` prints about it.
std::string report_text(const bmodel::Model& model, const RunReport& report,
                        const RunOptions& options);

}  // namespace tputwin::tools
