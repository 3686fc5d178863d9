// Access to the recorded results under tests/conformance/bmk1880/golden.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tputwin::isa {

struct GoldenCase {
  std::string args, text;
  std::vector<uint8_t> cmdbuf, blob;
};

// Returns the names of all recorded files, without extension.
std::vector<std::string> golden_functions();
std::vector<GoldenCase> golden_cases(const std::string& function);

}  // namespace tputwin::isa
