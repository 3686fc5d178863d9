// tputwin replay and diff: recordings, repeated and compared.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// How a recording, or a model, is run.
struct PlaySettings {
  std::string isa;                   // empty: the best
  bool reference = false;            // bodies
  std::string schedule = "program";  // program, compute_first, dma_first, shuffled
  uint64_t seed = 1;                 // of shuffled
  unsigned threads = 0;              // 0: all processors
  std::string quirks;                // of models
};

struct PlayResult {
  std::string text;
  bool equal;
  nlohmann::ordered_json json;  // the same as `text`
};

// Repeats a recording, and compares memory with what it was.
Result<PlayResult> replay_file(const std::string& path, const PlaySettings& settings);

// A recording, or a model, which is run with those options of `tputwin run` first.
struct DiffSide {
  std::string path;
  PlaySettings settings;
};
Result<PlayResult> diff_files(const DiffSide& a, const DiffSide& b,
                              const std::vector<std::string>& run_options);

}  // namespace tputwin::tools
