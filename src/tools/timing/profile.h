// tputwin profile: the parts of the predicted time of a program or a model.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct ProfileOptions {
  // Files to write; empty: none; json "-": print it.
  std::string html = "profile.html", trace, json;
};

// Runs a program with its arguments; TPUTWIN_PROFILE makes its devices record themselves. Returns
// the exit code of the program, whose summary goes to standard error.
Result<int> profile_program(const ProfileOptions& options, const std::vector<std::string>& program);

}  // namespace tputwin::tools
