// tputwin run of bmodels for BM1684 and BM1684X.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "bmodel/open.h"
#include "tools/bm168x/input_files.h"
#include "tools/runtime.h"

namespace tputwin::tools {

struct Run168xOptions {
  std::string net;              // may be empty if the file has one
  std::optional<size_t> stage;  // by number, or by the shapes below
  ShapeList shapes;             // one per input
  // Raw bytes or .npy, one file for each input in the order of the file; or one .npz for all, by
  // name. Without any, inputs are random.
  std::vector<std::string> inputs;
  // All outputs in the order of the file, raw; .npz, or .npy of one output, by its name.
  std::string output;
  unsigned repeat = 1;
  // Devices that run it at the same time, each `repeat` times.
  unsigned devices = 1;
  bool latency = false;  // print the distribution of times
  bool reference = false;
  bool predict = false;     // the time of a run on the chip, for the JSON
  bool dequantize = false;  // .npz, .npy: integers as fp32
  // Not 0: predict times on up to so many threads. `threads` is the number that runs use; 0: the
  // default.
  unsigned account = 0, threads = 0;
  // Libraries of operators on the host, in the form of TPUTWIN_CPUOPS; empty: those that it names.
  std::string host_libraries = {};
};

struct Run168xReport {
  std::string text;             // printed by `tputwin run`
  nlohmann::ordered_json json;  // printed with --json
  std::vector<uint8_t> output;
};

// Runs the net and writes the output.
Result<Run168xReport> run_168x(const bmodel::OpenFile& file, const Run168xOptions& options);

// The net of a name, or the only one; its stage by number, by shapes, or the only one. With
// `inputs`, a stage that they fit; without any, the first one that has commands, which is said on
// stderr.
struct ChosenStage {
  const bmodel::bm168x::NetT* net;
  const bmodel::bm168x::NetParameterT* stage;
  size_t index;
};
Result<ChosenStage> choose_stage(const bmodel::bm168x::File& file, const Run168xOptions& options,
                                 const InputFiles* inputs = nullptr);

}  // namespace tputwin::tools
