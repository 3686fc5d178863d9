// tputwin info: the contents of a model and its predicted cost.
#pragma once

#include <string>

#include "bmodel/bmodel.h"

namespace tputwin::tools {

std::string format_name(uint32_t fmt);  // Returns "int8" for a FMT_* value.

Result<std::string> info_text(const bmodel::Model& model);
Result<std::string> info_json(const bmodel::Model& model);

}  // namespace tputwin::tools
