// How samples are prepared, as text: two that say the same are prepared in the same way.
#pragma once

#include <string>

#include "bmnet/data/data_set.h"

namespace tputwin::tools {

std::string text_of(const net::DataOptions& options);

}  // namespace tputwin::tools
