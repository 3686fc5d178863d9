// Pictures of the debugger as files.
#pragma once

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace tputwin::tools {

// {"file": NAME, "width": W, "height": H, "rgb": [...]}
Status write_picture(const nlohmann::json& picture);

}  // namespace tputwin::tools
