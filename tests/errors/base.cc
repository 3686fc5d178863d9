// TW-SYS: errors of the operating system and environment.
#include <cstdlib>
#include <vector>

#include "base/errors/base.h"
#include "base/file.h"
#include "base/wrong_variables.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

TW_TRIGGER(sys_file_read, [] { return read_bytes("/nonexistent/file").status(); });
// Returns the error of a value of a variable.
Status wrong(const char* variable) {
  setenv(variable, "nonsense", 1);
  const std::vector<Error> found = wrong_variables();
  unsetenv(variable);
  return found.empty() ? Status() : Status(found.front());
}
TW_TRIGGER(sys_variable, [] { return wrong("TPUTWIN_QUIRKS"); });
TW_TRIGGER(sys_variable_ignored, [] { return wrong("TPUTWIN_THREADS"); });
TW_TRIGGER(sys_file_write, [] { return write_bytes("/nonexistent/file", {}); });

}  // namespace
}  // namespace tputwin::testing
