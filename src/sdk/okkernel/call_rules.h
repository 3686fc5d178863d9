// Rules of the functions of OKKernel and TPUKernel that their commands do not have.
#pragma once

#include "ops/operation.h"

namespace tputwin::okk {

// Checks addresses and start NPUs. The libraries of the reference models stop at wrong ones, though
// their engines do not.
Status check_call(const Operation& op, const Chip& chip);
// Returns true for the functions that take commands (tputwin/raw_command.h), which have no such
// rules.
inline bool is_raw_command(std::string_view call) { return call.starts_with("tputwin_"); }

}  // namespace tputwin::okk
