// tputwin replay and diff: repetition and comparison of recordings.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Options for the run of a recording or a model.
struct PlaySettings {
  std::string isa;                   // empty: the best
  bool reference = false;            // use the reference kernels
  std::string schedule = "program";  // program, compute_first, dma_first, shuffled
  uint64_t seed = 1;                 // of the schedule `shuffled`
  unsigned threads = 0;              // 0: all processors
  std::string quirks;                // of models
};

struct PlayResult {
  std::string text;
  bool equal;
  nlohmann::ordered_json json;  // contents of `text`
};

// Repeats a recording and compares memory with the recorded one.
Result<PlayResult> replay_file(const std::string& path, const PlaySettings& settings);

// A recording, or a model, which is run first with these options of `tputwin run`.
struct DiffSide {
  std::string path;
  PlaySettings settings;
};
Result<PlayResult> diff_files(const DiffSide& a, const DiffSide& b,
                              const std::vector<std::string>& run_options);

}  // namespace tputwin::tools
