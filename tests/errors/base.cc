// TW-SYS: errors of the operating system and environment.
#include "base/errors/base.h"
#include "base/file.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

TW_TRIGGER(sys_file_read, [] { return read_bytes("/nonexistent/file").status(); });
TW_TRIGGER(sys_file_write, [] { return write_bytes("/nonexistent/file", {}); });

}  // namespace
}  // namespace tputwin::testing
