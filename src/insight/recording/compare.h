// Two runs in step: the first command whose results differ, and one element of them on both sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "insight/recording/player.h"

namespace tputwin::insight::recording {

// One side of a comparison: a recording, and how it is repeated.
struct Side {
  const Recording* recording = nullptr;
  PlayOptions play;
  std::string isa;  // empty: that in force
  int threads = 0;  // 0: as many as there are

  // Nothing is asked for: what was recorded counts.
  bool as_recorded() const {
    return isa.empty() && threads == 0 && play.body == Body::automatic &&
           play.schedule == Schedule::program;
  }
};

struct Comparison {
  size_t commands = 0;  // that were compared
  // Of the first command whose results differ, or that only one side has.
  std::optional<std::string> difference;
};

Result<Comparison> compare(const Side& a, const Side& b);

}  // namespace tputwin::insight::recording
