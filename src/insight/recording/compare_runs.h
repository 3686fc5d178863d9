// Compares two runs: finds the first command whose results differ, and one differing element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "insight/recording/player.h"

namespace tputwin::insight::recording {

// One side of a comparison: a recording, and how to replay it.
struct Side {
  const Recording* recording = nullptr;
  PlayOptions play;
  std::string isa;  // empty: the current one
  int threads = 0;  // 0: the default

  // Returns true if no option is set. Then recorded checks are used without a replay.
  bool as_recorded() const {
    return isa.empty() && threads == 0 && play.kernel_choice == KernelChoice::automatic &&
           play.schedule == Schedule::program;
  }
};

struct Comparison {
  size_t commands = 0;  // number of commands with equal results
  // Describes the first command whose results differ, or that only one side has.
  std::optional<std::string> difference;
};

Result<Comparison> compare(const Side& a, const Side& b);

}  // namespace tputwin::insight::recording
