// A lifted stage as a C program: the kernel, and a host that runs it.
#pragma once

#include <string>

#include "tools/lift/lifted_stage.h"

namespace tputwin::lift {

struct Naming {
  std::string kernel;  // name of the function
  // Name of the file, for comments and as the host's default.
  std::string model;
};

// Numbers of commands, raw commands, sections and parts of a network.
struct Tally {
  size_t commands = 0, raw = 0, sections = 0, parts = 0;
};

std::string kernel_text(const Stage& stage, const Naming& naming, const Chip& chip, Tally& tally);
// `weights_at` is the offset of the weights in the file.
std::string host_text(const Stage& stage, const Naming& naming, const Chip& chip,
                      uint64_t weights_at);

// Returns the structure that the host passes, for both programs.
std::string arguments_text(const Stage& stage, const Naming& naming);

}  // namespace tputwin::lift
