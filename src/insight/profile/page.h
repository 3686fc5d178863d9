// A run as one HTML page that needs no network. web/ draws its pictures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "insight/profile/profiled_run.h"

namespace tputwin::insight {

// Returns the data of the page: each name once, a column for each property of commands, times in
// cycles, and begins as differences from the previous command.
nlohmann::json page_data(const ProfiledRun& run);
std::string to_page(const ProfiledRun& run);

// Returns the page with `data` in place of `place`. No name in the data can end the script.
std::string page_with(std::string page, std::string_view place, const nlohmann::json& data);

}  // namespace tputwin::insight
