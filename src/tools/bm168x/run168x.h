// tputwin run of bmodels for BM1684 and BM1684X.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "bmodel/open.h"
#include "tools/runtime.h"

namespace tputwin::tools {

struct Run168xOptions {
  std::string net;              // may be empty if the file has one
  std::optional<size_t> stage;  // by number, or by
  ShapeList shapes;             // one per input
  // One file for each input in the order of the file: raw bytes, .npy; or one .npz for all, by
  // name; or none: made-up data.
  std::vector<std::string> inputs;
  std::string output;  // all outputs in the order of the file, raw; .npz by its name
  unsigned repeat = 1;
  unsigned devices = 1;  // that run it at the same time, each `repeat` times
  bool latency = false;  // tell the distribution of times
  bool reference = false;
  bool dequantize = false;  // .npz: integers as fp32
};

struct Run168xReport {
  std::string text;             // what `tputwin run` prints
  nlohmann::ordered_json json;  // and with --json
  std::vector<uint8_t> output;
};

// Runs the net and writes the output.
Result<Run168xReport> run_168x(const bmodel::OpenFile& file, const Run168xOptions& options);

// The net that a name means, or the only one; the stage that number, shapes or nothing means.
struct ChosenStage {
  const bmodel::bm168x::NetT* net;
  const bmodel::bm168x::NetParameterT* stage;
  size_t index;
};
Result<ChosenStage> choose_stage(const bmodel::bm168x::File& file, const Run168xOptions& options);

}  // namespace tputwin::tools
