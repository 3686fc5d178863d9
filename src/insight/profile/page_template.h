// The page without data, from web/built/profile.html.
#pragma once

#include <string>

namespace tputwin::insight {

// The data replace "@PROFILE@".
std::string page_template();

}  // namespace tputwin::insight
