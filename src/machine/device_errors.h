// DeviceErrors: the sticky error of a device, and the reports of errors and warnings to the calling
// thread.
#pragma once

#include <optional>

#include "base/diagnostics.h"
#include "base/error.h"
#include "chip/chip.h"
#include "machine/observer_list.h"
#include "ops/instruction.h"

namespace tputwin {

class DeviceErrors {
 public:
  // `observers` hear of errors, and must exist as long.
  DeviceErrors(const Chip& chip, bool strict, const ObserverList& observers)
      : chip_(chip), observers_(observers), diagnostics_(strict) {}

  // Records a failed status of a call under the name of the call. An error sticks and is returned.
  // A warning is counted.
  Status report(Status status, const CallSite& site);
  // Records a failed status under the name of its instruction, for example "compute 12 conv2d".
  // Warnings are counted by operation. An error does not stick; the caller must call stick().
  Status report(Status status, const Instruction& instruction);

  // Returns the sticky error, if any. While it is set, nothing is executed.
  Status sticky() const { return sticky_ ? Status(*sticky_) : Status(); }
  bool any() const { return sticky_.has_value(); }
  // Makes a failed status the sticky error, unless there is one.
  void stick(const Status& status) {
    if (!status.ok() && !sticky_) sticky_ = status.error();
  }
  void clear() { sticky_.reset(); }

  Diagnostics& diagnostics() { return diagnostics_; }
  // Returns true if warnings are errors.
  bool is_strict() const { return diagnostics_.strict(); }

 private:
  bool is_counted(const Error& error) const;
  void tell(const Status& reported) const;

  const Chip& chip_;
  const ObserverList& observers_;
  Diagnostics diagnostics_;
  std::optional<Error> sticky_;
};

}  // namespace tputwin
