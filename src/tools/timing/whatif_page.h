// The page of tputwin whatif: its table and a plot of it, in one file without network access.
#pragma once

#include <string>

#include "tools/timing/whatif.h"

namespace tputwin::tools {

// Returns web/built/whatif.html, in which the data replaces "@WHATIF@".
std::string whatif_page_template();

// `title` names the timed program or model.
std::string whatif_page(const WhatIf& result, const std::string& title);

}  // namespace tputwin::tools
