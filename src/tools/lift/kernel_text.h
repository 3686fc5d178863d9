// A lifted stage as a C program: the kernel, and a host that runs it.
#pragma once

#include <string>

#include "tools/lift/stage.h"

namespace tputwin::lift {

struct Naming {
  std::string kernel;  // the function
  std::string model;   // the file, for comments and as the host's default
};

// How much of a network is calls, and what else there is.
struct Tally {
  size_t commands = 0, raw = 0, sections = 0, parts = 0;
};

std::string kernel_text(const Stage& stage, const Naming& naming, const Chip& chip, Tally& tally);
// `weights_at`: where in the file the weights begin.
std::string host_text(const Stage& stage, const Naming& naming, const Chip& chip,
                      uint64_t weights_at);

// The structure that the host passes, in both programs.
std::string arguments_text(const Stage& stage, const Naming& naming);

}  // namespace tputwin::lift
