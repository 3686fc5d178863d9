// The page without its data, web/built/profile.html.
#pragma once

#include <string>

namespace tputwin::insight {

// Its data takes the place of "@PROFILE@".
std::string page_template();

}  // namespace tputwin::insight
