// Checks that the environment enables:
//   TPUTWIN_CHECK           all, or names of checks with commas between them
//   TPUTWIN_CHECK_JSON      a JSON file for the findings
//   TPUTWIN_CHECK_SARIF     a SARIF file for the findings
//   TPUTWIN_CHECK_SUPPRESS  a file with suppressions of findings
#pragma once

#include <memory>

#include "insight/report.h"
#include "machine/device.h"

namespace tputwin::insight {

bool is_checking();
// Returns the findings so far; nullptr if no check is enabled.
const Report* report_of_process();

// Returns an observer that checks a device; nullptr if no check is enabled.
std::unique_ptr<Observer> check_device(Device& device);

}  // namespace tputwin::insight
