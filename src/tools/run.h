// tputwin run: a model on the simulated chip, through the same runtime calls a program would make.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "bmodel/bmodel.h"
#include "machine/profile.h"
#include "tools/runtime.h"

namespace tputwin::tools {

struct RunOptions {
  ShapeList shapes;  // one per input; may be empty if the model has one variety
  unsigned repeat = 1;
  std::string plugin_directory;  // of CPU operators; besides those the model carries
  bool reference = false;        // use the reference bodies
  bool progress = false;         // draw a bar on stderr when it takes long
};

struct RunReport {
  size_t variety = 0;
  std::vector<uint8_t> output;  // all outputs, one after the other
  double seconds = 0;           // of the fastest run
  double total_seconds = 0;     // of all runs
  Profile profile;              // of one run
  std::vector<WarningCount> warnings;
};

// The variety with exactly these input shapes.
Result<size_t> find_variety(const bmodel::Model& model, const ShapeList& shapes);

// Loads the model into a fresh runtime context and runs it `repeat` times on the same input.
Result<RunReport> run_model(std::span<const uint8_t> file, std::span<const uint8_t> input,
                            const RunOptions& options);

// What `tputwin run` prints about it.
std::string report_text(const bmodel::Model& model, const RunReport& report,
                        const RunOptions& options);

}  // namespace tputwin::tools
