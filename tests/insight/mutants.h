// Mutants: programs of the examples with one mistake each, and what the checks have to say.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tputwin::insight::testing {

// A change of the text of a file. Without a text to change it is the original, and nothing may be
// found.
struct Mutant {
  std::string_view name, file;
  std::string_view kernel;  // as it is registered; "main": the program
  std::string_view from, to;
  std::string_view finding;  // its id
  std::string_view line;     // a part of the line of source that the finding names
};

// Where the files of mutants are.
struct Project {
  std::string folder;     // of examples
  std::string extension;  // of the files
  std::string includes, libraries;
};

// Compiles all mutants of a project, runs each, and compares what is found. `run` gets the mutant,
// the library that it is in, and the new name of its kernel.
using Run = std::function<void(const Mutant&, void* library, const std::string& kernel)>;
void expect_findings(const Project& project, std::span<const Mutant> mutants, const Run& run);

// The whole of a file.
std::string text_of(const std::filesystem::path& path);

// Asks for the checks of this process; before its first device.
void check_everything();

}  // namespace tputwin::insight::testing
