// A server of the Debug Adapter Protocol, which editors use: `tputwin debug --dap`.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct AdapterOptions {
  int port = 0;                      // on this host; 0: standard input and output
  uint64_t bytes = 0;                // memory for going back; 0: the default
  std::vector<std::string> program;  // unless the editor names one
};

// Serves one editor until it disconnects.
Status serve_editor(const AdapterOptions& options);

}  // namespace tputwin::tools
