// Recordings of commands: a timeline as JSON lines, with everything that its times depend on.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "insight/timing/timeline.h"

namespace tputwin::insight {

// Returns a line for each launch and each command. Commands include their work and, with
// `with_lines`, the user's source lines.
std::string command_recording_of(const Timeline& timeline, bool with_lines);

// Returns the name of the chip of a recording; empty if there is none.
std::string chip_of_command_recording(std::string_view text);

// Reads a recording, or commands with operands instead of work (docs/timing.md), which form one
// launch of a kernel. The result is not simulated.
Result<Timeline> read_command_recording(std::string_view text, const Chip& chip);

}  // namespace tputwin::insight
