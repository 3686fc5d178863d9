// tputwin record: a host program whose kernels become the nets of a bmodel.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct Recording {
  int exit_code;      // of the program
  std::string model;  // the bmodel
};

// Runs a program with its arguments; TPUTWIN_RECORD tells it where to. `output` is a file, or, if
// it is a folder or ends with '/', a folder for a context directory.
Result<Recording> record_program(const std::string& output,
                                 const std::vector<std::string>& program);

}  // namespace tputwin::tools
