// Small helpers of the tests that read the project's texts.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tputwin::docs {

inline std::filesystem::path source_dir() { return TPUTWIN_SOURCE_DIR; }

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tputwin::docs
