// What the environment has every device of this process watched by; an unmodified host is enough.
#pragma once

#include <memory>
#include <vector>

#include "machine/device.h"

namespace tputwin::insight {

using Watchers = std::vector<std::unique_ptr<Observer>>;

// Whether anybody wants to know where in the user's program a command was made (Origins).
bool is_watching();
// Whatever watches a device from now on, as long as both live; none if nobody asks for it.
Watchers watch(Device& device);

}  // namespace tputwin::insight
