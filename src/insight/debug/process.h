// The debugger that the environment asks for:
//   TPUTWIN_DEBUG        the socket of a `tputwin debug` that has the say
//   TPUTWIN_DEBUG_BYTES  how much memory is for going back
#pragma once

#include <memory>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

bool is_debugging();
// What stops a device, to be added to its observers; nullptr if nobody asks for it.
std::unique_ptr<Observer> debug_device(Device& device);

// From now on devices of this process stop at this front, whatever the environment says.
void debug_with(Front& front, uint64_t most_bytes = Debugger::kMostBytes, Motion start = {});

}  // namespace tputwin::debug
