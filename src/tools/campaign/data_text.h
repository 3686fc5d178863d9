// Preparation of samples as text. Equal texts mean equal preparations.
#pragma once

#include <string>

#include "bmnet/data/data_set.h"

namespace tputwin::tools {

std::string text_of(const net::DataOptions& options);

}  // namespace tputwin::tools
