// tputwin info: what is in a model, and what it will cost.
#pragma once

#include <string>

#include "bmodel/bmodel.h"

namespace tputwin::tools {

std::string format_name(uint32_t fmt);  // "int8" of a FMT_* value

Result<std::string> info_text(const bmodel::Model& model);
Result<std::string> info_json(const bmodel::Model& model);

}  // namespace tputwin::tools
