// Errors of the runtime for tools, without its headers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

using ShapeList = std::vector<std::vector<uint32_t>>;

// Returns the error of the latest failed runtime call of this thread.
Error runtime_error(std::string_view call);

}  // namespace tputwin::tools
