// Collects the messages of a context or device: a sticky first error, the last error, and warnings
// counted per id and call site. In strict mode a warning is an error.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tputwin {

struct WarningCount {
  Error sample;  // the first occurrence
  uint64_t count;
};

class Diagnostics {
 public:
  // If `strict` is true, warnings are errors. The environment variable TPUTWIN_STRICT sets the
  // default.
  explicit Diagnostics(bool strict = strict_by_default()) : strict_(strict) {}

  // Records an error by its level. Returns an error Status if the call must fail.
  Status report(Error error);
  // Records the error of a failed Status, and passes the Status through.
  Status report(Status status) { return status.ok() ? Status() : report(Error(status.error())); }

  // Counts warnings that another thread collected.
  void add(const std::vector<WarningCount>& warnings);

  std::optional<Error> first_error() const;
  std::optional<Error> last_error() const;
  uint64_t error_count() const;
  std::vector<WarningCount> warnings() const;
  void clear();

  bool strict() const { return strict_; }
  void set_strict(bool strict) { strict_ = strict; }
  static bool strict_by_default();

 private:
  mutable std::mutex mutex_;
  bool strict_;
  std::optional<Error> first_, last_;
  uint64_t errors_ = 0;
  std::map<std::pair<ErrorId, std::string>, WarningCount> warnings_;
};

}  // namespace tputwin
