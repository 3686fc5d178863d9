// Watchers that the environment enables for every device of this process, without changes to the
// host program.
#pragma once

#include <memory>
#include <vector>

#include "machine/device.h"

namespace tputwin::insight {

using Watchers = std::vector<std::unique_ptr<Observer>>;

// Returns true if a watcher needs to know where in the user's program commands were made (Origins).
bool is_watching();
// Returns the watchers of a device; none if the environment enables none. The device must outlive
// them.
Watchers watch(Device& device);

}  // namespace tputwin::insight
