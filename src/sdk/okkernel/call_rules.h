// Rules that the functions of OKKernel and TPUKernel have and the commands behind them do not.
#pragma once

#include "ops/operation.h"

namespace tputwin::okk {

// Addresses and start NPUs at which the libraries of the reference models stop, though their
// engines do not.
Status check_call(const Operation& op, const Chip& chip);
// The functions that take commands (tputwin/raw_command.h), which have no such rules.
inline bool is_raw_command(std::string_view call) { return call.starts_with("tputwin_"); }

}  // namespace tputwin::okk
