// tputwin profile: where the predicted time of a program, or a model, goes.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct ProfileOptions {
  std::string html = "profile.html", trace,
              json;  // files to write; empty: none; json "-": print it
};

// Runs a program with its arguments; TPUTWIN_PROFILE tells its devices to record themselves. The
// exit code of the program, whose summary goes to standard error.
Result<int> profile_program(const ProfileOptions& options, const std::vector<std::string>& program);

}  // namespace tputwin::tools
