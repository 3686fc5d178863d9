// A server of the Debug Adapter Protocol, which editors speak: `tputwin debug --dap`.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct AdapterOptions {
  int port = 0;                      // on this host; 0: standard input and output
  uint64_t bytes = 0;                // for going back; 0: as many as usual
  std::vector<std::string> program;  // unless the editor names one
};

// Serves one editor until it takes its leave.
Status serve_editor(const AdapterOptions& options);

}  // namespace tputwin::tools
