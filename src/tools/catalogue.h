// tputwin chips, tputwin errors: the tables of this build.
#pragma once

#include <string>

#include "base/error.h"

namespace tputwin::tools {

std::string chips_text();
std::string chips_json();

std::string errors_text();
// One error in full; `id` is its code ("TW-BMK-0102"), in either case, or its symbol.
Result<std::string> explain_error(const std::string& id);
// The same, or with no id all errors, as a list in JSON.
Result<std::string> errors_json(const std::string& id);

}  // namespace tputwin::tools
