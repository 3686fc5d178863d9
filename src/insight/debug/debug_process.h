// The debugger that the environment enables:
//   TPUTWIN_DEBUG        the socket of the `tputwin debug` that controls this process
//   TPUTWIN_DEBUG_BYTES  the memory limit of the journal
#pragma once

#include <memory>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

bool is_debugging();
// Returns an observer that debugs a device; nullptr if the environment enables no debugger.
std::unique_ptr<Observer> debug_device(Device& device);

// Makes devices of this process stop at `front` from now on, whatever the environment sets.
void debug_with(Front& front, uint64_t most_bytes = Debugger::kMostBytes, Motion start = {});

}  // namespace tputwin::debug
