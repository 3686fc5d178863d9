// tputwin chips, tputwin errors: the tables of this build.
#pragma once

#include <string>

#include "base/error.h"

namespace tputwin::tools {

std::string chips_text();
std::string chips_json();

std::string errors_text();
// Returns one error in full; `id` is its code ("TW-BMK-0102"), in either case, or its symbol.
Result<std::string> explain_error(const std::string& id);
// As explain_error() in JSON; without an id a list of all errors.
Result<std::string> errors_json(const std::string& id);

}  // namespace tputwin::tools
