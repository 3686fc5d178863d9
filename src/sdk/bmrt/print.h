// Nets as text.
#pragma once

#include <bmdef.h>

#include <string>

namespace tputwin::bmrt {

// The net, its stages and their tensors, a line each.
std::string net_text(const bm_net_info_t& info);

}  // namespace tputwin::bmrt
