// Pictures of the debugger as files.
#pragma once

#include "base/checked_json.h"
#include "base/error.h"

namespace tputwin::tools {

// Writes {"file": NAME, "width": W, "height": H, "rgb": [...]}.
Status write_picture(const CheckedJson& picture);

}  // namespace tputwin::tools
