// Suggestions for mistyped words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::tools {

// Returns the least number of inserted, removed, replaced or swapped letters.
size_t edits(std::string_view a, std::string_view b);

// Returns the nearest of the words if it is near enough, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& words);

// Returns "; did you mean --input?" for the first argument that the chosen command does not know,
// or "".
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

}  // namespace tputwin::tools
