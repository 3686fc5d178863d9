// The page of tputwin whatif: its table and a plot of it, one file that asks for no network.
#pragma once

#include <string>

#include "tools/timing/whatif.h"

namespace tputwin::tools {

// Without its data, web/built/whatif.html; they take the place of "@WHATIF@".
std::string whatif_page_template();

// `title`: what was timed.
std::string whatif_page(const WhatIf& result, const std::string& title);

}  // namespace tputwin::tools
