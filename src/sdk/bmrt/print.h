// Nets as text.
#pragma once

#include <bmdef.h>

#include <string>

namespace tputwin::bmrt {

// Returns the net, its stages and their tensors, one line each.
std::string net_text(const bm_net_info_t& info);

}  // namespace tputwin::bmrt
