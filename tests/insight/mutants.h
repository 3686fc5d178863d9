// Mutants: programs of the examples with one mistake each, and the expected findings.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tputwin::insight::testing {

// A change of the text of a file. Without a text to change it is the original, and must have no
// findings.
struct Mutant {
  std::string_view name, file;
  std::string_view kernel;  // as registered; "main": the program
  std::string_view from, to;
  std::string_view finding;  // id of the finding
  // Part of the source line to which the finding refers.
  std::string_view line;
};

// The files of mutants.
struct Project {
  std::string folder;     // folder of the examples
  std::string extension;  // extension of the files
  std::string includes, libraries;
};

// Compiles all mutants of a project, runs each, and compares the findings. `run` gets the mutant,
// the library that contains it, and the new name of its kernel.
using Run = std::function<void(const Mutant&, void* library, const std::string& kernel)>;
void expect_findings(const Project& project, std::span<const Mutant> mutants, const Run& run);

// Returns the text of a file.
std::string text_of(const std::filesystem::path& path);

// Enables the checks of this process; must precede its first device.
void check_everything();

}  // namespace tputwin::insight::testing
