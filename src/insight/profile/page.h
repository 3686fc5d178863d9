// A run as one page of HTML that needs no network; its pictures are made by web/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "insight/profile/run.h"

namespace tputwin::insight {

// What the page is given: names once, a column for each property of commands, times in cycles,
// beginnings as the distance from the one before.
nlohmann::json page_data(const ProfiledRun& run);
std::string to_page(const ProfiledRun& run);

// A page whose data take that place, in a script that no name in them ends.
std::string page_with(std::string page, std::string_view place, const nlohmann::json& data);

}  // namespace tputwin::insight
