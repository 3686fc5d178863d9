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

struct Profiling {
  int exit_code;     // of the program
  bool has_profile;  // false if a model did not run, which has printed its error
};

// Runs a program with its arguments; TPUTWIN_PROFILE makes its devices record themselves. The
// summary goes to standard error.
Result<Profiling> profile_program(const ProfileOptions& options,
                                  const std::vector<std::string>& program);

}  // namespace tputwin::tools
