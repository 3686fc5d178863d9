// The checks that the environment asks for:
//   TPUTWIN_CHECK           all, or names of checks with commas between them
//   TPUTWIN_CHECK_JSON      a file for the findings
//   TPUTWIN_CHECK_SARIF     the same as SARIF
//   TPUTWIN_CHECK_SUPPRESS  a file of findings that are to be left out
#pragma once

#include <memory>

#include "insight/report.h"
#include "machine/device.h"

namespace tputwin::insight {

bool is_checking();
// What was found so far; nullptr if nobody asks for checks.
const Report* report_of_process();

// What checks a device, to be added to its observers; nullptr if nobody asks for checks.
std::unique_ptr<Observer> check_device(Device& device);

}  // namespace tputwin::insight
