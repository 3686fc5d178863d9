// What a mistyped word was probably meant to be.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::tools {

// How many letters are to be inserted, left out, replaced or swapped with their neighbour.
size_t edits(std::string_view a, std::string_view b);

// The nearest of the words if it is near enough to be meant; else "".
std::string nearest(std::string_view word, const std::vector<std::string>& words);

// "; did you mean --input?" of the first argument that the chosen command does not know; or "".
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

}  // namespace tputwin::tools
