// Records errors under the names of calls and instructions.
#include "machine/device_errors.h"

#include <fmt/format.h>

#include "base/last_error.h"
#include "chip/rule_numbers.h"

namespace tputwin {

// Returns true if the error is only a counted warning. Warnings are counted by name, so their names
// must not contain numbers of commands.
bool DeviceErrors::is_counted(const Error& error) const {
  return error.info().level == Level::warning && !diagnostics_.strict();
}

// Tells observers of an error.
void DeviceErrors::tell(const Status& reported) const {
  if (reported.ok()) return;
  for (Observer* observer : observers_) observer->on_refused(reported.error());
}

Status DeviceErrors::report(Status status, const CallSite& site) {
  if (status.ok()) return status;
  Error& error = status.error();
  const bool counted = is_counted(error);
  // Calls have no effect after the first error, so their errors are not reported.
  if (sticky_ && !counted) return *sticky_;
  add_rule_numbers(error, chip_);
  std::string call(site.call);
  if (site.number != 0 && !counted) call += fmt::format(", command {} of the launch", site.number);
  if (!site.wrong_strides.empty() && error.argument() == site.wrong_strides &&
      error.code().starts_with("TW-MEM"))
    static_cast<void>(
        std::move(error).argument(stride_argument(site.wrong_strides), error.value()));
  Status reported = tputwin::report(diagnostics_, std::move(error).in(call));
  stick(reported);
  tell(reported);
  return reported;
}

Status DeviceErrors::report(Status status, const Instruction& instruction) {
  if (status.ok()) return status;
  add_rule_numbers(status.error(), chip_);
  const std::string_view operation = name(instruction.op);
  std::string call =
      is_counted(status.error())
          ? std::string(operation)
          : fmt::format("{} {} {}", to_string(instruction.engine), instruction.id, operation);
  Status reported = tputwin::report(diagnostics_, std::move(status.error()).in(call));
  tell(reported);
  return reported;
}

}  // namespace tputwin
