// The page without its data, built from page.html.
#pragma once

#include <string>

namespace tputwin::insight {

// Its data takes the place of "@PROFILE@".
std::string page_template();

}  // namespace tputwin::insight
