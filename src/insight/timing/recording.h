// Recordings of commands: a timeline as JSON lines, with everything that its times depend on.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "insight/timing/timeline.h"

namespace tputwin::insight {

// A line for each launch and each command. Commands have their work; with `lines` the user's source
// lines too.
std::string recording_of(const Timeline& timeline, bool with_lines);

// The name of the chip that a recording is of; empty if it does not say.
std::string chip_of_recording(std::string_view text);

// Of a recording, or of commands with their operands instead of their work (docs/timing.md), which
// are one launch of a kernel. Not simulated.
Result<Timeline> read_recording(std::string_view text, const Chip& chip);

}  // namespace tputwin::insight
