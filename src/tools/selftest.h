// tputwin selftest: whether this processor leaves the chip's bytes, for each instruction set it
// has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "tools/campaign/campaign.h"

namespace tputwin::tools {

struct SelftestOptions {
  uint64_t cases = 6, seed = 1;  // random operations of each kind
  std::string only;              // one kind; "": all, and recorded cases
  std::string isa;               // one instruction set; "": all
  int threads = 0;               // 0: one, and all
  bool random = false;           // no recorded cases
  std::string checkpoint;        // of random operations alone: the file to go on from
  std::string prefix;            // has libexec/tputwin and share/tputwin; "": beside this program
};

// What one instruction set did.
struct TargetReport {
  std::string isa;
  uint64_t operations = 0, recorded = 0;  // compared
  std::string difference, rerun;          // the first, and the line that shows it again
  bool ok() const { return difference.empty(); }
};

// Every random operation runs on the reference bodies and on every instruction set; the recorded
// cases run in the programs that check them, one for each API. Without these the work is shared by
// the processes that mpirun started (campaign/campaign.h); only the leader has reports.
Result<std::vector<TargetReport>> run_selftest(const SelftestOptions& options);

// The random operations of a selftest in units, which any process may do.
class SelftestUnits {
 public:
  // Errors: mch_isa, cli_selftest_kind.
  static Result<std::unique_ptr<SelftestUnits>> open(const SelftestOptions& options);
  ~SelftestUnits();

  Campaign campaign();  // used while this lives
  std::vector<TargetReport> sum_of(const std::vector<std::string>& lines) const;

 private:
  struct Parts;
  explicit SelftestUnits(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// One line for each, and the instruction sets that were compiled and this host lacks.
std::string selftest_text(const std::vector<TargetReport>& reports);

}  // namespace tputwin::tools
