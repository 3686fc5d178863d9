// Options for the repetition of a recording.
#pragma once

#include <string>

#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/record/play.h"

namespace tputwin::tools {

// Adds options that start with the prefix: "--", "--a-".
inline void add_play_options(CLI::App& sub, const std::string& prefix, PlaySettings& settings) {
  sub.add_option(prefix + "isa", settings.isa,
                 "fast kernels of this instruction set: reference, avx2, ... (tputwin selftest "
                 "names them)");
  sub.add_flag(prefix + "reference", settings.reference,
               "reference kernels, which define the results");
  sub.add_option(prefix + "schedule", settings.schedule,
                 "order of the engines: program, compute_first, dma_first, shuffled")
      ->type_name("{program,compute_first,dma_first,shuffled}");
  sub.add_option(prefix + "seed", settings.seed, "of the shuffled schedule");
  sub.add_option(prefix + "threads", settings.threads, "threads of the device")
      ->check(at_least_one());
}

}  // namespace tputwin::tools
