// Replacements of undefined functions: a kernel that calls one is left, and its launch fails with
// the name.
#pragma once

#include <cstddef>
#include <string>

namespace tputwin::okk {

inline constexpr size_t kMaxUndefinedFunctions = 256;  // number of different names in a process

// Returns the replacement of `name`; nullptr if there are too many names.
void (*undefined_function(const std::string& name))();

}  // namespace tputwin::okk
