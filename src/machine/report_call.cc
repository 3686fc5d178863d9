// Records errors of API calls under the names of the calls.
#include <fmt/format.h>

#include "base/last_error.h"
#include "chip/rule_numbers.h"
#include "machine/device.h"

namespace tputwin {

Status Device::report_call(Status status, const CallSite& site) {
  if (status.ok()) return status;
  Error& error = status.error();
  // Warnings are counted per call name, so the name has no command number there.
  const bool counted = error.info().level == Level::warning && !diagnostics_.strict();
  // After the first error calls have no effect, so their further errors are not reported.
  if (sticky_ && !counted) return *sticky_;
  tell_numbers(error, chip());
  std::string call(site.call);
  if (site.number != 0 && !counted) call += fmt::format(", command {} of the launch", site.number);
  if (!site.wrong_strides.empty() && error.argument() == site.wrong_strides &&
      error.code().starts_with("TW-MEM"))
    static_cast<void>(
        std::move(error).argument(stride_argument(site.wrong_strides), error.value()));
  Status booked = report(diagnostics_, std::move(error).in(call));
  if (!booked.ok() && !sticky_) sticky_ = booked.error();
  return booked;
}

}  // namespace tputwin
